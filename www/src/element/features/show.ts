/** What the colours of the skin show, with a legend per view. */
import type { Show } from '../../wasm.ts';
import type { ViewerState } from '../api.ts';
import { reflect, showOf } from '../attributes.ts';
import type { ViewerContext } from '../context.ts';
import { type Feature, VIEWS, type ViewIndex } from '../feature.ts';
import { drawLegend } from '../legend.ts';
import { ViewSetting } from '../view_setting.ts';
import { Fit } from './fit.ts';
import { PostSkinning } from './post_skinning.ts';
import { SecondView } from './second_view.ts';
import { Selection } from './selection.ts';
import { Tools } from './tools.ts';
import { Weights } from './weights.ts';

/** Colours that mean the same in both views, so that one legend is enough. */
const COMMON: readonly Show[] = ['weights', 'gamma', 'fit'];

export class ShowFeature implements Feature {
  static readonly attributes = ['show'];
  static readonly members = ['show'] as const;

  readonly #context: ViewerContext;
  readonly #setting = new ViewSetting(
    (view) => this.of(view),
    (viewer, view, show) => viewer.setShow(view, show),
  );

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  partialState(): Pick<ViewerState, 'show'> {
    return { show: this.show };
  }

  get show(): Show {
    return showOf(this.#context.element.getAttribute('show'));
  }

  set show(value: Show) {
    reflect(this.#context.element, 'show', value);
  }

  /** What the colours of a view show. */
  of(view: ViewIndex): Show {
    return (view === 1 ? this.#context.get(SecondView).compareShow : null) ?? this.show;
  }

  attributeChanged(): void {
    this.#context.changed('show');
    this.#context.settingsChanged();
  }

  viewerOpened(): void {
    this.#setting.reset();
    this.settingsChanged();
  }

  settingsChanged(): void {
    this.#setting.update(this.#context.viewer);
    this.drawLegends();
  }

  drawLegends(): void {
    // The colours come from the WASM module.
    if (!this.#context.viewer) return;
    for (const view of VIEWS) this.#drawLegend(view);
  }

  #drawLegend(view: ViewIndex): void {
    const context = this.#context;
    const second = context.get(SecondView);
    const report = view === 0 ? context.get(Weights).report : second.compareReport;
    const box = context.shadow.legends[view];
    const show = this.of(view);
    drawLegend(box, {
      show,
      joint: context.get(Selection).selectedJoint,
      overlap: report?.regions.length ? report.overlap : null,
      intersecting: context.get(PostSkinning).intersections.counts[view],
      isPainting: context.get(Tools).tool === 'paint',
      fit: view === 0 ? context.get(Fit).legend : null,
    });
    const isSameAsFirst = COMMON.includes(show) && show === this.of(0);
    if (view === 1 && (!second.isShown || isSameAsFirst)) box.hidden = true;
  }
}
