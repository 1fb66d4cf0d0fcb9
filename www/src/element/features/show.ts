/** What the colours of the skin show, with a legend per view. */
import type { Show } from '../../wasm.ts';
import type { ViewerState } from '../api.ts';
import { showOf } from '../attributes.ts';
import type { ViewerContext } from '../context.ts';
import { VIEWS, type ViewIndex } from '../feature.ts';
import { drawLegend } from '../legend.ts';
import { ViewWordFeature } from '../view_setting.ts';
import { Fit } from './fit.ts';
import { PostSkinning } from './post_skinning.ts';
import { SecondView } from './second_view.ts';
import { Selection } from './selection.ts';
import { Tools } from './tools.ts';
import { Weights } from './weights.ts';

/** Colours that mean the same in both views, so that one legend is enough. */
const COMMON: readonly Show[] = ['weights', 'gamma', 'fit', 'difference'];

export class ShowFeature extends ViewWordFeature<'show'> {
  static readonly attributes = ['show'];
  static readonly members = ['show'] as const;

  constructor(context: ViewerContext) {
    super(context, {
      name: 'show',
      parse: showOf,
      second: () => context.get(SecondView).compareShow,
      send: (viewer, view, show) => viewer.setShow(view, show),
    });
  }

  partialState(): Pick<ViewerState, 'show'> {
    return { show: this.show };
  }

  get show(): Show {
    return this.value;
  }

  set show(value: Show) {
    this.value = value;
  }

  override settingsChanged(): void {
    super.settingsChanged();
    this.drawLegends();
  }

  drawLegends(): void {
    // The colours come from the WASM module.
    if (!this.context.viewer) return;
    for (const view of VIEWS) this.#drawLegend(view);
  }

  #drawLegend(view: ViewIndex): void {
    const context = this.context;
    const second = context.get(SecondView);
    const report = view === 0 ? context.get(Weights).report : second.compareReport;
    const box = context.shadow.legends[view];
    const show = this.of(view);
    drawLegend(box, {
      show,
      joint: context.get(Selection).selectedJoint,
      overlap: report?.regions.length ? report.overlap : null,
      intersecting: context.get(PostSkinning).intersections.counts[view],
      hasTwoViews: second.isShown,
      isPainting: context.get(Tools).tool === 'paint',
      fit: view === 0 ? context.get(Fit).legend : null,
    });
    const isSameAsFirst = COMMON.includes(show) && show === this.of(0);
    if (view === 1 && (!second.isShown || isSameAsFirst)) box.hidden = true;
  }
}
