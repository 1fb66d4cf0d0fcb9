/** The rigged character as a GLB file. */
import { compiledViewer } from '../../wasm.ts';
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
      const settings = bake && postSkinning.bakeOf(bake);
      const painted = postSkinning.volumeMap;
      const asked = settings && { settings, painted, viewer: await compiledViewer() };
      const bytes = await solver.ask({ kind: 'export', bake: asked, compress }, { signal });
      return new Blob([bytes], { type: 'model/gltf-binary' });
    });
  }
}
