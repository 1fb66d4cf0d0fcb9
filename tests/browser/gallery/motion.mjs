/** Plots how smoothly a correction changes over a slow bend and back. */
import { shot } from './shot.mjs';

const FRAMES = 300;

/** Scale of the second differences against the displacements. */
const SECOND_DIFFERENCE_SCALE = 1000;

/** A plot of `setting` from rest to its pose and back, as a data URL, and the note for its caption. */
export async function plotted(page, setting, size) {
  await shot(page, setting, size);
  const { displacements, seconds } = await page.evaluate(measure, { pose: setting.pose, frames: FRAMES });
  const [displacement, second] = [displacements, seconds].map((values) => Math.max(...values));
  return { src: drawing(displacements, seconds, size), note: `${percent(displacement)}, second difference ${percent(second)}` };
}

/**
 * Runs in the page. Returns per frame the largest displacement of any vertex by the correction, and
 * the largest second difference of displacements, both as shares of the size.
 */
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
  // One whole run after the other, because preparing a correction takes a few frames.
  const corrected = motion();
  Object.assign(element, { volume: 'off', foldGuard: false });
  const moved = motion().map((skinned, frame) => corrected[frame].map((value, i) => value - skinned[i]));
  const seconds = moved.slice(2).map((next, i) => longest(next.map((value, k) => value - 2 * moved[i + 1][k] + moved[i][k])));
  return { displacements: moved.map(longest), seconds };
}

function percent(share) {
  return `${(100 * share).toPrecision(2)} %`;
}

/** Displacements and second differences on one scale. */
function drawing(displacements, seconds, [width, height]) {
  const top = 1.1 * Math.max(...displacements, ...seconds.map((second) => SECOND_DIFFERENCE_SCALE * second));
  const [left, foot] = [12, height - 34];
  const line = (values, colour) => {
    const points = values.map((value, i) => `${(left + ((width - 2 * left) * i) / FRAMES).toFixed(1)},${(foot - ((foot - 30) * value) / top).toFixed(1)}`);
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5"/>`;
  };
  const text = (y, colour, words) => `<text x="${left}" y="${y}" fill="${colour}" font-family="Liberation Sans, Arial" font-size="11">${words}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#f3f4f7"/>
    <path d="M${left} ${foot}H${width - left}" stroke="#b9bdc9"/>
    ${line(displacements, '#c8440d')}${line(seconds.map((second) => SECOND_DIFFERENCE_SCALE * second), '#2f5fb3')}
    ${text(14, '#c8440d', 'displacement')}${text(27, '#2f5fb3', `second difference × ${SECOND_DIFFERENCE_SCALE}`)}</svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
