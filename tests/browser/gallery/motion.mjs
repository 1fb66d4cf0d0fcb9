/** How evenly flesh moves: a slow bend and back, measured frame by frame, as a plot. */
import { shot } from './shot.mjs';

const FRAMES = 300;

/** Second differences are drawn so many times as large as ways. */
const LARGER = 1000;

/** A plot of what `setting` describes, from rest to its pose and back, as a data address, and what there is to say below it. */
export async function plotted(page, setting, size) {
  await shot(page, setting, size);
  const { ways, jolts } = await page.evaluate(measure, { pose: setting.pose, frames: FRAMES });
  const [way, jolt] = [ways, jolts].map((values) => Math.max(...values));
  return { src: drawing(ways, jolts, size), note: `${percent(way)}, jolts ${percent(jolt)}` };
}

/** Runs in the page. Per frame, in shares of the size: how far the correction moves any vertex, and the largest second difference of that. */
async function measure({ pose, frames }) {
  const element = document.querySelector('pliant-viewer');
  const { viewer } = element[Symbol.for('pliant.inside')];
  const size = Math.hypot(...element.model.size);
  const motion = () =>
    Array.from({ length: frames }, (_, frame) => {
      const phase = 0.5 - 0.5 * Math.cos((2 * Math.PI * frame) / frames);
      element.setPose(Object.fromEntries(Object.entries(pose).map(([joint, turn]) => [joint, turn.map((angle) => phase * angle)])));
      return viewer.posedVertices(0);
    });
  const longest = (values) => {
    let most = 0;
    for (let i = 0; i < values.length; i += 3) most = Math.max(most, Math.hypot(values[i], values[i + 1], values[i + 2]));
    return most / size;
  };
  // All of one, then all of the other: a correction is laid out over a few frames.
  const corrected = motion();
  Object.assign(element, { volume: 'off', foldGuard: false });
  const moved = motion().map((skinned, frame) => corrected[frame].map((value, i) => value - skinned[i]));
  const jolts = moved.slice(2).map((next, i) => longest(next.map((value, k) => value - 2 * moved[i + 1][k] + moved[i][k])));
  return { ways: moved.map(longest), jolts };
}

function percent(share) {
  return `${(100 * share).toPrecision(2)} %`;
}

/** Ways in one colour, second differences in another, on one scale. */
function drawing(ways, jolts, [width, height]) {
  const top = 1.1 * Math.max(...ways, ...jolts.map((jolt) => LARGER * jolt));
  const [left, foot] = [12, height - 34];
  const line = (values, colour) => {
    const points = values.map((value, i) => `${(left + ((width - 2 * left) * i) / FRAMES).toFixed(1)},${(foot - ((foot - 30) * value) / top).toFixed(1)}`);
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5"/>`;
  };
  const text = (y, colour, words) => `<text x="${left}" y="${y}" fill="${colour}" font-family="Liberation Sans, Arial" font-size="11">${words}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#f3f4f7"/>
    <path d="M${left} ${foot}H${width - left}" stroke="#b9bdc9"/>
    ${line(ways, '#c8440d')}${line(jolts.map((jolt) => LARGER * jolt), '#2f5fb3')}
    ${text(14, '#c8440d', 'how far flesh goes')}${text(27, '#2f5fb3', `second difference × ${LARGER}`)}</svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
