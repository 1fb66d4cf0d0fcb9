/** A page in the background paints nothing; nobody waits for it longer than this. */
const LONGEST_MS = 100;

/** Waits until the browser has shown what is on the page. */
export function painted(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LONGEST_MS);
    // A frame is asked for before it is painted; a task after it comes when it has been.
    requestAnimationFrame(() =>
      setTimeout(() => {
        clearTimeout(timer);
        resolve();
      }),
    );
  });
}
