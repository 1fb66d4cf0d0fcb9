/**
 * Example fitting in Chromium, in the worker of the element: the card of the paper, and 5,000 vertices
 * with ten handles and ten poses (docs/budgets.md#example-fitting-and-handles).
 */
import { barePage, launch, serve } from '../../tests/browser/support.mjs';
import { against, count, print, s } from './table.mjs';

/** After so many seconds there must be something to use. */
const SOON_S = 10;

/** A sheet of columns × rows vertices; `bent` gives where one of them is in a pose. */
const CASES = [
  {
    name: 'card, folded',
    budget: 2,
    size: [50, 50],
    place: ([u, v]) => [2 * u - 1, 0, v],
    handles: [[-1, 0, 0.5], [1, 0, 0.5]],
    poses: [([x, y, z]) => (x > 0 ? [0, x, z] : [x, y, z])],
  },
  {
    name: 'tube, waving',
    budget: 60,
    size: [50, 100],
    place: ([u, v]) => [0.3 * Math.cos(2 * Math.PI * u), 6 * v, 0.3 * Math.sin(2 * Math.PI * u)],
    handles: Array.from({ length: 10 }, (_, i) => [0.3, (6 * (i + 0.5)) / 10, 0]),
    poses: Array.from({ length: 10 }, (_, k) => ([x, y, z]) => [x + 0.4 * Math.sin(y + k), y, z + 0.02 * k * y]),
  },
];

/** Of a case: the sheet as an OBJ, and the poses as numbers. */
function made({ size: [columns, rows], place, poses }) {
  const at = Array.from({ length: columns * rows }, (_, i) =>
    place([(i % columns) / (columns - 1), Math.floor(i / columns) / (rows - 1)]),
  );
  const faces = [];
  for (let row = 0; row + 1 < rows; row++) {
    for (let column = 0; column + 1 < columns; column++) {
      const a = row * columns + column + 1;
      faces.push(`f ${a} ${a + 1} ${a + columns + 1}`, `f ${a} ${a + columns + 1} ${a + columns}`);
    }
  }
  const obj = (places) => [...places.map((p) => `v ${p.join(' ')}`), ...faces].join('\n');
  return { rest: obj(at), poses: poses.map((bent) => obj(at.map(bent))) };
}

const site = await serve();
const browser = await launch();
const { page } = await barePage(browser, site);

/** Learns, and tells when it was how far. */
const learn = (files, handles) =>
  page.evaluate(
    async ([{ rest, poses }, handles]) => {
      const viewer = document.createElement('pliant-viewer');
      document.body.append(viewer);
      try {
        const { recipe } = viewer;
        viewer.recipe = { ...recipe, method: 'bbw', handles: handles.map((at, i) => ({ name: `handle ${i}`, at })) };
        await viewer.load({ kind: 'files', files: [new File([rest], 'rest.obj')] });
        const heard = [];
        let start = 0;
        viewer.addEventListener('fit-progress', ({ detail }) => heard.push([performance.now() - start, detail.iteration]));
        await viewer.addExamples({ kind: 'files', files: poses.map((pose, i) => new File([pose], `${i}.obj`)) });
        const done = new Promise((done) => {
          viewer.addEventListener('rig-complete', () => viewer.report.exampleFit?.isOver && done());
        });
        start = performance.now();
        viewer.recipe = { ...viewer.recipe, method: 'examples' };
        await done;
        const { rms, iterations, converged, energy } = viewer.report.exampleFit;
        return { seconds: (performance.now() - start) / 1e3, rms, iterations, converged, heard, energy: energy.map((e) => e.total) };
      } finally {
        viewer.remove();
      }
    },
    [files, handles],
  );

const rows = [];
for (const { name, budget, size, handles, poses, ...shape } of CASES) {
  const { seconds, rms, iterations, converged, heard, energy } = await learn(made({ size, poses, ...shape }), handles);
  const soon = heard.filter(([ms]) => ms <= SOON_S * 1e3).at(-1)?.[1] ?? 0;
  const share = (energy[0] - energy[Math.min(soon, energy.length - 1)]) / (energy[0] - energy.at(-1));
  rows.push([
    name,
    count(size[0] * size[1]),
    handles.length,
    poses.length,
    s(seconds),
    against(seconds, budget),
    `${iterations} iterations, ${converged ? 'at rest' : 'not at rest'}`,
    `rms ${rms.map((x) => x.toExponential(1)).join(' → ')}`,
    `${(100 * share).toFixed(0)} % of the way after ${SOON_S} s`,
  ]);
}
print(
  'Example fitting',
  ['what', 'vertices', 'handles', 'examples', 'all', 'budget', 'how far', 'examples missed by', 'best so far'],
  rows,
);
await browser.close();
site.close();
