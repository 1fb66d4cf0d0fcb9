/** The clip: play, pause, scrub, speed. */
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import { SPEEDS } from '../parameters.ts';
import type { Studio } from '../studio.ts';
import { button, rename } from '../ui/button.ts';
import { list } from '../ui/choice.ts';
import { follow } from '../viewer.ts';

/** Finer than a frame at 60 per second. */
const STEP_SECONDS = 0.01;

export function transport({ viewer }: Studio): HTMLElement {
  const play = button({
    label: 'Play',
    icon: 'play',
    bare: true,
    keys: 'Space',
    class: 'play',
    onclick: () => (viewer.paused ? viewer.play() : viewer.pause()),
  });
  const scrub = h('input', {
    type: 'range',
    class: 'range',
    min: 0,
    step: STEP_SECONDS,
    'aria-label': 'Time in clip',
  });
  const time = h('span', { class: 'time', 'aria-hidden': 'true' });
  const clip = list({
    label: 'Clip',
    bare: true,
    choices: [],
    onchange: (name) => {
      viewer.animationName = name;
      sync();
    },
  });
  const speed = list({
    label: 'Speed',
    bare: true,
    choices: SPEEDS.map((rate) => ({ value: String(rate), label: `${rate}×`, about: '' })),
    onchange: (rate) => {
      viewer.playbackRate = Number(rate);
    },
  });
  clip.element.classList.add('clip');
  speed.element.classList.add('speed');

  let playing = false;
  scrub.addEventListener('pointerdown', () => {
    playing = !viewer.paused;
    viewer.pause();
  });
  scrub.addEventListener('input', () => {
    viewer.currentTime = Number(scrub.value);
  });
  scrub.addEventListener('change', () => {
    if (playing) viewer.play();
    playing = false;
  });

  let shownPaused: boolean | null = null;
  const sync = (): void => {
    const { duration, currentTime, paused } = viewer;
    scrub.max = String(Math.max(duration, STEP_SECONDS));
    scrub.value = String(currentTime);
    scrub.style.setProperty('--from', '0');
    scrub.style.setProperty('--to', String(duration > 0 ? Math.min(1, currentTime / duration) : 0));
    scrub.setAttribute('aria-valuetext', `${currentTime.toFixed(1)} of ${duration.toFixed(1)} seconds`);
    time.textContent = `${clock(currentTime)} / ${clock(duration)}`;
    if (paused !== shownPaused) {
      shownPaused = paused;
      play.replaceChildren(icon(paused ? 'play' : 'pause'));
      rename(play, paused ? 'Play' : 'Pause');
    }
  };
  const syncClips = (): void => {
    const names = viewer.animations;
    clip.fill(names.map((name) => ({ value: name, label: name, about: '' })));
    clip.set(viewer.animationName ?? names[0] ?? '');
    speed.set(String(viewer.playbackRate));
    element.hidden = names.length === 0;
    sync();
  };

  const element = h(
    'div',
    { class: 'transport', role: 'group', 'aria-label': 'Clip' },
    play,
    clip.element,
    scrub,
    time,
    speed.element,
  );
  follow(viewer, ['time-update'], sync);
  follow(viewer, ['load', 'rig-complete'], syncClips);
  return element;
}

function clock(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = (seconds - minutes * 60).toFixed(1);
  return `${minutes}:${rest.padStart(4, '0')}`;
}
