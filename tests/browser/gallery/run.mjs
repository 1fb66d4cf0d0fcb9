/** The gallery: `cargo xtask gallery`. With names of files, only those: `node run.mjs figure-1.jpg`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { barePage, launch, ROOT, serve } from '../support.mjs';
import { FIGURES } from './figures.mjs';
import { HANDLE_FIGURES } from './handle_figures.mjs';
import { LEARNED_FIGURES } from './learned_figures.mjs';
import { plotted } from './motion.mjs';
import { sheet } from './sheet.mjs';
import { merged, shot } from './shot.mjs';
import { VOLUME_FIGURES } from './volume_figures.mjs';

/** Larger would make the pages that show them slow. */
const LARGEST = 200_000;

const folder = join(ROOT, 'docs/gallery');
const wanted = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const site = await serve();
const browser = await launch();
const { page, errors } = await barePage(browser, site, { reducedMotion: 'reduce' });
await page.evaluate(() => document.body.append(document.createElement('pliant-viewer')));
const paper = await browser.newPage({ viewport: { width: 900, height: 1600 } });
for (const figure of [...FIGURES, ...VOLUME_FIGURES, ...HANDLE_FIGURES, ...LEARNED_FIGURES]) {
  if (wanted.length && !wanted.includes(figure.file)) continue;
  const pictures = figure.rows.map(() => []);
  // Column by column: a column keeps its character.
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
await writeFile(join(ROOT, 'docs/gallery.md'), text());
await browser.close();
site.close();
if (errors.length) throw new Error(errors.join('\n'));

function text() {
  const part = ({ file, title, about }) => `## ${title}\n\n${about}\n\n![${title}](gallery/${file})\n`;
  const head = `# Gallery

The figures of *Simple Flexible Skinning Based on Manifold Modeling* (Hétroy, Gérot, Lu and Thibert 2009) with Pliant's own cast. Everything is
drawn by \`<pliant-viewer>\` and deformed by dual quaternions, as in the paper; \`cargo xtask gallery\` makes all of it anew.
`;
  const volume = `# PostSkinning that keeps its volume

The figures of *Local Volume Preservation for Skinned Characters* (Rohmer, Hahmann and Cani 2008), beside plain linear blending. Every picture says how
much of the whole's volume the pose has taken or given; Pliant's exact mode leaves nothing of that where the paper's linear step leaves a part.
`;
  const handles = `# Handles on the skin

Points beside bones, by bounded biharmonic weights (Jacobson, Baran, Popović and Sorkine 2011).
`;
  const learned = `# Weights learned from examples

The figures of *Data-Driven Weight Optimization for Real-Time Mesh Deformation*: weights that begin as smooth ones and are changed until a few example
poses come out of them.
`;
  const parts = [
    [head, FIGURES],
    [volume, VOLUME_FIGURES],
    [handles, HANDLE_FIGURES],
    [learned, LEARNED_FIGURES],
  ];
  return parts.flatMap(([text, figures]) => [text, ...figures.map(part)]).join('\n');
}
