/** The light and the dark theme: that of the system, unless the user has chosen one. */

export type Theme = 'light' | 'dark';

/** index.html reads it as well, before the first paint. */
const KEY = 'pliant-theme';

const system = matchMedia('(prefers-color-scheme: dark)');

export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset['theme'];
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return system.matches ? 'dark' : 'light';
}

/** Switches the theme. If the new one is that of the system, the page follows the system again. */
export function toggleTheme(): void {
  const next: Theme = currentTheme() === 'dark' ? 'light' : 'dark';
  const follows = next === (system.matches ? 'dark' : 'light');
  if (follows) delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = next;
  try {
    if (follows) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
  } catch {
    // Without storage, the choice is lost with the page.
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
