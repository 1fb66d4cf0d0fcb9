/** Files into an element, and out of it; and files in others. */
import { crc32, deflateRawSync } from 'node:zlib';

/** Gives files to an element with these attributes as if they had been dropped. */
export async function loadFiles(page, files, attributes = {}) {
  const given = files.map(({ name, bytes }) => ({ name, base64: Buffer.from(bytes).toString('base64') }));
  await page.evaluate(async ([given, attributes]) => {
    const viewer = document.querySelector('pliant-viewer') ?? document.createElement('pliant-viewer');
    for (const [name, value] of Object.entries(attributes)) viewer.setAttribute(name, value);
    document.body.append(viewer);
    const files = given.map(({ name, base64 }) => {
      return new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name);
    });
    window.needed = 0;
    viewer.addEventListener('skeleton-needed', () => window.needed++);
    await viewer.load({ kind: 'files', files });
  }, [given, attributes]);
}

/** The bytes of the export. */
export async function exported(page, options) {
  const base64 = await page.evaluate(async (options) => {
    const blob = await document.querySelector('pliant-viewer').exportGLB(options);
    const reader = new FileReader();
    return new Promise((done) => {
      reader.onload = () => done(reader.result.split(',')[1]);
      reader.readAsDataURL(blob);
    });
  }, options);
  return new Uint8Array(Buffer.from(base64, 'base64'));
}

/** A GLB with other JSON. */
export function withJson(glb, edit) {
  const view = new DataView(glb.buffer, glb.byteOffset, glb.length);
  const length = view.getUint32(12, true);
  const document = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + length)));
  edit(document);
  let json = Buffer.from(JSON.stringify(document));
  json = Buffer.concat([json, Buffer.alloc(-json.length & 3, ' ')]);
  const head = Buffer.from(glb.subarray(0, 20));
  head.writeUInt32LE(glb.length - length + json.length, 8);
  head.writeUInt32LE(json.length, 12);
  return Buffer.concat([head, json, glb.subarray(20 + length)]);
}

/** A ZIP archive of one deflated file. */
export function zip(name, bytes) {
  const packed = deflateRawSync(bytes);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(8, 4);
  common.writeUInt32LE(crc32(bytes), 10);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(bytes.length, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
  const parts = [Buffer.from('PK\x01\x02\x14\x00'), common, Buffer.alloc(14), Buffer.from(name)];
  const directory = Buffer.concat(parts);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, directory, end]);
}
