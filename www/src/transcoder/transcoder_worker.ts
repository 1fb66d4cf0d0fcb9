/** Transcodes KTX2 images to RGBA, with Basis Universal's own transcoder. */
import BASIS, { type BasisModule, type Ktx2File } from 'three/examples/jsm/libs/basis/basis_transcoder.js';
import wasmUrl from 'three/examples/jsm/libs/basis/basis_transcoder.wasm?url';
import type { TranscodeAnswer, TranscodeRequest } from './protocol.ts';

/** `cTFRGBA32`: four bytes per pixel. */
const RGBA32 = 13;

const started = start();

async function start(): Promise<BasisModule> {
  const response = await fetch(wasmUrl);
  if (!response.ok) throw new Error(`${wasmUrl} answered ${response.status}`);
  const basis = await BASIS({ wasmBinary: await response.arrayBuffer() });
  basis.initializeBasis();
  return basis;
}

async function transcode({ bytes, maxSize }: TranscodeRequest): Promise<TranscodeAnswer> {
  const basis = await started;
  const file = new basis.KTX2File(bytes);
  try {
    if (!file.isValid() || !file.startTranscoding()) return { error: 'it is not ETC1S or UASTC' };
    const level = levelOf(file, maxSize);
    const { origWidth: width, origHeight: height } = file.getImageLevelInfo(level, 0, 0);
    const pixels = new Uint8ClampedArray(file.getImageTranscodedSizeInBytes(level, 0, 0, RGBA32));
    const isDone = file.transcodeImage(new Uint8Array(pixels.buffer), level, 0, 0, RGBA32, 0, -1, -1);
    return isDone ? { width, height, pixels } : { error: 'its bytes are damaged' };
  } finally {
    file.close();
    file.delete();
  }
}

/** The largest level up to `maxSize` pixels; the smallest level if all are larger. */
function levelOf(file: Ktx2File, maxSize: number): number {
  const last = Math.max(file.getLevels(), 1) - 1;
  for (let level = 0; level < last; level++) {
    const { origWidth, origHeight } = file.getImageLevelInfo(level, 0, 0);
    if (Math.max(origWidth, origHeight) <= maxSize) return level;
  }
  return last;
}

addEventListener('message', async ({ data }: MessageEvent<TranscodeRequest>) => {
  const failed = (thrown: unknown): TranscodeAnswer => ({
    error: thrown instanceof Error ? thrown.message : String(thrown),
  });
  const answer = await transcode(data).catch(failed);
  postMessage(answer, { transfer: 'pixels' in answer ? [answer.pixels.buffer] : [] });
});
