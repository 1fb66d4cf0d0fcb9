/** What is inside the tag: a canvas, a place for messages, a legend, and words for those who do not see it. */
import type { DividerParts } from './divider.ts';

const STYLE = `
:host { display: block; position: relative; width: 300px; height: 150px; overflow: hidden; contain: content;
  --_text: light-dark(#1c232d, #e6eaf0); --_panel: light-dark(#ffffffd9, #1d2026d9);
  --_accent: var(--pliant-accent, light-dark(#1f5fd6, #7fb0ff));
  color: var(--_text); font: 13px/1.4 system-ui, sans-serif; }
:host([hidden]) { display: none; }
:host([theme='light']) { color-scheme: light; }
:host([theme='dark']) { color-scheme: dark; }
canvas { display: block; width: 100%; height: 100%; outline: none;
  touch-action: var(--pliant-touch-action, none); -webkit-user-select: none; user-select: none; }
canvas:focus-visible:not([data-pressed]) { outline: 2px solid var(--_accent); outline-offset: -2px; }
[hidden] { display: none !important; }
.message { position: absolute; inset: 0; display: grid; place-content: center; justify-items: center; gap: 4px;
  padding: 16px; text-align: center; background: light-dark(#f4f5f6, #23262c); }
.message strong { font-weight: 600; }
.legend { position: absolute; left: 12px; bottom: 12px; max-width: calc(100% - 24px); box-sizing: border-box;
  padding: 8px 10px; border-radius: 8px; background: var(--_panel); pointer-events: none;
  font-variant-numeric: tabular-nums; }
.legend-title { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.legend-bar { min-width: min(160px, 100%); height: 8px; margin: 6px 0 2px; border-radius: 4px; }
.legend-ends { display: flex; justify-content: space-between; font-size: 11px; }
.legend-title:has(.legend-swatch) { display: flex; align-items: center; gap: 8px; }
.legend-swatch { width: 12px; height: 12px; border-radius: 3px; background: rgb(31 33 41);
  box-shadow: 0 0 0 1px light-dark(#0000, #ffffff4d); }
.legend-swatch.folds { background: rgb(220 20 40); }
.badges { position: absolute; inset: 0; overflow: hidden; pointer-events: none; }
/* Labels of joints that are not drawn would float. */
:host([bones='hidden']) .badges { display: none; }
.badge { position: absolute; left: 9px; top: -24px; padding: 0 6px; border-radius: 8px; background: var(--_panel);
  box-shadow: 0 0 0 1.5px var(--_accent); color: var(--_text); font-size: 11px; font-weight: 600; line-height: 16px;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
/* The line never takes a press from the picture; only its handle does. */
.split { --_at: 50%; position: absolute; inset: 0; overflow: hidden; pointer-events: none; }
.half { position: absolute; top: 0; bottom: 0; overflow: hidden; }
.half.left { left: 0; width: var(--_at); }
.half.right { right: 0; width: calc(100% - var(--_at)); }
.half-name { position: absolute; top: var(--pliant-names-top, 12px); padding: 3px 10px; border-radius: 12px; background: var(--_panel);
  box-shadow: 0 1px 3px #0003; font-size: 12px; font-weight: 600; line-height: 18px; font-variant-numeric: tabular-nums;
  box-sizing: border-box; width: max-content; max-width: max(130px, 100% - 24px); text-wrap: balance; }
/* In the outer corners, off what is compared. */
.half.left .half-name { left: 12px; }
.half.right .half-name { right: 12px; }
.half-name.waiting { color: color-mix(in srgb, var(--_text) 65%, transparent); font-style: italic; }
.divider { position: absolute; inset: 0; outline: none; }
.divider::before { position: absolute; top: 0; bottom: 0; left: var(--_at); width: 2px; margin-left: -1px; background: #fff;
  box-shadow: 0 0 0 0.5px #0006, 0 0 6px #0003; content: ''; }
.handle { position: absolute; top: 82%; left: clamp(22px, var(--_at), 100% - 22px); display: grid; place-items: center; width: 36px;
  height: 36px; translate: -50% -50%; border-radius: 50%; background: #fff; box-shadow: 0 0 0 0.5px #0006, 0 2px 8px #0004;
  color: #1c232d; cursor: ew-resize; pointer-events: auto; touch-action: none; }
.handle::before { position: absolute; inset: -6px; border-radius: 50%; content: ''; }
.handle svg { width: 20px; height: 20px; fill: none; stroke: currentcolor; stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; }
.divider:focus-visible .handle { outline: 2px solid var(--_accent); outline-offset: 2px; }
.legend.compared { right: 12px; left: auto; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
`;

const BODY = `
<canvas part="canvas" tabindex="0" role="application" aria-label="3D view" aria-describedby="help"></canvas>
<div class="badges" part="badges" aria-hidden="true"></div>
<div class="split" part="split" hidden>
<div class="half left"><span class="half-name" part="half-name"></span></div>
<div class="half right"><span class="half-name" part="half-name"></span></div>
<div class="divider" part="divider" role="separator" tabindex="0" aria-orientation="vertical" aria-valuemin="0" aria-valuemax="100">
<span class="handle"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M7.5 6 3.5 10l4 4M12.5 6l4 4-4 4"/></svg></span></div>
</div>
<div class="legend" part="legend" hidden></div>
<div class="legend compared" part="legend compared-legend" hidden></div>
<div class="message" part="message" role="alert" hidden></div>
<div class="unseen" id="help">Arrow keys turn the view, plus and minus zoom, F brings the character into view,
R puts the pose back to rest, brackets select the previous and next joint, Escape lets go.</div>
<div class="unseen" role="status"></div>
`;

export interface Shadow {
  canvas: HTMLCanvasElement;
  badges: HTMLElement;
  legend: HTMLElement;
  /** The right half's, of a divided picture. */
  comparedLegend: HTMLElement;
  divider: DividerParts;
  message: HTMLElement;
  status: HTMLElement;
}

export function buildShadow(host: HTMLElement): Shadow {
  const root = host.attachShadow({ mode: 'open', delegatesFocus: true });
  // Constructed sheets are not subject to the host page's policy on inline styles.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  const template = document.createElement('template');
  template.innerHTML = BODY;
  root.append(template.content);
  const find = <T extends Element>(selector: string): T => {
    const found = root.querySelector<T>(selector);
    if (!found) throw new Error(`${selector} is missing`);
    return found;
  };
  return {
    canvas: find('canvas'),
    badges: find('.badges'),
    legend: find('.legend'),
    comparedLegend: find('.legend.compared'),
    divider: {
      box: find('.split'),
      line: find('.divider'),
      handle: find('.handle'),
      names: [find('.left .half-name'), find('.right .half-name')],
    },
    message: find('.message'),
    status: find('[role=status]'),
  };
}

/** A canvas that was freed keeps its lost context for ever; a new one does not. */
export function freshCanvas(old: HTMLCanvasElement): HTMLCanvasElement {
  const fresh = old.cloneNode(false) as HTMLCanvasElement;
  fresh.removeAttribute('width');
  fresh.removeAttribute('height');
  old.replaceWith(fresh);
  return fresh;
}
