import { PliantFailure } from '../solver/failure.ts';
import type { Ask, NamedFile } from '../solver/protocol.ts';
import type { ModelSource } from './api.ts';

type LoadAsk = Extract<Ask, { kind: 'load' | 'cast' }>;

/** The question that loads `source`; an address is fetched first. */
export async function askFor(
  source: ModelSource,
  signal: AbortSignal,
  onProgress: (share: number, stage: string) => void,
): Promise<LoadAsk> {
  switch (source.kind) {
    case 'cast':
      return { kind: 'cast', member: source.member, vertices: source.vertices };
    case 'files':
      return { kind: 'load', files: named(source.files) };
    case 'url':
      return { kind: 'load', files: await fetched(source.url, signal, onProgress) };
  }
}

/** With the folder a file was dropped in, for files that refer to each other. */
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
  const name = decodeURIComponent(address.pathname.split('/').pop() ?? '') || 'model';
  return [{ name, file: model }, ...others];
}

async function fetchOne(
  url: URL,
  signal: AbortSignal,
  onProgress: (share: number, stage: string) => void,
): Promise<Blob> {
  const failed = (why: string) =>
    new PliantFailure({
      code: 'fetch',
      message: `${url.href} cannot be fetched: ${why}`,
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

/** The files a glTF's text names; nothing for any other format, which the solver will read or refuse. */
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
