/** The divided picture: other weights, the divider before it, and what is said about the right half. */
import { OPTIONS } from '../options.ts';
import type { Deformer, Method, Recipe, RigReport, Show, Viewer } from '../wasm.ts';
import type { VolumeChoice } from './api.ts';
import { deformerOf, dividerOf, reflect, showOf } from './attributes.ts';
import { Badges } from './badges.ts';
import { Comparison, type ComparisonHost } from './comparison.ts';
import { Divider } from './divider.ts';
import { halfNames } from './half_names.ts';
import { drawLegend } from './legend.ts';
import type { Shadow } from './shadow.ts';

export interface SplitHost extends Omit<ComparisonHost, 'changed' | 'complete'> {
  readonly element: HTMLElement;
  readonly shadow: Shadow;
  /** How the left half is rigged. */
  recipe(): Recipe;
  selected(): string | null;
  folded(): number | null;
  isPainting(): boolean;
  /** What keeps its volume, left and right. */
  volumes(): readonly [VolumeChoice, VolumeChoice];
  requestFrame(): void;
  complete(report: RigReport): void;
}

export class Split {
  readonly comparison: Comparison;
  readonly #host: SplitHost;
  readonly #divider: Divider;
  readonly #badges: Badges;
  /** As the viewer was told last. */
  #told: { show?: Show; deformer?: Deformer; share?: number } = {};

  constructor(host: SplitHost) {
    this.#host = host;
    const { shadow, element } = host;
    this.#badges = new Badges(shadow.badges);
    this.#divider = new Divider(shadow.divider, {
      canvas: () => shadow.canvas,
      viewer: () => host.viewer(),
      moved: (share) => reflect(element, 'divider', String(Number(share.toFixed(4)))),
    });
    this.comparison = new Comparison({
      solver: host.solver,
      tasks: host.tasks,
      viewer: () => host.viewer(),
      isReady: () => host.isReady(),
      handles: () => host.handles(),
      changed: () => this.refresh(),
      complete: (report) => {
        shadow.status.textContent = this.#names().join(' beside ');
        host.complete(report);
      },
    });
  }

  /** Compares with another method, by the parameters of the left half where there are none yet; null ends that. */
  setMethod(method: Method | null): void {
    const { recipe } = this.comparison;
    if (method === null) this.comparison.change(null);
    else if (recipe) this.comparison.change({ ...recipe, method });
    else this.comparison.change(() => ({ ...structuredClone(this.#host.recipe()), method }));
  }

  /** The left half's weights are there. */
  follow(): void {
    this.refresh();
    this.comparison.follow();
  }

  /** What the right half's colours show. */
  get show(): Show {
    const { element } = this.#host;
    return showOf(element.getAttribute('compare-show') ?? element.getAttribute('show'));
  }

  get deformer(): Deformer {
    const { element } = this.#host;
    return deformerOf(element.getAttribute('compare-deformer') ?? element.getAttribute('deformer'));
  }

  get share(): number {
    return dividerOf(this.#host.element.getAttribute('divider'));
  }

  /** A viewer that knows nothing yet. */
  prepare(): void {
    this.#told = {};
    this.refresh();
  }

  /** Attributes, recipes or the selection have changed. */
  refresh(): void {
    const { recipe } = this.comparison;
    this.#tellViewer();
    this.#divider.isShown = recipe !== null && this.#host.isReady();
    this.#divider.place(this.share);
    if (recipe) this.#divider.name(this.#names(), !this.comparison.isShown);
    this.#badges.set(recipe?.method === 'atlas' ? recipe.atlas.k_joints : {});
    this.drawLegend();
    this.#host.requestFrame();
  }

  #tellViewer(): void {
    const viewer = this.#host.viewer();
    if (!viewer) return;
    const { show, deformer, share } = this;
    if (show !== this.#told.show) viewer.setShow(1, show);
    if (deformer !== this.#told.deformer) viewer.setDeformer(1, deformer);
    if (share !== this.#told.share) viewer.setDivider(share);
    this.#told = { show, deformer, share };
  }

  #names(): [string, string] {
    const { element, recipe } = this.#host;
    const [volume, compared] = this.#host.volumes();
    const left = { recipe: recipe(), deformer: deformerOf(element.getAttribute('deformer')), volume };
    const right = { recipe: this.comparison.recipe ?? OPTIONS.recipe, deformer: this.deformer };
    return halfNames(left, { ...right, volume: compared });
  }

  /** A legend of its own where the left one's does not hold. */
  drawLegend(): void {
    const { element, shadow } = this.#host;
    const { report } = this.comparison;
    const legend = shadow.comparedLegend;
    if (!this.#host.viewer()) return;
    const overlap = report?.regions.length ? report.overlap : null;
    const postSkinning = { folded: this.#host.folded(), isPainting: this.#host.isPainting(), fit: null };
    drawLegend(legend, { show: this.show, joint: this.#host.selected(), overlap, ...postSkinning });
    // A fit is the left half's alone.
    const isCommon = this.show === 'weights' || this.show === 'gamma' || this.show === 'fit';
    const isSame = isCommon && showOf(element.getAttribute('show')) === this.show;
    if (!this.comparison.isShown || isSame) legend.hidden = true;
  }

  /** The CSS pixels that belong to the left half; all of them when the picture is whole. */
  get #leftWidth(): number {
    return this.comparison.isShown
      ? this.share * this.#host.shadow.canvas.clientWidth
      : Number.POSITIVE_INFINITY;
  }

  /** After every picture; `left` are the labels of the left half. */
  placeBadges(viewer: Viewer, left: Badges): void {
    const edge = this.#leftWidth;
    left.place(viewer, (x) => x < edge);
    this.#badges.place(viewer, (x) => x >= edge);
  }
}
