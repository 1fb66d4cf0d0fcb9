/** Icons of the page: 16 × 16, drawn with strokes in the colour of the text. */

const STROKES = {
  arm: '<path d="M2.75 2.5v5.75a3.5 3.5 0 0 0 3.5 3.5h5.5a1.75 1.75 0 0 0 0-3.5h-4.5a1 1 0 0 1-1-1V2.5"/>',
  bone: '<path d="M5.3 10.7l5.4-5.4"/><circle cx="4" cy="12" r="1.75"/><circle cx="12" cy="4" r="1.75"/>',
  brush:
    '<path d="M13.6 2.4c-2.9 1-5.6 3.3-7 5.9l1.3 1.3c2.6-1.4 4.9-4.1 5.9-7z"/><path d="M6.3 8.9c-1.7-.4-3 .6-3.1 2.2-.1 1-.5 1.7-1.2 2.2 2.4.7 5.2-.4 5.3-2.6"/>',
  check: '<path d="M3.25 8.5l3.25 3.25 6.25-7"/>',
  chevron: '<path d="M4.5 6.25L8 9.75l3.5-3.5"/>',
  close: '<path d="M4.25 4.25l7.5 7.5M11.75 4.25l-7.5 7.5"/>',
  compare:
    '<path d="M8 1.75v12.5M6 3.25H3.75c-.7 0-1.25.55-1.25 1.25v7c0 .7.55 1.25 1.25 1.25H6M10 3.25h2.25c.7 0 1.25.55 1.25 1.25v7c0 .7-.55 1.25-1.25 1.25H10M10.25 6.25h1M10.25 8h1M10.25 9.75h1"/>',
  cylinder:
    '<ellipse cx="8" cy="3.9" rx="3.6" ry="1.6"/><path d="M4.4 3.9v8.2c0 .9 1.6 1.6 3.6 1.6s3.6-.7 3.6-1.6V3.9"/>',
  'cylinder-off-centre':
    '<ellipse cx="8" cy="3.9" rx="3.6" ry="1.6"/><path d="M4.4 3.9v8.2c0 .9 1.6 1.6 3.6 1.6s3.6-.7 3.6-1.6V3.9M9.8 6.5v4.75"/>',
  download:
    '<path d="M8 2.5v7.25M4.75 6.75L8 10l3.25-3.25M2.75 12.25v.25c0 .7.55 1.25 1.25 1.25h8c.7 0 1.25-.55 1.25-1.25v-.25"/>',
  elephant:
    '<path d="M2.6 13.2V8.4C2.6 6 4.3 4.4 6.6 4.4h3.2c2.2 0 3.7 1.5 3.7 3.6v4.1c0 1.3.7 1.3.9.4M5.4 13.2v-2.6h3.2v2.6M9.2 4.6c-.5 1.9.1 3.4 1.8 3.6"/>',
  error: '<circle cx="8" cy="8" r="5.75"/><path d="M8 5v3.5M8 10.9v.1"/>',
  file: '<path d="M9 2.25H4.75c-.7 0-1.25.55-1.25 1.25v9c0 .7.55 1.25 1.25 1.25h6.5c.7 0 1.25-.55 1.25-1.25V5.75zM9 2.25v3.5h3.5"/>',
  flip: '<path d="M3 6.5h9M9.5 3.75L12.25 6.5 9.5 9.25M13 11.5H4M6.5 8.75L3.75 11.5l2.75 2.75"/>',
  folder:
    '<path d="M2.25 4.5c0-.7.55-1.25 1.25-1.25h2.7l1.5 1.75h4.8c.7 0 1.25.55 1.25 1.25v5.25c0 .7-.55 1.25-1.25 1.25h-9c-.7 0-1.25-.55-1.25-1.25z"/>',
  frame:
    '<path d="M2.75 5.5V4c0-.7.55-1.25 1.25-1.25h1.5M10.5 2.75H12c.7 0 1.25.55 1.25 1.25v1.5M13.25 10.5V12c0 .7-.55 1.25-1.25 1.25h-1.5M5.5 13.25H4c-.7 0-1.25-.55-1.25-1.25v-1.5"/><circle cx="8" cy="8" r="1.5"/>',
  giraffe:
    '<path d="M4.2 13.5V9.6c0-.9.6-1.6 1.5-1.6h1.6c.9 0 1.3-.5 1.4-1.4l.5-4.1h.5l2.3 1.2M10.6 4.6L9.4 13.5M6.4 13.5v-2.8h3.2"/>',
  hand: '<path d="M5 9V4.25a.9.9 0 0 1 1.8 0V7.5V3.4a.9.9 0 0 1 1.8 0v4.1V4a.9.9 0 0 1 1.8 0v3.9V5.8a.9.9 0 0 1 1.8 0v3.7c0 2.6-1.6 4.25-3.9 4.25-1.9 0-2.9-.9-3.8-2.6L3 8.7c-.5-1 .8-1.8 1.5-.9z"/>',
  handle:
    '<circle cx="8" cy="8" r="2.25"/><path d="M8 1.75v2M8 12.25v2M1.75 8h2M12.25 8h2"/><circle cx="8" cy="8" r="4.5"/>',
  help: '<circle cx="8" cy="8" r="5.75"/><path d="M6.4 6.5c0-.95.7-1.6 1.65-1.6s1.6.6 1.6 1.45c0 1.2-1.65 1.25-1.65 2.5M8 10.95v.1"/>',
  info: '<circle cx="8" cy="8" r="5.75"/><path d="M8 7.5V11M8 5v.1"/>',
  link: '<path d="M6.75 9.25a2.4 2.4 0 0 0 3.4 0l2.4-2.4a2.4 2.4 0 0 0-3.4-3.4l-.9.9M9.25 6.75a2.4 2.4 0 0 0-3.4 0l-2.4 2.4a2.4 2.4 0 0 0 3.4 3.4l.9-.9"/>',
  mannequin:
    '<circle cx="8" cy="3.4" r="1.6"/><path d="M3 7.2c1.6-.7 3.2-1 5-1s3.4.3 5 1M8 6.2v3.3M8 9.5L5.6 13.9M8 9.5l2.4 4.4"/>',
  minus: '<path d="M4.5 8h7"/>',
  mirror: '<path d="M8 2.25v11.5M5.75 4.75L2.5 11.25h3.25zM10.25 4.75l3.25 6.5h-3.25z"/>',
  moon: '<path d="M13 9.4A5.4 5.4 0 0 1 6.6 3 5.4 5.4 0 1 0 13 9.4z"/>',
  more: '<path d="M3.5 8h.01M8 8h.01M12.5 8h.01" stroke-width="2.2"/>',
  move: '<path d="M8 2.5v11M2.5 8h11M6.25 4.25L8 2.5l1.75 1.75M6.25 11.75L8 13.5l1.75-1.75M4.25 6.25L2.5 8l1.75 1.75M11.75 6.25L13.5 8l-1.75 1.75"/>',
  off: '<circle cx="8" cy="8" r="5.25"/><path d="M4.3 4.3l7.4 7.4"/>',
  plus: '<path d="M8 3.5v9M3.5 8h9"/>',
  pose: '<circle cx="9.2" cy="3" r="1.5"/><path d="M2.75 5.5l3.5 1 3-.6 2.6 1.9 1.9-1.9M8.6 6.2L7.9 9.6M7.9 9.6l2.9 1.5-.4 2.9M7.9 9.6l-2.3 1.2-2.6 2.6"/>',
  redo: '<path d="M10 3.25L13 6.25l-3 3M13 6.25H6.5a3.25 3.25 0 0 0 0 6.5h3"/>',
  reset: '<path d="M3.25 3.25v3h3M3.5 6.1A5 5 0 1 1 3 8.6"/>',
  rotate:
    '<circle cx="8" cy="8" r="1.5"/><path d="M2.5 8a5.5 5.5 0 0 1 9.6-3.65M13.5 8a5.5 5.5 0 0 1-9.6 3.65M12.4 1.9v2.6H9.8M3.6 14.1v-2.6h2.6"/>',
  search: '<circle cx="7" cy="7" r="4.25"/><path d="M10.25 10.25l3 3"/>',
  sun: '<circle cx="8" cy="8" r="2.6"/><path d="M8 1.75v1.5M8 12.75v1.5M14.25 8h-1.5M3.25 8h-1.5M12.4 3.6l-1.05 1.05M4.65 11.35L3.6 12.4M12.4 12.4l-1.05-1.05M4.65 4.65L3.6 3.6"/>',
  tip: '<path d="M3 13h10M4.5 10.5V3.25M4.5 3.25h0M13 10a7 7 0 0 0-5.2-6.1M9.9 2.6L7.6 3.85l1.25 2.3"/>',
  turn: '<ellipse cx="8" cy="9.5" rx="5.5" ry="2.6"/><path d="M8 1.75v5M9.3 10.4L7.6 12.1l1.7 1.7"/>',
  undo: '<path d="M6 3.25L3 6.25l3 3M3 6.25h6.5a3.25 3.25 0 0 1 0 6.5h-3"/>',
  warning:
    '<path d="M7.1 3.1L2.2 11.5c-.4.7.1 1.5.9 1.5h9.8c.8 0 1.3-.8.9-1.5L8.9 3.1c-.4-.7-1.4-.7-1.8 0zM8 6.4v2.9M8 11.2v.1"/>',
} as const;

const SOLID = {
  pause:
    '<rect x="4" y="3.25" width="2.75" height="9.5" rx=".8"/><rect x="9.25" y="3.25" width="2.75" height="9.5" rx=".8"/>',
  play: '<path d="M5 3.6c0-.7.75-1.1 1.35-.75l6.6 4.4c.5.35.5 1.15 0 1.5l-6.6 4.4c-.6.35-1.35-.05-1.35-.75z"/>',
  stop: '<rect x="4" y="4" width="8" height="8" rx="1.2"/>',
} as const;

export type IconName = keyof typeof STROKES | keyof typeof SOLID;

const NAMESPACE = 'http://www.w3.org/2000/svg';

/** An icon, hidden from screen readers: its meaning must be in the label of the control. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(NAMESPACE, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', `icon${name in SOLID ? ' icon-solid' : ''}`);
  svg.setAttribute('aria-hidden', 'true');
  svg.innerHTML = { ...STROKES, ...SOLID }[name];
  return svg;
}
