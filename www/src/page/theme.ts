/** Light and dark: as the system has it, unless the user says otherwise. */

export type Theme = 'light' | 'dark';

/** Also read by the line in index.html that runs before the first paint. */
const KEY = 'pliant-theme';

const system = matchMedia('(prefers-color-scheme: dark)');

export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset['theme'];
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return system.matches ? 'dark' : 'light';
}

/** The other one. When that is what the system has, the page follows the system again. */
export function toggleTheme(): void {
  const next: Theme = currentTheme() === 'dark' ? 'light' : 'dark';
  const follows = next === (system.matches ? 'dark' : 'light');
  if (follows) delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = next;
  try {
    if (follows) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
  } catch {
    // A browser that keeps nothing forgets the choice with the page.
  }
  tell();
}

const listeners = new Set<(theme: Theme) => void>();

/** Calls `listener` now and whenever the theme changes. */
export function watchTheme(listener: (theme: Theme) => void): void {
  listeners.add(listener);
  listener(currentTheme());
}

function tell(): void {
  for (const listener of listeners) listener(currentTheme());
}

system.addEventListener('change', tell);
