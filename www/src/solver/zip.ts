/**
 * Unpacks ZIP archives with the decompressor of the browser, so that no module contains one. The
 * worker loads this file when the first archive is opened. Natively `src/io/zip.rs` does the same,
 * with the same limits and messages.
 */
import type { PliantError } from '../wasm.ts';

/** A file and its path. */
export interface Unpacked {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Largest number of entries. Larger: an archive of empty files takes a hundred times its size. */
const MAX_ENTRIES = 4096;

/** Bytes that any archive may be unpacked to. Larger: a tiny malicious file exhausts a phone. */
const FREE_BYTES = 96 * 2 ** 20;

/** Largest ratio of unpacked to packed bytes beyond that. */
const MAX_COMPRESSION = 32;

/** Bytes of the record at the end of the archive, without its comment. */
const END = 22;

/** Bytes of an entry of the directory, without its name. */
const ENTRY = 46;

/** Bytes of the header in front of the data of an entry, without its name. */
const HEADER = 30;

const CUT_SHORT = 'The file was probably cut short: copy, download or export it again';
const UNPACK_IT = 'Unpack it and open the model inside';

/** A file in the archive, as the directory describes it. */
interface Entry {
  name: string;
  method: number;
  checksum: number;
  packed: number;
  unpacked: number;
  header: number;
}

/**
 * The files of an archive, with their folders. Directories, hidden files and the notes of macOS are
 * left out. Throws a {@link PliantError}.
 */
export async function unpack(archive: Uint8Array<ArrayBuffer>): Promise<Unpacked[]> {
  const entries = directory(archive);
  const total = entries.reduce((sum, { unpacked }) => sum + unpacked, 0);
  const budget = Math.max(FREE_BYTES, archive.length * MAX_COMPRESSION);
  if (total > budget) throw tooLarge(`${total} bytes in the archive exceed the limit of ${budget}`);
  const files: Unpacked[] = [];
  for (const entry of entries) files.push({ name: entry.name, bytes: await content(archive, entry) });
  return files;
}

function directory(archive: Uint8Array<ArrayBuffer>): Entry[] {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const end = endRecord(view);
  const count = view.getUint16(end + 10, true);
  const [size, offset] = [view.getUint32(end + 12, true), view.getUint32(end + 16, true)];
  if (count === 0xffff || size === 0xffffffff || offset === 0xffffffff) {
    throw unsupported('This is a ZIP64 archive, which Pliant does not read');
  }
  if (count > MAX_ENTRIES) {
    throw tooLarge(`${count} files in the archive exceed the limit of ${MAX_ENTRIES}`);
  }
  // Offsets count from the start of the archive, which may follow a program that unpacks it.
  const start = end - size;
  const base = start - offset;
  if (base < 0) throw truncated();
  const entries: Entry[] = [];
  let at = start;
  for (let index = 0; index < count; index++) {
    if (at + ENTRY > archive.length) throw truncated();
    if (view.getUint32(at, false) !== 0x504b0102) {
      throw malformed(`There is no entry of the directory at byte ${at}`);
    }
    const length = view.getUint16(at + 28, true);
    const name = safeName(new TextDecoder().decode(archive.subarray(at + ENTRY, at + ENTRY + length)));
    if (name !== undefined) {
      if (view.getUint16(at + 8, true) & 1) throw unsupported(`It is encrypted (${name})`);
      entries.push({
        name,
        method: view.getUint16(at + 10, true),
        checksum: view.getUint32(at + 16, true),
        packed: view.getUint32(at + 20, true),
        unpacked: view.getUint32(at + 24, true),
        header: base + view.getUint32(at + 42, true),
      });
    }
    at += ENTRY + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

/** Where the record at the end begins. A comment of up to 64 KB may follow it. */
function endRecord(view: DataView): number {
  const last = view.byteLength - END;
  for (let at = last; at >= Math.max(0, last - 0xffff); at--) {
    if (view.getUint32(at, false) === 0x504b0506) return at;
  }
  throw truncated();
}

/** The path inside the archive; undefined for what no model refers to. */
export function safeName(name: string): string | undefined {
  const path = name.replaceAll('\\', '/');
  const parts = path.split('/').filter((part) => !['', '.', '..'].includes(part));
  const isHidden = parts.some((part) => part.startsWith('.') || part === '__MACOSX');
  const safe = parts.join('/').replace(/\p{Cc}/gu, '');
  return path.endsWith('/') || isHidden || safe === '' ? undefined : safe;
}

/** The unpacked bytes, checked by their checksum. */
async function content(archive: Uint8Array<ArrayBuffer>, entry: Entry): Promise<Uint8Array<ArrayBuffer>> {
  const { name, method, header } = entry;
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  if (header + HEADER > archive.length || view.getUint32(header, false) !== 0x504b0304) {
    throw malformed(`Its header is missing at byte ${header} (${name})`);
  }
  const start = header + HEADER + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
  const packed = archive.subarray(start, start + entry.packed);
  if (packed.length < entry.packed) throw truncated();
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  if (method === 0) bytes = packed.slice();
  else if (method === 8) bytes = await inflated(packed, entry);
  else throw unsupported(`It is compressed with method ${method}, and only deflate is read (${name})`);
  if (bytes?.length !== entry.unpacked || checksum(bytes) !== entry.checksum) {
    throw malformed(`Its checksum or size is wrong (${name})`);
  }
  return bytes;
}

/** The decompressed bytes; undefined when there are more than declared. */
async function inflated(
  packed: Uint8Array<ArrayBuffer>,
  { name, unpacked }: Entry,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const all = new Uint8Array(unpacked);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const reader = stream.getReader();
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return all.subarray(0, length);
      if (length + value.length > unpacked) {
        await reader.cancel();
        return undefined;
      }
      all.set(value, length);
      length += value.length;
    }
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw malformed(`Its data cannot be unpacked: ${reason} (${name})`);
  }
}

/** The remainders of all bytes. */
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0);
  return remainder;
});

/** The CRC-32 of ZIP. */
export function checksum(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (REMAINDERS[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
}

function truncated(): PliantError {
  const message = 'The directory or the data of the archive is missing';
  return { code: 'truncated', message, hint: CUT_SHORT };
}

function malformed(message: string): PliantError {
  return { code: 'malformed', message, hint: 'Download or pack the archive again' };
}

function unsupported(message: string): PliantError {
  return { code: 'unsupported', message, hint: UNPACK_IT };
}

function tooLarge(message: string): PliantError {
  return { code: 'too_large', message, hint: UNPACK_IT };
}
