import { OPTIONS } from '../options.ts';
import { sampleUrl } from '../samples.ts';
import { PliantFailure } from '../solver/failure.ts';
import type { Ask, NamedFile } from '../solver/protocol.ts';
import type { SampleCharacter } from '../wasm.ts';
import type { ModelSource } from './api.ts';

type LoadAsk = Extract<Ask, { kind: 'load' }>;

/** The request that loads `source`; an address is fetched first. */
export async function askFor(
  source: ModelSource,
  signal: AbortSignal,
  onProgress: (share: number, stage: string) => void,
): Promise<LoadAsk> {
  switch (source.kind) {
    case 'sample':
      return { kind: 'load', files: [await sampleFile(source.member, signal, onProgress)] };
    case 'files':
      return { kind: 'load', files: named(source.files) };
    case 'url':
      return { kind: 'load', files: await fetched(source.url, signal, onProgress) };
  }
}

/** The file of a sample character, named after it. */
export async function sampleFile(
  member: SampleCharacter,
  signal: AbortSignal,
  onProgress: (share: number, stage: string) => void,
): Promise<NamedFile> {
  return { name: member, file: await fetchOne(sampleUrl(member), signal, onProgress) };
}

/** The source that `src` names: an address, or `sample:` and the name of a sample character. */
export function sourceOf(src: string): ModelSource {
  const member = OPTIONS.samples.find((info) => src === `sample:${info.member}`)?.member;
  return member ? { kind: 'sample', member } : { kind: 'url', url: src };
}

/** Files with their paths, by which files in one folder refer to each other. */
export function named(files: readonly File[]): NamedFile[] {
  return files.map((file) => ({ name: file.webkitRelativePath || file.name, file }));
}

async function fetched(
  url: string,
  signal: AbortSignal,
  onProgress: (share: number, stage: string) => void,
): Promise<NamedFile[]> {
  const address = new URL(url, document.baseURI);
  const model = await fetchOne(address, signal, onProgress);
  const neighbours = await referredTo(model, address);
  const others = await Promise.all(
    neighbours.map(async (name) => ({
      name,
      file: await fetchOne(new URL(name, address), signal, () => undefined),
    })),
  );
  return [{ name: fileName(address), file: model }, ...others];
}

function fileName(address: URL): string {
  const last = address.pathname.split('/').pop();
  try {
    return decodeURIComponent(last ?? '') || address.host;
  } catch {
    // A percent sign that starts no escape sequence is legal in an address.
    return last ?? address.host;
  }
}

async function fetchOne(
  url: URL,
  signal: AbortSignal,
  onProgress: (share: number, stage: string) => void,
): Promise<Blob> {
  const failed = (why: string) =>
    new PliantFailure({
      code: 'fetch',
      message: `${fileName(url)} cannot be fetched: ${why}`,
      hint: 'Check the address',
    });
  let response: Response;
  try {
    response = await fetch(url, { signal });
  } catch (thrown) {
    if (signal.aborted) throw PliantFailure.cancelled();
    throw failed(thrown instanceof Error ? thrown.message : String(thrown));
  }
  if (!response.ok) throw failed(`the server answered ${response.status}`);
  const whole = Number(response.headers.get('Content-Length') ?? 0);
  if (!response.body) return response.blob();
  let received = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        received += chunk.byteLength;
        if (whole > 0) onProgress(received / whole, 'Fetching');
        controller.enqueue(chunk);
      },
    }),
  );
  try {
    return await new Response(counted).blob();
  } catch (thrown) {
    if (signal.aborted) throw PliantFailure.cancelled();
    throw failed(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** The files that the JSON of a glTF refers to; none for other formats. */
async function referredTo(model: Blob, address: URL): Promise<string[]> {
  const isText = address.pathname.toLowerCase().endsWith('.gltf') || (await model.slice(0, 1).text()) === '{';
  if (!isText) return [];
  try {
    const document = JSON.parse(await model.text());
    const uris: unknown[] = [...(document.buffers ?? []), ...(document.images ?? [])].map(
      (item) => item?.uri,
    );
    const names = uris.filter((uri): uri is string => typeof uri === 'string' && !uri.startsWith('data:'));
    return [...new Set(names)];
  } catch {
    return [];
  }
}
