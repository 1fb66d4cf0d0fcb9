/** The worker: answers one request at a time and transfers the buffers of answers. */
/// <reference lib="webworker" />
import init, { type InitOutput, lastPanic, type NamedFileBytes, Solver } from '../../pkg/solver/solver.js';
import type { PliantError, PosesAnswer, RigAnswer } from '../wasm.ts';
import { withDecoded } from './decoders.ts';
import { compressed } from './encoder.ts';
import { fitSkeleton, fitterMemory, forgetMesh, previewSkeleton } from './fitter.ts';
import { libraryClip, libraryNames, motionsMemory, rememberSkeleton, retargeted } from './motions.ts';
import {
  type Ask,
  type BakeAsk,
  type FromWorker,
  type NamedFile,
  type PoseSource,
  type ToWorker,
  transferables,
} from './protocol.ts';

type AskFor<K extends Ask['kind']> = Extract<Ask, { kind: K }>;

declare const self: DedicatedWorkerGlobalScope;

let instance: Promise<InitOutput> | undefined;
let solver: Solver | undefined;
let baker: typeof import('./baker.ts') | undefined;
// Reading a file is asynchronous; the next request must not overtake it.
let last: Promise<void> = Promise.resolve();
/** Requests for which example fitting shall end. */
const stopped = new Set<number>();

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'start') {
    instance = init({ module_or_path: data.module });
    // A failure is reported with the first request.
    instance.catch(() => undefined);
  } else if (data.kind === 'stop') {
    stopped.add(data.id);
  } else {
    const { id, ask } = data;
    last = last.then(() => respond(id, ask));
  }
};

tell({ kind: 'ready' });

async function respond(id: number, ask: Ask): Promise<void> {
  try {
    const value = await answer(id, ask);
    tell({ kind: 'answer', id, value } as FromWorker, [...transferables(value)]);
  } catch (thrown) {
    tell({ kind: 'failure', id, ...described(thrown) });
  } finally {
    stopped.delete(id);
  }
}

async function answer(id: number, ask: Ask): Promise<unknown> {
  if (!instance) throw new Error('a request came before the start');
  const { memory } = await instance;
  solver ??= new Solver();
  switch (ask.kind) {
    case 'load':
      forgetMesh();
      return rememberSkeleton(solver.load(await read(ask.files)));
    case 'skeleton':
      return rememberSkeleton(solver.setSkeleton(await read(ask.files)));
    case 'template':
      return rememberSkeleton(solver.useTemplate(await read(ask.files)));
    case 'fit-skeleton':
      return rememberSkeleton(await fitSkeleton(solver, ask));
    case 'preview-skeleton':
      return previewSkeleton(solver, ask);
    case 'fitted-skeleton':
      return rememberSkeleton(solver.setFittedSkeleton(JSON.stringify(ask.fitted)));
    case 'joints':
      return rememberSkeleton(solver.setJointPositions(ask.positions));
    case 'poses':
      return poses(solver, ask.from);
    case 'examples':
      return solver.setExamples(ask.poses);
    case 'fit':
      return solver.fit(ask.example, ask.isFinal);
    case 'rig':
      return rig(solver, id, ask);
    case 'clear-view':
      return solver.clearView(ask.view);
    case 'export': {
      const glb = await exportGlb(solver, ask.bake);
      return ask.compress ? compressed(glb) : glb;
    }
    case 'motion-library':
      return libraryNames(solver);
    case 'library-clip':
      return libraryClip(solver, ask.name);
    case 'retarget':
      return retargeted(solver, await read(ask.files), ask.inPlace);
    case 'clips':
      return solver.setClips([...ask.names], ask.numbers);
    case 'intersecting-vertices':
      return solver.intersectingVertices(ask.positions);
    case 'memory':
      return (
        memory.buffer.byteLength + fitterMemory() + motionsMemory() + ((await baker?.bakerMemory()) ?? 0)
      );
  }
}

/**
 * Computes weights. Example fitting runs in slices: after each, the current weights are sent, and
 * messages are handled, among them a request to stop.
 */
async function rig(solver: Solver, id: number, { view, recipe, known }: AskFor<'rig'>): Promise<RigAnswer> {
  for (let token = known; ; ) {
    const answer = solver.rig(
      view,
      recipe,
      token,
      (share, stage) => tell({ kind: 'progress', id, share, stage }),
      (energy) => tell({ kind: 'iteration', id, energy }),
    );
    if (solver.isFitting(view) && stopped.has(id)) solver.endFitting(view);
    if (!solver.isFitting(view)) return answer;
    token = answer.rig.token;
    tell({ kind: 'partial-result', id, value: answer }, [...transferables(answer)]);
    await new Promise((heard) => setTimeout(heard));
  }
}

/** Writes the GLB. The viewer module is started here only if morph targets are asked for. */
async function exportGlb(solver: Solver, asked: BakeAsk | undefined): Promise<Uint8Array> {
  if (!asked) return solver.exportGlb([]);
  const inputs = solver.bakeInputs();
  baker ??= await loadedBaker();
  return solver.exportGlb(await baker.bake(inputs, asked));
}

function loadedBaker(): Promise<typeof import('./baker.ts')> {
  return import('./baker.ts').catch((thrown) => {
    const message = `The code that bakes cannot be fetched: ${thrown}`;
    throw { code: 'fetch', message, hint: 'Check the connection and try again' } satisfies PliantError;
  });
}

async function poses(solver: Solver, from: PoseSource): Promise<PosesAnswer> {
  switch (from.kind) {
    case 'files':
      return solver.readPoses(await read(from.files), from.frames);
    case 'morph-targets':
      return solver.morphPoses();
    case 'clip':
      return solver.clipPoses(from.name, from.frames);
  }
}

async function read(files: readonly NamedFile[]): Promise<NamedFileBytes[]> {
  const whole = files.map(async ({ name, file }) => ({ name, bytes: await bytesOf(file) }));
  return withDecoded(await Promise.all(whole));
}

async function bytesOf(file: Blob): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await file.arrayBuffer());
}

function tell(message: FromWorker, transfer: Transferable[] = []): void {
  self.postMessage(message, transfer);
}

function described(thrown: unknown): { error: PliantError; isFatal: boolean } {
  if (isPliantError(thrown)) return { error: thrown, isFatal: false };
  if (thrown instanceof DOMException) {
    const hint = 'Choose it again';
    return {
      error: { code: 'unreadable', message: `The file cannot be read: ${thrown.message}`, hint },
      isFatal: false,
    };
  }
  // Anything else is a bug. After a panic the instance must not be used again.
  const said = instance && solver ? lastPanic() : '';
  const message = said || (thrown instanceof Error ? thrown.message : String(thrown));
  const hint = 'This is a bug in Pliant; the solver was restarted';
  return { error: { code: 'internal', message, hint }, isFatal: true };
}

function isPliantError(thrown: unknown): thrown is PliantError {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown && 'hint' in thrown;
}
