/** A choice of one value: a drop-down list, or buttons side by side. */
import { h, uniqueId } from '../dom.ts';
import { icon } from '../icons.ts';
import type { Choice } from '../words.ts';

export interface ChoiceControl<T extends string> {
  readonly element: HTMLElement;
  set(value: T): void;
  disable(disabled: boolean): void;
}

export interface ListOptions<T extends string> {
  readonly label: string;
  readonly choices: readonly Choice<T>[];
  /** Shows only the list; the label is for screen readers. */
  readonly bare?: boolean;
  /** Shows the explanation of the chosen value below. */
  readonly explain?: boolean;
  onchange(value: T): void;
}

export function list<T extends string>(
  options: ListOptions<T>,
): ChoiceControl<T> & { fill(choices: readonly Choice<T>[]): void } {
  const id = uniqueId('list');
  const aboutId = uniqueId('about');
  let choices = options.choices;
  const select = h('select', { id, class: 'select', 'aria-describedby': options.explain ? aboutId : null });
  const about = h('p', { id: aboutId, class: 'about' });
  const explain = (): void => {
    about.textContent = choices.find((choice) => choice.value === select.value)?.about ?? '';
  };
  const fill = (next: readonly Choice<T>[]): void => {
    choices = next;
    select.replaceChildren(...choices.map(({ value, label }) => h('option', { value }, label)));
    explain();
  };
  select.addEventListener('change', () => {
    explain();
    options.onchange(select.value as T);
  });
  fill(choices);
  const label = h('label', { class: options.bare ? 'visually-hidden' : 'label', for: id }, options.label);
  const box = h('span', { class: 'select-box' }, select, icon('chevron'));
  return {
    element: h('div', { class: 'field' }, label, box, options.explain && about),
    set: (value) => {
      select.value = value;
      explain();
    },
    disable: (disabled) => {
      select.disabled = disabled;
    },
    fill,
  };
}

export interface SegmentedOptions<T extends string> {
  readonly label: string;
  readonly choices: readonly Choice<T>[];
  readonly bare?: boolean;
  onchange(value: T): void;
}

/** Radio buttons in a row. The browser handles arrow keys and the Tab order. */
export function segmented<T extends string>(
  options: SegmentedOptions<T>,
): ChoiceControl<T> & { hide(value: T, isHidden: boolean): void } {
  const name = uniqueId('segment');
  const labelId = uniqueId('label');
  const radios = options.choices.map(({ value }) =>
    h('input', { type: 'radio', name, value, class: 'visually-hidden' }),
  );
  const segments = options.choices.map(({ label, about }, index) =>
    h('label', { class: 'segment', 'data-tip': about }, radios[index], h('span', {}, label)),
  );
  const group = h('div', { class: 'segmented', role: 'radiogroup', 'aria-labelledby': labelId }, ...segments);
  group.addEventListener('change', (event) =>
    options.onchange((event.target as HTMLInputElement).value as T),
  );
  const label = h('span', { class: options.bare ? 'visually-hidden' : 'label', id: labelId }, options.label);
  return {
    element: h('div', { class: 'field' }, label, group),
    set: (value) => {
      for (const radio of radios) radio.checked = radio.value === value;
    },
    disable: (disabled) => {
      for (const radio of radios) radio.disabled = disabled;
    },
    hide: (value, isHidden) => {
      const segment = segments[options.choices.findIndex((choice) => choice.value === value)];
      if (segment) segment.hidden = isHidden;
    },
  };
}
