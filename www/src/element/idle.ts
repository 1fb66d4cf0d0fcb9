/** The longest that idleness is waited for. */
const PATIENCE_MS = 100;

/** Until the browser has nothing better to do. Some know no idleness; there, until the next frame is well under way. */
export function idle(): Promise<void> {
  return new Promise((done) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => done(), { timeout: PATIENCE_MS });
    else setTimeout(done, 24);
  });
}
