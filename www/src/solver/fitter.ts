/**
 * Fits skeletons to the mesh of the solver. The fitter is a module of its own, fetched when the
 * first mesh needs a skeleton. Its instance is kept with the mesh, so that another fit of the same
 * mesh takes milliseconds.
 */
import type { Fitter } from '../../pkg/fitter/fitter.js';
import type { FitInput, Solver } from '../../pkg/solver/solver.js';
import type { FitOptions, FittedSkeleton, PliantError } from '../wasm.ts';
import { LazyModule } from './lazy_module.ts';
import type { Ask, FitSkeletonAnswer, SkeletonFit } from './protocol.ts';
import { edited, withHeads } from './skeleton_edits.ts';

type Markers = NonNullable<FitOptions['markers']>;
type Glue = typeof import('../../pkg/fitter/fitter.js');

const module = new LazyModule<Glue>(
  'skeleton fitter',
  () => import('../../pkg/fitter/fitter.js'),
  () => import('../../pkg/fitter/fitter_bg.wasm?url'),
);

/** The fitter of the current mesh. */
let current: { readonly fitter: Fitter; readonly promised: FitInput['promised'] } | undefined;

/** Memory of the fitter's instance, in bytes. */
export function fitterMemory(): number {
  return module.bytes;
}

/** Another mesh comes. */
export function forgetMesh(): void {
  current?.fitter.free();
  current = undefined;
}

/** Fits a skeleton, edits it, and binds the mesh to it. */
export async function fitSkeleton(
  solver: Solver,
  ask: Extract<Ask, { kind: 'fit-skeleton' }>,
): Promise<FitSkeletonAnswer> {
  const fit = await previewSkeleton(solver, ask);
  return { ...solver.setFittedSkeleton(JSON.stringify(fit)), fit };
}

/** Fits a skeleton and edits it. */
export async function previewSkeleton(
  solver: Solver,
  { options, edits }: Pick<Extract<Ask, { kind: 'fit-skeleton' }>, 'options' | 'edits'>,
): Promise<SkeletonFit> {
  const start = performance.now();
  const result = await module.use((glue) => attempt(() => fitted(glue, solver, options, edits)));
  if ('error' in result) {
    // The module failed. Its memory is gone, and the fitter with it.
    current = undefined;
    const hint = 'Use a template, a skeleton file, or handles';
    throw { code: 'fit', message: `No skeleton can be fitted: ${result.error}`, hint } satisfies PliantError;
  }
  if ('refused' in result) throw result.refused;
  return { ...result.value, seconds: (performance.now() - start) / 1000 };
}

function fitted(
  { Fitter }: Glue,
  solver: Solver,
  options: FitOptions,
  edits: Parameters<typeof edited>[1],
): Omit<SkeletonFit, 'seconds'> {
  if (!current) {
    const { positions, triangles, promised } = solver.fitInput();
    current = { fitter: new Fitter(positions, triangles), promised };
  }
  const { fitter, promised } = current;
  const given = promised ? { promised, ...options } : options;
  const { fitted, refused } = withKnownMarkers(fitter, given);
  const skeleton = withHeads(edited(fitted, edits), refused);
  const uncertainBelow = Fitter.uncertain();
  const uncertain = skeleton.bones.filter(({ confidence }) => confidence < uncertainBelow);
  const heads = Float32Array.from(skeleton.bones.flatMap(({ head }) => head));
  const outside = [...fitter.outside(heads)].flatMap((index) => skeleton.bones[index]?.label ?? []);
  return { ...skeleton, uncertainBelow, uncertain: uncertain.map(({ label }) => label), outside };
}

/**
 * Fits with the markers that the body plan knows. Markers of other joints are returned: these
 * joints are moved after the fit.
 */
function withKnownMarkers(fitter: Fitter, options: FitOptions): { fitted: FittedSkeleton; refused: Markers } {
  const markers = { ...options.markers };
  const refused: Markers = {};
  for (;;) {
    try {
      return { fitted: fitter.fit({ ...options, markers }), refused };
    } catch (thrown) {
      const label = (thrown as { marker?: string } | null)?.marker;
      const point = label === undefined ? undefined : markers[label];
      if (label === undefined || !point) throw thrown;
      delete markers[label];
      refused[label] = point;
    }
  }
}

/** The value of `work`, or the error that it throws as an object. */
function attempt<T>(work: () => T): { value: T } | { refused: PliantError } {
  try {
    return { value: work() };
  } catch (thrown) {
    if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) throw thrown;
    return { refused: thrown as PliantError };
  }
}
