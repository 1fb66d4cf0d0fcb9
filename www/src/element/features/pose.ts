/** The pose: rotations of joints, by hand or by the clip, and rotations on top of the clip. */
import type { ViewerEvent } from '../../wasm.ts';
import type { Angles, JointAngles, ViewerState } from '../api.ts';
import type { ViewerContext } from '../context.ts';
import type { Feature } from '../feature.ts';
import { Handles } from './handles.ts';
import { Playback } from './playback.ts';
import { Tools } from './tools.ts';

export class Pose implements Feature {
  static readonly members = [
    'pose',
    'setPose',
    'rotateJoint',
    'resetPose',
    'poseOffsets',
    'clearPoseOffsets',
  ] as const;

  readonly #context: ViewerContext;
  /** The pose on screen is that of the clip with the offsets. */
  #isOnClip = false;
  #offsets: JointAngles = {};
  #isDragging = false;

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  partialState(): Pick<ViewerState, 'pose' | 'poseOffsets'> {
    return { pose: this.pose, poseOffsets: this.poseOffsets };
  }

  get pose(): JointAngles {
    return this.#context.viewer?.pose() ?? {};
  }

  /**
   * Sets the whole pose. It leaves the clip, so there is nothing that offsets would be on top of.
   */
  setPose(angles: JointAngles): void {
    this.#beginPosing();
    if (!this.#show(angles)) return;
    this.#isOnClip = false;
    this.#setOffsets({});
    this.emitPose(true);
    this.#context.viewerChanged();
  }

  rotateJoint(joint: string, angles: Angles): void {
    this.#beginPosing();
    const [x, y, z] = angles;
    if (!this.#context.viewer?.rotateJoint(joint, [x, y, z])) return;
    this.#keepOffsets();
    this.emitPose(true);
    this.#context.viewerChanged();
  }

  #beginPosing(): void {
    this.#context.get(Playback).pause();
    const tools = this.#context.get(Tools);
    if (tools.placingJoints) tools.tool = 'rotate';
  }

  #show(angles: JointAngles): boolean {
    const plain = Object.entries(angles).map(([joint, [x, y, z]]) => [joint, [x, y, z] as const]);
    return this.#context.viewer?.setPose(Object.fromEntries(plain)) ?? false;
  }

  /** Joints to the rest pose, and no targets of handles. */
  resetPose(): void {
    this.#context.get(Handles).resetHandles();
    this.setPose({});
  }

  // Rotations on top of the clip.

  get poseOffsets(): JointAngles {
    return { ...this.#offsets };
  }

  set poseOffsets(offsets: JointAngles) {
    this.#setOffsets(offsets);
    if (!this.#isOnClip) return;
    this.emitPose(true);
    this.#context.viewerChanged();
  }

  clearPoseOffsets(): void {
    this.poseOffsets = {};
  }

  #setOffsets(offsets: JointAngles): void {
    const names = [...Object.keys(offsets), ...Object.keys(this.#offsets)];
    if (names.length === 0) return;
    const plain = Object.entries(offsets).map(([joint, [x, y, z]]) => [joint, [x, y, z] as const] as const);
    this.#context.viewer?.setPoseOffsets(Object.fromEntries(plain));
    this.#noteOffsets(Object.fromEntries(plain));
  }

  #noteOffsets(offsets: JointAngles): void {
    this.#offsets = offsets;
    this.#context.changed('poseOffsets');
    this.#context.emit('pose-offset-change', { offsets: this.poseOffsets });
  }

  /**
   * Reads the offsets of the viewer: a rotation on top of a clip is one of them.
   */
  #keepOffsets(): void {
    const offsets = this.#context.viewer?.poseOffsets() ?? {};
    if (JSON.stringify(offsets) !== JSON.stringify(this.#offsets)) this.#noteOffsets(offsets);
  }

  /** Shows the pose of a clip at a time in seconds, with the offsets. */
  showClip(clip: string, seconds: number): void {
    this.#isOnClip = this.#context.viewer?.setClipTime(clip, seconds) ?? false;
  }

  characterChanged(): void {
    this.#isDragging = false;
    this.#isOnClip = false;
    this.#setOffsets({});
    this.#context.changed('pose');
  }

  viewerEvent(event: ViewerEvent): void {
    if (event.kind === 'gesture-start') {
      this.#context.get(Playback).pause();
      this.#isDragging = true;
    } else if (event.kind === 'pose') {
      this.emitPose(!this.#isDragging);
    } else if (event.kind === 'gesture-end') {
      this.#isDragging = false;
      if (this.#context.get(Tools).placingJoints) return;
      if (!event.cancelled) this.#keepOffsets();
      this.emitPose(true);
    }
  }

  keyPressed({ key }: KeyboardEvent): boolean {
    if (key !== 'r' && key !== 'R') return false;
    const tools = this.#context.get(Tools);
    if (tools.placingJoints || !this.#context.viewer) return false;
    tools.gesture(() => this.resetPose());
    return true;
  }

  emitPose(isFinal: boolean): void {
    this.#context.changed('pose', 'handlePositions');
    this.#context.emit('pose-change', { pose: this.pose, final: isFinal });
  }
}
