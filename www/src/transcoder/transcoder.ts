/**
 * Transcodes KTX2 images in a worker. The worker and its module are loaded for the first image.
 */
import { workerAddress } from '../worker_address.ts';
import type { TranscodeAnswer, TranscodeRequest } from './protocol.ts';
import workerUrl from './transcoder_worker.ts?worker&url';

export class Transcoder {
  #worker: Worker | undefined;

  /** The image with at most `maxSize` pixels, if it is stored with that size. One at a time. */
  async transcode(bytes: Uint8Array, maxSize: number): Promise<ImageData> {
    this.#worker ??= new Worker(workerAddress(workerUrl), { type: 'module' });
    const answer = await ask(this.#worker, { bytes, maxSize });
    if ('error' in answer) {
      // After an error in WebAssembly its instance must not be used again.
      this.close();
      throw new Error(answer.error);
    }
    return new ImageData(answer.pixels, answer.width, answer.height);
  }

  /** Ends the worker. The next image starts another one. */
  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}

function ask(worker: Worker, request: TranscodeRequest): Promise<TranscodeAnswer> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<TranscodeAnswer>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message || 'the transcoder could not start'));
    worker.postMessage(request);
  });
}
