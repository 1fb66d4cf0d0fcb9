/** Rotations of joints and their positions at rest. Every change can be undone. */
import type { JointAngles, Point } from '../element/api.ts';
import { type Angles, isSameRotation, simplest } from './angles.ts';
import type { History } from './history.ts';
import type { SkeletonSettings } from './skeleton.ts';
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
    viewer.rotateJoint(joint, angles);
    this.#entered = { ...this.#entered, [joint]: angles };
    this.#pushRotation({ ...before, pose }, joint);
    if (settled) this.#history.seal();
  }

  /** The rest pose, with all handles where they were placed. */
  reset(): void {
    const viewer = this.#viewer;
    if (!viewer.paused) viewer.pause();
    const before = this.#snapshot();
    if (isEmpty(before.pose) && isEmpty(before.targets) && isEmpty(before.offsets)) return;
    viewer.resetPose();
    this.#push(before, 'pose reset', (to) => this.#setPose(to));
  }

  /** The clip alone, without rotations on top of it. */
  clearOffsets(): void {
    const before = this.#snapshot();
    if (isEmpty(before.offsets)) return;
    this.#viewer.clearPoseOffsets();
    this.#push(before, 'pose offsets cleared', (to) => this.#setOffsets(to));
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

  #pushRotation(before: PoseSnapshot, joint: string | null): void {
    const isOffset = !isSame(before.offsets, this.#viewer.poseOffsets);
    const restore = (to: PoseSnapshot): void => (isOffset ? this.#setOffsets(to) : this.#setPose(to));
    this.#push(before, joint === null ? 'pose' : `rotation of ${joint}`, restore, `pose ${joint}`);
  }

  /** Records the change from `before` to the present state. */
  #push(before: PoseSnapshot, label: string, restore: (to: PoseSnapshot) => void, kind?: string): void {
    const after = this.#snapshot();
    this.#history.push({
      label,
      ...(kind ? { kind } : {}),
      undo: () => restore(before),
      redo: () => restore(after),
    });
  }

  /** Sets the rotations on top of the clip, at its current time. */
  #setOffsets({ offsets }: PoseSnapshot): void {
    this.#viewer.pause();
    this.#viewer.poseOffsets = offsets;
  }

  /**
   * Sets a pose at the time of the clip at which it was made. At another time, the joints that were
   * not rotated would be elsewhere.
   */
  #setPose({ pose, offsets, clip, time, targets }: PoseSnapshot): void {
    const viewer = this.#viewer;
    viewer.pause();
    if (viewer.animationName !== clip) viewer.animationName = clip;
    // Also if the time is the same: after a reset, the pose is not that of the clip.
    viewer.currentTime = time;
    if (isEmpty(offsets)) viewer.setPose(pose);
    else viewer.poseOffsets = offsets;
    viewer.handleTargets = targets;
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
      this.#pushRotation(began, viewer.selectedJoint);
      this.#history.seal();
    });
  }
}

export class JointPositions {
  readonly #viewer: Viewer;
  readonly #history: History;
  readonly #skeleton: SkeletonSettings;

  constructor(viewer: Viewer, history: History, skeleton: SkeletonSettings) {
    this.#viewer = viewer;
    this.#history = history;
    this.#skeleton = skeleton;
    let before: Points | null = null;
    listen(viewer, 'gesture-start', () => {
      before = viewer.tool === 'place-joints' && !viewer.skeletonFit ? viewer.jointPositions : null;
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
    if (this.#viewer.skeletonFit) {
      this.#skeleton.moveJoint(joint, to);
      return;
    }
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
