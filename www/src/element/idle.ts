/** The longest wait for an idle browser. Longer: sampling stalls while a clip plays. */
const MAX_WAIT_MS = 100;

/** Longer than a frame, for browsers without `requestIdleCallback`. */
const FALLBACK_WAIT_MS = 24;

/** Resolves when the browser is idle, or after `MAX_WAIT_MS`. */
export function whenIdle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: MAX_WAIT_MS });
    else setTimeout(resolve, FALLBACK_WAIT_MS);
  });
}
