/**
 * The paper's card: 50 × 50 vertices, 4,802 triangles, 2 × 1 large, flat or folded across its
 * middle.
 */

const SIDE = 50;

/** The two points it is held by, in the middle of its short edges. */
export const CARD_HANDLES = { left: [-1, 0, 0.5], right: [1, 0, 0.5] };

/** Where the right half goes when the card is folded by so many degrees. */
function folded(x, degrees) {
  const angle = (degrees * Math.PI) / 180;
  return x > 0 ? [x * Math.cos(angle), x * Math.sin(angle)] : [x, 0];
}

/** A step that takes the right handle to where the fold has it. */
export function pulled(degrees) {
  const [x, y] = folded(1, degrees);
  return { right: [x - 1, y, 0] };
}

/** The text of an OBJ. */
export function card(degrees = 0) {
  const steps = Array.from({ length: SIDE }, (_, i) => i / (SIDE - 1));
  const corners = steps.flatMap((z) => steps.map((x) => `v ${folded(2 * x - 1, degrees).join(' ')} ${z}`));
  const cells = Array.from({ length: SIDE - 1 }, (_, i) => i);
  const faces = cells.flatMap((row) =>
    cells.flatMap((column) => {
      const a = row * SIDE + column + 1;
      return [`f ${a} ${a + SIDE} ${a + 1}`, `f ${a + 1} ${a + SIDE} ${a + SIDE + 1}`];
    }),
  );
  return `${[...corners, ...faces].join('\n')}\n`;
}
