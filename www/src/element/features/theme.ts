/** The colour scheme of the picture and of everything that lies on it. */
import type { ViewerState } from '../api.ts';
import { oneOf, reflect } from '../attributes.ts';
import { colorSchemeOf, watchColorScheme } from '../color_scheme.ts';
import type { ViewerContext } from '../context.ts';
import type { Feature } from '../feature.ts';

export class Theme implements Feature {
  static readonly attributes = ['theme'];
  static readonly members = ['theme'] as const;

  readonly #context: ViewerContext;
  #unwatch: (() => void) | undefined;

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  partialState(): Pick<ViewerState, 'theme'> {
    return { theme: this.theme };
  }

  get theme(): 'auto' | 'light' | 'dark' {
    return oneOf(this.#context.element.getAttribute('theme'), ['light', 'dark'], 'auto');
  }

  set theme(value: 'auto' | 'light' | 'dark') {
    reflect(this.#context.element, 'theme', value === 'auto' ? null : value);
  }

  attributeChanged(): void {
    this.#context.changed('theme');
    this.#apply();
  }

  connected(): void {
    this.#unwatch ??= watchColorScheme(() => this.#apply());
    this.#apply();
  }

  disconnected(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  #apply(): void {
    const { element, shadow } = this.#context;
    const { isDark, isStill } = colorSchemeOf(element);
    for (const box of [...shadow.legends, shadow.divider.box, shadow.message])
      box.style.colorScheme = isDark ? 'dark' : 'light';
    this.#context.setColorScheme(isDark, isStill);
  }
}
