/**
 * Light or dark, and whether the camera may glide: by attribute, else by CSS, else by the system.
 */
export interface ColorScheme {
  isDark: boolean;
  /** The user wants no motion that is not needed. */
  isStill: boolean;
}

const DARK = matchMedia('(prefers-color-scheme: dark)');
const STILL = matchMedia('(prefers-reduced-motion: reduce)');

export function colorSchemeOf(element: HTMLElement): ColorScheme {
  return { isDark: isDark(element), isStill: STILL.matches };
}

function isDark(element: HTMLElement): boolean {
  const theme = element.getAttribute('theme');
  if (theme === 'light' || theme === 'dark') return theme === 'dark';
  const schemes = getComputedStyle(element).colorScheme.split(/\s+/);
  if (schemes.includes('dark') !== schemes.includes('light')) return schemes.includes('dark');
  return DARK.matches;
}

/** Calls back when a setting of the system changes. Returns a function that stops this. */
export function watchColorScheme(changed: () => void): () => void {
  DARK.addEventListener('change', changed);
  STILL.addEventListener('change', changed);
  return () => {
    DARK.removeEventListener('change', changed);
    STILL.removeEventListener('change', changed);
  };
}
