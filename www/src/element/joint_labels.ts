import type { Viewer } from '../wasm.ts';

/** Small labels beside joints in the picture, with the softness of the joint. */
export class JointLabels {
  readonly #box: HTMLElement;
  readonly #labels = new Map<string, HTMLElement>();

  constructor(box: HTMLElement) {
    this.#box = box;
  }

  /** Sets the labels: joint → K. */
  set(values: Readonly<Record<string, number>>): void {
    for (const [joint, label] of this.#labels) {
      if (joint in values) continue;
      label.remove();
      this.#labels.delete(joint);
    }
    for (const [joint, value] of Object.entries(values))
      this.#labelOf(joint).textContent = `K ${Number(value.toFixed(2))}`;
  }

  #labelOf(joint: string): HTMLElement {
    const existing = this.#labels.get(joint);
    if (existing) return existing;
    const label = document.createElement('span');
    label.className = 'joint-label';
    label.dataset['joint'] = joint;
    this.#labels.set(joint, label);
    this.#box.append(label);
    return label;
  }

  /**
   * Moves the labels to their joints. Those for which `isWithin` of their x is false are hidden.
   */
  place(viewer: Viewer, isWithin: (x: number) => boolean): void {
    for (const [joint, label] of this.#labels) {
      const [x, y] = viewer.jointOnCanvas(joint) ?? [];
      label.hidden = x === undefined || y === undefined || !isWithin(x);
      if (!label.hidden) label.style.translate = `${x}px ${y}px`;
    }
  }
}
