/**
 * The README's picture of the studio: `cargo xtask picture`. The clip stands still, so it comes out
 * the same.
 */
import { join } from 'node:path';
import { openStudio } from './studio.mjs';
import { drawn, launch, ROOT, serve } from './support.mjs';

const site = await serve();
const browser = await launch();
const { page } = await openStudio({ browser, site }, { colorScheme: 'light' });
await page.evaluate(() => {
  const viewer = document.querySelector('pliant-viewer');
  viewer.pause();
  viewer.currentTime = 0.4;
});
await drawn(page);
await page.waitForTimeout(1000);
await page.screenshot({ path: join(ROOT, 'docs/studio.png') });
await browser.close();
site.close();
