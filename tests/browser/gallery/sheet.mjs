/** A figure's cells side by side with their names, as one picture. */

const WIDTH = 900;

const STYLE = `
  body { margin: 0; width: ${WIDTH}px; background: #fff; color: #14171f; font: 13px/18px "Liberation Sans", Arial, sans-serif; }
  .grid { display: grid; gap: 4px 6px; padding: 8px; justify-content: center; }
  .name { align-self: center; text-align: center; font-weight: 600; padding: 2px 0; }
  .row { writing-mode: sideways-lr; }
  img { display: block; border-radius: 4px; }
  figure { position: relative; margin: 0; }
  figcaption { position: absolute; right: 6px; bottom: 5px; padding: 0 6px; border-radius: 9px; background: #ffffffd9; font-size: 12px; font-variant-numeric: tabular-nums; }`;

const cell = ({ src, note }, width, height) =>
  `<figure><img width="${width}" height="${height}" src="${src}" alt="">${note && `<figcaption>${note}</figcaption>`}</figure>`;

export async function sheet(page, { rows, columns, size: [width, height] }, pictures) {
  const hasNames = rows.some(({ name }) => name);
  const cells = rows.flatMap((row, r) => [
    ...(hasNames ? [`<div class="name row">${row.name}</div>`] : []),
    ...columns.map((_, c) => cell(pictures[r][c], width, height)),
  ]);
  const heads = [...(hasNames ? ['<div></div>'] : []), ...columns.map(({ name }) => `<div class="name">${name}</div>`)];
  const widths = `${hasNames ? '20px ' : ''}${columns.map(() => `${width}px`).join(' ')}`;
  await page.setContent(
    `<style>${STYLE}</style><div class="grid" style="grid-template-columns: ${widths}">${[...heads, ...cells].join('')}</div>`,
  );
  await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
  const box = await page.locator('.grid').boundingBox();
  return page.screenshot({ type: 'jpeg', quality: 84, clip: { x: 0, y: 0, width: WIDTH, height: Math.ceil(box.height) } });
}
