import type { Viewer } from '../wasm.ts';

/** Small labels that stay beside joints in the picture: how soft a joint is where it has a softness of its own. */
export class Badges {
  readonly #box: HTMLElement;
  readonly #labels = new Map<string, HTMLElement>();

  constructor(box: HTMLElement) {
    this.#box = box;
  }

  set(values: Readonly<Record<string, number>>): void {
    for (const [joint, label] of this.#labels) {
      if (joint in values) continue;
      label.remove();
      this.#labels.delete(joint);
    }
    for (const [joint, value] of Object.entries(values))
      this.#labelOf(joint).textContent = `K ${round(value)}`;
  }

  #labelOf(joint: string): HTMLElement {
    const found = this.#labels.get(joint);
    if (found) return found;
    const label = document.createElement('span');
    label.className = 'badge';
    label.dataset['joint'] = joint;
    this.#labels.set(joint, label);
    this.#box.append(label);
    return label;
  }

  /** After every picture; labels are only shown within. */
  place(viewer: Viewer, isWithin: (x: number) => boolean): void {
    for (const [joint, label] of this.#labels) {
      const [x, y] = viewer.jointOnCanvas(joint) ?? [];
      label.hidden = x === undefined || y === undefined || !isWithin(x);
      if (!label.hidden) label.style.translate = `${x}px ${y}px`;
    }
  }
}

function round(value: number): string {
  return String(Number(value.toFixed(2)));
}
