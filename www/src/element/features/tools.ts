/** The active tool: what a pointer in the picture does. Exactly one tool is active. */

import { OPTIONS } from '../../options.ts';
import type { Brush, Viewer, ViewerEvent } from '../../wasm.ts';
import type { ToolName, ViewerState } from '../api.ts';
import type { ViewerContext } from '../context.ts';
import type { CharacterOptions, Feature } from '../feature.ts';
import { Playback } from './playback.ts';
import { Skeleton } from './skeleton.ts';

export class Tools implements Feature {
  static readonly members = [
    'tool',
    'placingJoints',
    'placingHandles',
    'mirrorJoints',
    'volumeBrush',
  ] as const;

  readonly #context: ViewerContext;
  #tool: ToolName = 'rotate';
  #brush: Brush = { ...OPTIONS.brush };
  #mirrorsJoints = true;

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  partialState(): Pick<ViewerState, 'tool' | 'brush' | 'mirrorJoints'> {
    return { tool: this.#tool, brush: { ...this.#brush }, mirrorJoints: this.#mirrorsJoints };
  }

  get tool(): ToolName {
    return this.#tool;
  }

  set tool(tool: ToolName) {
    if (tool === this.#tool) return;
    // These change the rest pose or the handles, which a running clip would hide.
    if (tool === 'place-joints' || tool === 'handles') this.#context.get(Playback).pause();
    this.#setTool(tool);
    this.#context.viewerChanged();
  }

  #setTool(tool: ToolName): void {
    const before = this.#tool;
    this.#tool = this.#send(this.#context.viewer, tool);
    if (this.#tool === before) return;
    this.#context.changed('tool');
    this.#context.emit('tool-change', { tool: this.#tool });
    this.#context.settingsChanged();
  }

  /** Activates a tool in the viewer. Returns the one that is active then. */
  #send(viewer: Viewer | undefined, tool: ToolName): ToolName {
    // Joints can be placed only if there are some.
    const withoutViewer = tool === 'place-joints' ? 'rotate' : tool;
    const tails = this.#context.get(Skeleton).skeletonFit !== null;
    const options = { mirror: this.#mirrorsJoints, tails, brush: this.#brush };
    return viewer?.setTool(tool, options) ?? withoutViewer;
  }

  viewerOpened(viewer: Viewer): void {
    this.#send(viewer, this.#tool);
  }

  /** Placing joints ends with another character. Other tools stay active. */
  characterChanged(_: unknown, { isSameMesh }: CharacterOptions): void {
    this.#setTool(this.placingJoints && !isSameMesh ? 'rotate' : this.#tool);
  }

  viewerEvent({ kind }: ViewerEvent): void {
    if (kind === 'gesture-start' || kind === 'gesture-end') this.#context.emit(kind, {});
  }

  /** Something that the user did at once and may want to undo. */
  gesture(act: () => void): void {
    this.#context.emit('gesture-start', {});
    act();
    this.#context.emit('gesture-end', {});
  }

  // Properties that choose a tool.

  get placingJoints(): boolean {
    return this.#tool === 'place-joints';
  }

  set placingJoints(isOn: boolean) {
    this.#toggle('place-joints', isOn);
  }

  get placingHandles(): boolean {
    return this.#tool === 'handles';
  }

  set placingHandles(isOn: boolean) {
    this.#toggle('handles', isOn);
  }

  get volumeBrush(): Brush | null {
    return this.#tool === 'paint' ? { ...this.#brush } : null;
  }

  set volumeBrush(brush: Brush | null) {
    if (brush) {
      this.#brush = { ...brush };
      this.#context.changed('brush');
      if (this.#tool === 'paint') this.#send(this.#context.viewer, 'paint');
    }
    this.#toggle('paint', brush !== null);
    this.#context.viewerChanged();
  }

  #toggle(tool: ToolName, isOn: boolean): void {
    if (isOn) this.tool = tool;
    else if (this.#tool === tool) this.tool = 'rotate';
  }

  get mirrorJoints(): boolean {
    return this.#mirrorsJoints;
  }

  set mirrorJoints(isOn: boolean) {
    this.#mirrorsJoints = isOn;
    this.#context.changed('mirrorJoints');
    if (this.placingJoints) this.#send(this.#context.viewer, 'place-joints');
  }
}
