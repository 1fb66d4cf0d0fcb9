import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { checksum, safeName, unpack } from '../src/solver/zip.ts';

interface Packed {
  name: string;
  text: string;
  method?: number;
  flags?: number;
  /** Instead of the true size. */
  claimed?: number;
}

/** An archive of these files, with a comment. */
function zip(files: readonly Packed[]): Uint8Array<ArrayBuffer> {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, text, method = 8, flags = 0, claimed } of files) {
    const bytes = Buffer.from(text);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(checksum(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claimed ?? bytes.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), common, rest, Buffer.from(name));
    parts.push(local);
    at += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(5, 20);
  return new Uint8Array(Buffer.concat([...parts, list, end, Buffer.from('hello')]));
}

const CUBE: Packed = { name: 'cube/cube.obj', text: 'v 0 0 0\n'.repeat(100) };

const names = async (archive: Uint8Array<ArrayBuffer>) => (await unpack(archive)).map(({ name }) => name);

const code = async (archive: Uint8Array<ArrayBuffer>): Promise<string> => {
  try {
    await unpack(archive);
  } catch (thrown) {
    const { code, message, hint } = thrown as { code?: string; message?: string; hint?: string };
    // Anything else would be shown as a bug of the solver.
    assert.ok(code && message && hint, String(thrown));
    return code;
  }
  return 'unpacked';
};

test('stored and deflated files are unpacked with their folders', async () => {
  const files = await unpack(zip([CUBE, { name: 'cube\\textures/skin.png', text: 'PNG', method: 0 }]));
  assert.deepEqual(
    files.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)]),
    [
      [CUBE.name, CUBE.text],
      ['cube/textures/skin.png', 'PNG'],
    ],
  );
});

test('an archive after other bytes, and in a larger buffer, is unpacked', async () => {
  const archive = zip([CUBE]);
  const buffer = new Uint8Array(archive.length + 20);
  buffer.set(archive, 10);
  assert.deepEqual(await names(buffer.subarray(4, archive.length + 10)), [CUBE.name]);
});

test('names stay inside, and what no model refers to is left out', () => {
  assert.equal(safeName('/../../etc/./passwd'), 'etc/passwd');
  assert.equal(safeName('a\\..\\b\n.png'), 'a/b.png');
  for (const name of ['a/', '', '..', '__MACOSX/._a.glb', 'a/.DS_Store'])
    assert.equal(safeName(name), undefined);
});

test('the checksum is that of the specification', () => {
  assert.equal(checksum(new TextEncoder().encode('123456789')), 0xcbf43926);
});

test('what cannot be unpacked is refused', async () => {
  assert.equal(await code(zip([{ ...CUBE, flags: 1 }])), 'unsupported');
  assert.equal(await code(zip([{ ...CUBE, method: 12 }])), 'unsupported');
  assert.equal(await code(zip([{ ...CUBE, claimed: 10 }])), 'malformed');
  assert.equal(await code(zip([{ ...CUBE, claimed: 10_000 }])), 'malformed');
  assert.equal(await code(zip([{ ...CUBE, claimed: 2 ** 31 }])), 'too_large');
  assert.equal(await code(zip(Array.from({ length: 5000 }, () => ({ name: 'a', text: '' })))), 'too_large');
  assert.equal(await code(zip([CUBE]).subarray(0, 100)), 'truncated');
  const zip64 = zip([CUBE]);
  zip64.fill(0xff, zip64.length - 11, zip64.length - 7);
  assert.equal(await code(zip64), 'unsupported');
});

test('damaged archives are refused or unpacked, and never fail otherwise', async () => {
  const archive = zip([CUBE, { name: 'b.txt', text: 'stored', method: 0 }]);
  for (let at = 0; at < archive.length; at++) {
    await code(archive.subarray(0, at));
    for (const value of [0, 0xff, (archive[at] ?? 0) ^ (1 << (at % 8))]) {
      const damaged = archive.slice();
      damaged[at] = value;
      await code(damaged);
    }
  }
});
