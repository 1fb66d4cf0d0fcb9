/**
 * Takes the pictures of docs/gallery.md and docs/methods.md: `cargo xtask gallery`. Arguments are
 * file names and select pictures: `node run.mjs figure-1.jpg`.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { barePage, launch, ROOT, serve } from '../support.mjs';
import { EXAMPLE_FIT_FIGURES } from './example_fit_figures.mjs';
import { FIGURES } from './figures.mjs';
import { GLOW_FIGURES } from './glow_figures.mjs';
import { HANDLE_FIGURES } from './handle_figures.mjs';
import { plotted } from './motion.mjs';
import { sheet } from './sheet.mjs';
import { METHOD_FIGURES } from './method_figures.mjs';
import { merged, shot } from './shot.mjs';
import { SKELETON_FIGURES } from './skeleton_figures.mjs';
import { VOLUME_FIGURES } from './volume_figures.mjs';

/** The largest picture, in bytes. The pages of docs show many of them. */
const LARGEST = 200_000;

const ALL = [
  ...METHOD_FIGURES,
  ...SKELETON_FIGURES,
  ...FIGURES,
  ...GLOW_FIGURES,
  ...VOLUME_FIGURES,
  ...HANDLE_FIGURES,
  ...EXAMPLE_FIT_FIGURES,
];

const folder = join(ROOT, 'docs/gallery');
const wanted = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const site = await serve();
const browser = await launch();
const { page, errors } = await barePage(browser, site, { reducedMotion: 'reduce' });
await page.evaluate(() => document.body.append(document.createElement('pliant-viewer')));
const paper = await browser.newPage({ viewport: { width: 900, height: 1600 } });
for (const figure of ALL) {
  if (wanted.length && !wanted.includes(figure.file)) continue;
  const pictures = figure.rows.map(() => []);
  // Column by column, because the cells of a column share their character.
  for (const column of figure.columns) {
    for (const [r, row] of figure.rows.entries()) {
      const take = figure.isPlot ? plotted : shot;
      pictures[r].push(await take(page, merged(figure.cell, column, row), figure.size));
    }
  }
  const picture = await sheet(paper, figure, pictures);
  if (picture.length > LARGEST) throw new Error(`${figure.file} has ${picture.length} bytes`);
  await writeFile(join(folder, figure.file), picture);
  console.log(`${figure.file}: ${Math.round(picture.length / 1000)} kB`);
}
await browser.close();
site.close();
if (errors.length) throw new Error(errors.join('\n'));
