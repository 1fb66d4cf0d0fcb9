/** Rotations of joints and their positions at rest. Every change can be undone. */
import type { JointAngles, Point } from '../element/api.ts';
import { type Angles, isSameRotation, simplest } from './angles.ts';
import type { History } from './history.ts';
import { listen, type Viewer } from './viewer.ts';

type Points = Readonly<Record<string, Point>>;

/** What a step in the history brings back. */
interface PoseSnapshot {
  readonly pose: JointAngles;
  /** Rotations on top of the clip. */
  readonly offsets: JointAngles;
  readonly clip: string | null;
  readonly time: number;
  readonly targets: Points;
}

export class PoseSettings {
  readonly #viewer: Viewer;
  readonly #history: History;
  /** Rotations in the numbers that the user entered. The element may report equal ones. */
  #entered: JointAngles = {};

  constructor(viewer: Viewer, history: History) {
    this.#viewer = viewer;
    this.#history = history;
    listen(viewer, 'load', () => {
      this.#entered = {};
    });
    this.#followGestures();
  }

  /** The rotation of a joint, in the numbers that were entered if they still describe it. */
  anglesOf(joint: string): Angles {
    const current = this.#viewer.pose[joint] ?? [0, 0, 0];
    const entered = this.#entered[joint];
    return entered && isSameRotation(entered, current) ? entered : simplest(current);
  }

  /** Rotates one joint; the others stay. `settled` is false while a slider is dragged. */
  rotate(joint: string, angles: Angles, settled: boolean): void {
    const viewer = this.#viewer;
    if (!viewer.paused) viewer.pause();
    const before = this.#snapshot();
    const pose = { ...before.pose, [joint]: this.anglesOf(joint) };
    viewer.setPose({ ...pose, [joint]: angles });
    this.#entered = { ...this.#entered, [joint]: angles };
    this.#push({ ...before, pose }, `rotation of ${joint}`, `pose ${joint}`);
    if (settled) this.#history.seal();
  }

  /** The rest pose, with all handles where they were placed. */
  reset(): void {
    const viewer = this.#viewer;
    if (!viewer.paused) viewer.pause();
    const before = this.#snapshot();
    if (isEmpty(before.pose) && isEmpty(before.targets) && isEmpty(before.offsets)) return;
    viewer.resetPose();
    this.#push(before, 'pose reset');
  }

  /** The clip alone, without rotations on top of it. */
  clearOffsets(): void {
    const before = this.#snapshot();
    if (isEmpty(before.offsets)) return;
    this.#viewer.clearPoseOffsets();
    this.#push(before, 'pose offsets cleared');
  }

  #snapshot(): PoseSnapshot {
    const { pose, poseOffsets, animationName, currentTime, handleTargets } = this.#viewer;
    return {
      pose,
      offsets: poseOffsets,
      clip: animationName,
      time: currentTime,
      targets: handleTargets,
    };
  }

  /** Records the difference between `before` and now. */
  #push(before: PoseSnapshot, label: string, kind?: string): void {
    const after = this.#snapshot();
    const isOffset = !isSame(before.offsets, after.offsets);
    const set = (to: PoseSnapshot): void => this.#restore(to, isOffset);
    this.#history.push({
      label,
      ...(kind ? { kind } : {}),
      undo: () => set(before),
      redo: () => set(after),
    });
  }

  /**
   * Offsets are set under the clip as it is now. A pose is set at the time of the clip at which it was
   * made: at another time, the joints that nobody has rotated would be elsewhere.
   */
  #restore(to: PoseSnapshot, isOffset: boolean): void {
    const viewer = this.#viewer;
    viewer.pause();
    if (isOffset) {
      viewer.poseOffsets = to.offsets;
    } else {
      if (viewer.animationName !== to.clip) viewer.animationName = to.clip;
      if (viewer.currentTime !== to.time) viewer.currentTime = to.time;
      viewer.setPose(to.pose);
    }
    viewer.handleTargets = to.targets;
  }

  /** Rotations by the gizmo happen in the element; the page sees the pose before and after. */
  #followGestures(): void {
    const viewer = this.#viewer;
    let before: PoseSnapshot | null = null;
    listen(viewer, 'gesture-start', () => {
      before = this.#snapshot();
    });
    listen(viewer, 'gesture-end', () => {
      const began = before;
      before = null;
      if (!began || isSame(began.pose, viewer.pose)) return;
      const { selectedJoint } = viewer;
      this.#push(began, selectedJoint ? `rotation of ${selectedJoint}` : 'pose');
    });
  }
}

export class JointPositions {
  readonly #viewer: Viewer;
  readonly #history: History;

  constructor(viewer: Viewer, history: History) {
    this.#viewer = viewer;
    this.#history = history;
    let before: Points | null = null;
    listen(viewer, 'gesture-start', () => {
      before = viewer.tool === 'place-joints' ? viewer.jointPositions : null;
    });
    listen(viewer, 'gesture-end', () => {
      const began = before;
      before = null;
      if (began && !isSame(began, viewer.jointPositions))
        this.#push(began, viewer.jointPositions, 'move of joints');
    });
  }

  /** Moves one joint in rest space, and its mirror image with it if mirroring is on. */
  move(joint: string, to: Point): void {
    const before = this.#viewer.jointPositions;
    const after = this.#viewer.jointPositionsWith(joint, to);
    this.#set(after);
    this.#push(before, after, `move of ${joint}`);
  }

  #push(before: Points, after: Points, label: string): void {
    this.#history.push({ label, undo: () => this.#set(before), redo: () => this.#set(after) });
  }

  #set(positions: Points): void {
    // Failures are reported by the error event of the element.
    this.#viewer.setJointPositions(positions).catch(() => {});
  }
}

function isEmpty(object: object): boolean {
  return Object.keys(object).length === 0;
}

/** Plain objects of numbers are compared by their text. */
function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
