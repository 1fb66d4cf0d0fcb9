/** The rigged character as a GLB file. */
import type { ExportOptions } from '../api.ts';
import type { ViewerContext } from '../context.ts';
import { PostSkinning } from './post_skinning.ts';

export class Export {
  static readonly members = ['exportGLB'] as const;

  readonly #context: ViewerContext;

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  exportGLB({ bake, compress = false }: ExportOptions = {}): Promise<Blob> {
    const { tasks, solver } = this.#context;
    const postSkinning = this.#context.get(PostSkinning);
    return tasks.run(async ({ signal }) => {
      const ask = {
        kind: 'export',
        bake: bake && postSkinning.bakeOf(bake),
        painted: postSkinning.volumeMap,
        compress,
      } as const;
      const bytes = await solver.ask(ask, { signal });
      return new Blob([bytes], { type: 'model/gltf-binary' });
    });
  }
}
