/** Files into an element, and out of it. */

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
