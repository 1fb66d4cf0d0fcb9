/** A page in the background paints nothing. Waiting longer would delay its first picture. */
const MAX_WAIT_MS = 100;

/** Resolves after the browser has painted the current state of the page. */
export function afterPaint(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, MAX_WAIT_MS);
    // Callbacks of a frame run before it is painted; a task that they start runs after it.
    requestAnimationFrame(() =>
      setTimeout(() => {
        clearTimeout(timer);
        resolve();
      }),
    );
  });
}
