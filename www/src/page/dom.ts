/** Helpers for building and finding elements. */

export type Child = Node | string | null | undefined | false;

export type Props = Readonly<Record<string, unknown>>;

/**
 * Creates an element. Functions become listeners (`onclick`), `true` an empty attribute, `false`,
 * `null` and `undefined` nothing, everything else an attribute.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') {
      element.addEventListener(name.replace(/^on/, ''), value as EventListener);
    } else if (value === true) {
      element.setAttribute(name, '');
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, String(value));
    }
  }
  element.append(
    ...children.filter((child): child is Node | string => child instanceof Node || typeof child === 'string'),
  );
  return element;
}

let made = 0;

/** An id no other element has. */
export function uniqueId(prefix: string): string {
  made += 1;
  return `${prefix}-${made}`;
}

/** Finds an element of the markup; throws if there is none. */
export function find<T extends Element>(selector: string, root: ParentNode = document): T {
  const element = root.querySelector<T>(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}

/** Whether the target is a text field, which uses letter keys. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) {
    return !['range', 'radio', 'checkbox', 'button', 'file'].includes(target.type);
  }
  return target instanceof HTMLTextAreaElement || target.isContentEditable;
}

/** Returns a function that runs `work` at most once per frame. */
export function oncePerFrame(work: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}

/** Whether the main pointer is a finger. */
export function isTouch(): boolean {
  return matchMedia('(pointer: coarse)').matches;
}
