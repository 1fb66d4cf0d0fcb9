/** The camera: where it is, framing the character, and screenshots. */
import { PliantFailure } from '../../solver/failure.ts';
import type { CameraPlace } from '../../wasm.ts';
import type { ViewerContext } from '../context.ts';
import { screenshot } from '../screenshot.ts';

export class Camera {
  static readonly members = ['camera', 'frame', 'toBlob'] as const;

  readonly #context: ViewerContext;

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  get camera(): CameraPlace | null {
    return this.#context.viewer?.camera() ?? null;
  }

  set camera(place: CameraPlace | null) {
    if (place && this.#context.viewer?.setCamera({ ...place })) this.#context.viewerChanged();
  }

  frame(): void {
    this.#context.viewer?.key('frame-all');
    this.#context.viewerChanged();
  }

  async toBlob(type = 'image/png'): Promise<Blob> {
    const { viewer, canvas } = this.#context;
    if (!viewer)
      throw new PliantFailure({ code: 'nothing_loaded', message: 'Nothing is shown yet', hint: '' });
    return screenshot(viewer, canvas.width, canvas.height, type);
  }
}
