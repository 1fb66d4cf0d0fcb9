/**
 * The tool manager. The element has exactly one active tool: rotating joints, placing joints,
 * handles, or painting the correction map. This class says which tools can be used, and sets up the
 * picture for the active one, whoever has chosen it.
 */
import type { ToolName } from '../element/api.ts';
import type { Brush, Show } from '../wasm.ts';
import type { ExampleSettings } from './examples.ts';
import type { StateStore, StudioState } from './state.ts';
import { listen, type Viewer } from './viewer.ts';

/** What entering and leaving a tool changes besides the tool itself. */
interface ToolHooks {
  enter?(): void;
  leave?(): void;
}

export class Tools {
  readonly #viewer: Viewer;
  readonly #hooks: Record<ToolName, ToolHooks>;
  /** Whose `enter` ran last. */
  #entered: ToolName = 'rotate';

  constructor(viewer: Viewer, state: StateStore, examples: ExampleSettings) {
    this.#viewer = viewer;
    this.#hooks = {
      rotate: {},
      'place-joints': this.#placing(),
      handles: { enter: () => examples.hideFit() },
      paint: this.#painting(),
    };
    listen(viewer, 'load', () => this.use('rotate'));
    state.follow(['tool', 'postSkinning'], ({ tool, postSkinning }) => {
      // There is nothing to paint without a correction.
      if (tool === 'paint' && postSkinning.volume === 'off') this.use('rotate');
      else this.#changeTo(tool);
    });
  }

  get active(): ToolName {
    return this.#viewer.tool;
  }

  use(tool: ToolName): void {
    const { model, volume } = this.#viewer;
    if (!isAvailable(tool, { model, volume })) return;
    this.#changeTo(tool);
    this.#viewer.tool = tool;
  }

  /** Chooses a tool, or goes back to rotating joints if it is the active one. */
  toggle(tool: ToolName): void {
    this.use(this.active === tool ? 'rotate' : tool);
  }

  setBrush(change: Partial<Brush>): void {
    const viewer = this.#viewer;
    if (viewer.volumeBrush) viewer.volumeBrush = { ...viewer.volumeBrush, ...change };
  }

  #changeTo(tool: ToolName): void {
    if (tool === this.#entered) return;
    this.#hooks[this.#entered].leave?.();
    this.#entered = tool;
    this.#hooks[tool].enter?.();
  }

  #pause(): void {
    if (!this.#viewer.paused) this.#viewer.pause();
  }

  /** A fitted skeleton that moved before shows at the end how it moves now. */
  #placing(): ToolHooks {
    const viewer = this.#viewer;
    let wasPlaying = false;
    return {
      enter: () => {
        wasPlaying = !viewer.paused;
        this.#pause();
      },
      leave: () => {
        if (wasPlaying && viewer.skeletonFit) viewer.play();
      },
    };
  }

  /** While painting, the map is shown and the bones are hidden; afterwards both are as before. */
  #painting(): ToolHooks {
    const viewer = this.#viewer;
    let before: { readonly show: Show; readonly bones: 'shown' | 'hidden' } | null = null;
    return {
      enter: () => {
        this.#pause();
        before = { show: viewer.show, bones: viewer.bones };
        viewer.show = 'gamma';
        viewer.bones = 'hidden';
      },
      leave: () => {
        if (!before) return;
        viewer.show = before.show;
        viewer.bones = before.bones;
        before = null;
      },
    };
  }
}

/** Whether a tool can be used with what is on screen. */
export function isAvailable(
  tool: ToolName,
  { model, volume }: { model: StudioState['model']; volume: StudioState['postSkinning']['volume'] },
): boolean {
  if (tool === 'rotate') return true;
  if (tool === 'place-joints') return Boolean(model?.joints.length);
  return model !== null && (tool === 'handles' || volume !== 'off');
}
