/** Euler angles about X, then Y, then Z, in degrees. Several triples describe the same rotation. */

export type Angles = readonly [number, number, number];

type Quaternion = readonly [number, number, number, number];

/** Quaternions with a larger dot product are the same rotation: about a hundredth of a degree. */
const SAME = 1 - 1e-8;

/** Whether two triples describe the same rotation. */
export function isSameRotation(a: Angles, b: Angles): boolean {
  const [p, q] = [quaternion(a), quaternion(b)];
  return Math.abs(p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]) >= SAME;
}

/** The equal triple with the smallest numbers: −180, 80, −180 is 100 about one axis. */
export function simplest([x, y, z]: Angles): Angles {
  const other: Angles = [within(x + 180), within(180 - y), within(z + 180)];
  const sum = (angles: Angles): number => angles.reduce((total, each) => total + Math.abs(each), 0);
  return sum(other) < sum([x, y, z]) ? other : [x, y, z];
}

/** Wraps an angle to −180 … 180. */
function within(degrees: number): number {
  return degrees - 360 * Math.round(degrees / 360);
}

function quaternion(angles: Angles): Quaternion {
  const [x, y, z] = angles.map((degrees) => (degrees * Math.PI) / 360) as [number, number, number];
  const about = (axis: 1 | 2 | 3, half: number): Quaternion => {
    const made: [number, number, number, number] = [Math.cos(half), 0, 0, 0];
    made[axis] = Math.sin(half);
    return made;
  };
  return times(times(about(1, x), about(2, y)), about(3, z));
}

function times([a, b, c, d]: Quaternion, [e, f, g, h]: Quaternion): Quaternion {
  return [
    a * e - b * f - c * g - d * h,
    a * f + b * e + c * h - d * g,
    a * g - b * h + c * e + d * f,
    a * h + b * g - c * f + d * e,
  ];
}
