/** A slider with a number field. Double-click, or the small button, restores the default. */
import { h, uniqueId } from '../dom.ts';
import { icon } from '../icons.ts';

export interface SliderOptions {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly fallback: number;
  /** The tooltip. */
  readonly about?: string;
  readonly unit?: string;
  /** Where the coloured part of the track begins; by default at the lower end. */
  readonly origin?: number;
  /** Everything on one line, for short labels. */
  readonly compact?: boolean;
  /** CSS colour of the track; by default the accent. */
  readonly color?: string;
  /** The accessible name, if it differs from the label. */
  readonly spoken?: string;
  /** Above 1, the lower part of the slider is stretched, for values where small changes matter. */
  readonly curve?: number;
  /** For values over many powers of ten: the least on the slider, below which it is 0. */
  readonly least?: number;
  /** What 0 means, where that is no number: shown in its place. */
  readonly zero?: string;
  /** Larger than others: the main control of the page. */
  readonly hero?: boolean;
  /** Of typed numbers, if they may lie beyond the slider's ends. */
  readonly limits?: readonly [number, number];
  /** Labels of the ends of the slider. */
  readonly ends?: readonly [string, string];
  /** Called for a reset, in place of a change to the default. */
  onreset?(): void;
  /** `settled` is false while the slider is dragged or a number is typed. */
  onchange(value: number, settled: boolean): void;
}

export interface Slider {
  readonly element: HTMLElement;
  /** With `state` if the default changes, or does not follow from the value. */
  set(value: number, state?: { fallback: number; isOwn: boolean }): void;
  disable(disabled: boolean): void;
}

/** Key presses with a longer pause between them are separate steps in the history. */
const PAUSE_MS = 700;

/** Steps of a curved slider; its own step would make the low end coarse. */
const CURVED_STEPS = 1000;

/** Sets a value only if it differs: browsers compute the layout again for every assignment. */
function put(field: HTMLInputElement, text: string): void {
  if (field.value !== text) field.value = text;
}

export function slider(options: SliderOptions): Slider {
  const { min, max, step, label, spoken = label, curve = 1, least } = options;
  let { fallback } = options;
  let isOwn: boolean | undefined;
  const span = max - min;
  const isPlain = curve === 1 && least === undefined;
  const powers = least === undefined ? 1 : Math.log10(max / least);
  const toPosition = (value: number): number => {
    if (isPlain) return value;
    const share =
      least === undefined ? ((value - min) / span) ** (1 / curve) : 1 + Math.log10(value / max) / powers;
    return Math.max(0, share) * CURVED_STEPS;
  };
  const fromPosition = (position: number): number => {
    if (isPlain) return position;
    const share = position / CURVED_STEPS;
    if (least === undefined) return min + share ** curve * span;
    // A slider position cannot be more exact than two digits.
    return position <= 0 ? 0 : Number((max * 10 ** ((share - 1) * powers)).toPrecision(2));
  };
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const rounded = (value: number): number =>
    least === undefined
      ? Number((Math.round(value / step) * step).toFixed(decimals))
      : Number(value.toPrecision(6));
  // Small numbers are in scientific notation.
  const written = (value: number): string =>
    least !== undefined && value > 0 && value < 1e-2 ? value.toExponential() : String(value);
  const isWord = (value: number): boolean => options.zero !== undefined && value === 0;
  const within = (value: number): number => Math.min(max, Math.max(min, value));
  const [lowest, highest] = options.limits ?? [min, max];

  const rangeId = uniqueId('range');
  const aboutId = uniqueId('about');
  const described = options.about ? aboutId : null;
  const range = h('input', {
    type: 'range',
    id: rangeId,
    class: 'range',
    min: isPlain ? min : 0,
    max: isPlain ? max : CURVED_STEPS,
    step: isPlain ? step : 1,
    'aria-label': spoken,
    'aria-describedby': described,
  });
  const number = h('input', {
    type: 'number',
    class: 'number',
    min: lowest,
    max: highest,
    step: least === undefined ? step : 'any',
    'aria-label': `${spoken}, number`,
    placeholder: options.zero,
    inputmode: 'decimal',
  });
  const reset = h(
    'button',
    { type: 'button', class: 'mini reset', 'aria-label': `Reset ${spoken}`, 'data-tip': 'Reset' },
    icon('reset'),
  );
  let value = fallback;

  const show = (from: 'range' | 'number' | 'outside'): void => {
    if (from !== 'range') put(range, String(toPosition(within(value))));
    const shown = rounded(value);
    if (from !== 'number') put(number, isWord(shown) ? '' : written(shown));
    const spokenValue = isWord(shown) ? options.zero : `${written(shown)}${options.unit ?? ''}`;
    range.setAttribute('aria-valuetext', spokenValue ?? '');
    const share = (at: number): number =>
      (toPosition(within(at)) - toPosition(min)) / (toPosition(max) - toPosition(min));
    const [low, high] = [share(value), share(options.origin ?? min)].sort((a, b) => a - b);
    range.style.setProperty('--from', String(low));
    range.style.setProperty('--to', String(high));
    const isDefault = !(isOwn ?? rounded(value) !== rounded(fallback));
    reset.classList.toggle('unneeded', isDefault);
    reset.disabled = range.disabled || isDefault;
  };
  const change = (next: number, from: 'range' | 'number' | 'outside', settled: boolean): void => {
    value = next;
    show(from);
    options.onchange(value, settled);
  };
  const typed = (settled: boolean): void => {
    // An empty field is not a value yet.
    const empty = settled && options.zero !== undefined ? 0 : Number.NaN;
    const next = number.value.trim() === '' ? empty : Number(number.value);
    if (Number.isFinite(next))
      change(Math.min(highest, Math.max(lowest, next)), settled ? 'outside' : 'number', settled);
    else if (settled) change(value, 'outside', true);
  };

  // Changes without a pause between them are one step in the history: presses of a key, and the two
  // clicks of a double click. Another press of the pointer begins another step.
  let pause = 0;
  const settleSoon = (): void => {
    clearTimeout(pause);
    pause = window.setTimeout(settle, PAUSE_MS);
  };
  const settle = (): void => {
    if (pause) options.onchange(value, true);
    clearTimeout(pause);
    pause = 0;
  };
  let isHeld = false;
  range.addEventListener('pointerdown', () => {
    isHeld = true;
  });
  range.addEventListener('mousedown', ({ detail: clicks }) => {
    if (clicks < 2) settle();
  });
  range.addEventListener('input', () => {
    change(rounded(fromPosition(Number(range.value))), 'range', false);
    // A drag is one step, however long it takes.
    if (isHeld) clearTimeout(pause);
    else settleSoon();
  });
  range.addEventListener('change', () => {
    isHeld = false;
    settleSoon();
  });
  range.addEventListener('blur', settle);
  if (curve !== 1) {
    // The browser would step along the curve, by less than a step here and by many there.
    const strides: Record<string, number> = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -10,
      PageUp: 10,
    };
    range.addEventListener('keydown', (event) => {
      const stride = strides[event.key];
      if (stride === undefined) return;
      event.preventDefault();
      change(rounded(within(value + stride * step)), 'outside', false);
      settleSoon();
    });
  }
  const goBack = (): void => (options.onreset ? options.onreset() : change(fallback, 'outside', true));
  range.addEventListener('dblclick', goBack);
  number.addEventListener('input', () => typed(false));
  number.addEventListener('change', () => typed(true));
  number.addEventListener('focus', () => number.select());
  reset.addEventListener('click', () => {
    goBack();
    range.focus();
  });

  const about = options.about ? h('span', { id: aboutId, class: 'visually-hidden' }, options.about) : null;
  const field = h(
    'span',
    { class: 'number-field' },
    number,
    options.unit ? h('span', { class: 'unit', 'aria-hidden': 'true' }, options.unit) : null,
  );
  const ends = options.ends
    ? h(
        'div',
        { class: 'slider-ends', 'aria-hidden': 'true' },
        ...options.ends.map((end) => h('span', {}, end)),
      )
    : null;
  const name = h('label', { class: 'label', for: rangeId, 'data-tip': options.about }, label);
  const element = h(
    'div',
    { class: ['slider', options.compact && 'compact', options.hero && 'hero'].filter(Boolean).join(' ') },
    name,
    reset,
    range,
    field,
    ends,
    about,
  );
  if (options.color) element.style.setProperty('--slider-color', options.color);
  show('outside');

  return {
    element,
    set: (next, state) => {
      value = next;
      if (state) ({ fallback, isOwn } = state);
      // The number field is not changed while the user types in it.
      show(
        document.activeElement === number && Number(number.value) === rounded(next) ? 'number' : 'outside',
      );
    },
    disable: (disabled) => {
      range.disabled = disabled;
      number.disabled = disabled;
      show('outside');
    },
  };
}
