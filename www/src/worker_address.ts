/**
 * The address of a worker script. Workers must come from the origin of the page; modules that they
 * import need not.
 */
export function workerAddress(script: string): URL | string {
  const url = new URL(script, import.meta.url);
  if (url.origin === location.origin) return url;
  const source = `import ${JSON.stringify(url.href)};`;
  return URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
}
