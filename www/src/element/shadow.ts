/**
 * The shadow tree of the element: canvas, labels, divider, legends, messages, and text for screen
 * readers.
 */
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
.joint-labels { position: absolute; inset: 0; overflow: hidden; pointer-events: none; }
/* Without bones, labels would have no joint beside them. */
:host([bones='hidden']) .joint-labels { display: none; }
.joint-label { position: absolute; left: 9px; top: -24px; padding: 0 6px; border-radius: 8px; background: var(--_panel);
  box-shadow: 0 0 0 1.5px var(--_accent); color: var(--_text); font-size: 11px; font-weight: 600; line-height: 16px;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
/* Pointer events pass through the line to the canvas, but not through its handle. */
.split { --_at: 50%; position: absolute; inset: 0; overflow: hidden; pointer-events: none; }
.view { position: absolute; top: 0; bottom: 0; overflow: hidden; }
.view.first { left: 0; width: var(--_at); }
.view.second { right: 0; width: calc(100% - var(--_at)); }
.view-name { position: absolute; top: var(--pliant-names-top, 12px); padding: 3px 10px; border-radius: 12px; background: var(--_panel);
  box-shadow: 0 1px 3px #0003; font-size: 12px; font-weight: 600; line-height: 18px; font-variant-numeric: tabular-nums;
  box-sizing: border-box; width: max-content; max-width: max(130px, 100% - 24px); text-wrap: balance; }
/* In the outer corners, away from the divider. */
.view.first .view-name { left: 12px; }
.view.second .view-name { right: 12px; }
.view-name.waiting { color: color-mix(in srgb, var(--_text) 65%, transparent); font-style: italic; }
.divider { position: absolute; inset: 0; outline: none; }
.divider::before { position: absolute; top: 0; bottom: 0; left: var(--_at); width: 2px; margin-left: -1px; background: #fff;
  box-shadow: 0 0 0 0.5px #0006, 0 0 6px #0003; content: ''; }
.handle { position: absolute; top: 82%; left: clamp(22px, var(--_at), 100% - 22px); display: grid; place-items: center; width: 36px;
  height: 36px; translate: -50% -50%; border-radius: 50%; background: #fff; box-shadow: 0 0 0 0.5px #0006, 0 2px 8px #0004;
  color: #1c232d; cursor: ew-resize; pointer-events: auto; touch-action: none; }
.handle::before { position: absolute; inset: -6px; border-radius: 50%; content: ''; }
.handle svg { width: 20px; height: 20px; fill: none; stroke: currentcolor; stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; }
.divider:focus-visible .handle { outline: 2px solid var(--_accent); outline-offset: 2px; }
.legend.second { right: 12px; left: auto; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
`;

const BODY = `
<canvas part="canvas" tabindex="0" role="application" aria-label="3D view" aria-describedby="help"></canvas>
<div class="joint-labels" part="joint-labels" aria-hidden="true"></div>
<div class="split" part="split" hidden>
<div class="view first"><span class="view-name" part="view-name"></span></div>
<div class="view second"><span class="view-name" part="view-name"></span></div>
<div class="divider" part="divider" role="separator" tabindex="0" aria-orientation="vertical" aria-valuemin="0" aria-valuemax="100">
<span class="handle"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M7.5 6 3.5 10l4 4M12.5 6l4 4-4 4"/></svg></span></div>
</div>
<div class="legend first" part="legend" hidden></div>
<div class="legend second" part="legend second-legend" hidden></div>
<div class="message" part="message" role="alert" hidden></div>
<div class="unseen" id="help">Arrow keys orbit the camera, plus and minus zoom, F frames the character,
R resets the pose, brackets select the previous and next joint, Escape deselects.</div>
<div class="unseen" role="status"></div>
`;

export interface Shadow {
  canvas: HTMLCanvasElement;
  /** Contains the labels of joints. */
  labels: HTMLElement;
  /** One per view. */
  legends: readonly [HTMLElement, HTMLElement];
  divider: DividerParts;
  message: HTMLElement;
  status: HTMLElement;
}

export function buildShadow(host: HTMLElement): Shadow {
  const root = host.attachShadow({ mode: 'open', delegatesFocus: true });
  // A constructed style sheet is not subject to the page's policy on inline styles.
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
    labels: find('.joint-labels'),
    legends: [find('.legend.first'), find('.legend.second')],
    divider: {
      box: find('.split'),
      line: find('.divider'),
      handle: find('.handle'),
      names: [find('.first .view-name'), find('.second .view-name')],
    },
    message: find('.message'),
    status: find('[role=status]'),
  };
}

/** Replaces a canvas whose WebGL context was released, because it cannot get another one. */
export function freshCanvas(old: HTMLCanvasElement): HTMLCanvasElement {
  const fresh = old.cloneNode(false) as HTMLCanvasElement;
  fresh.removeAttribute('width');
  fresh.removeAttribute('height');
  old.replaceWith(fresh);
  return fresh;
}
