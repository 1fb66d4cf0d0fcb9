/** Light or dark, gliding or jumping: what the attribute says, else the style, else the system. */
export interface Look {
  isDark: boolean;
  isStill: boolean;
}

const DARK = matchMedia('(prefers-color-scheme: dark)');
const STILL = matchMedia('(prefers-reduced-motion: reduce)');

export function lookOf(element: HTMLElement): Look {
  return { isDark: isDark(element), isStill: STILL.matches };
}

function isDark(element: HTMLElement): boolean {
  const theme = element.getAttribute('theme');
  if (theme === 'light' || theme === 'dark') return theme === 'dark';
  const schemes = getComputedStyle(element).colorScheme.split(/\s+/);
  if (schemes.includes('dark') !== schemes.includes('light')) return schemes.includes('dark');
  return DARK.matches;
}

/** Calls back when the system changes its mind, until the returned function is called. */
export function watchLook(changed: () => void): () => void {
  DARK.addEventListener('change', changed);
  STILL.addEventListener('change', changed);
  return () => {
    DARK.removeEventListener('change', changed);
    STILL.removeEventListener('change', changed);
  };
}
