/** Playback of the clip: play, pause, time, speed, and rotations on top of it. */
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import type { Studio } from '../studio.ts';
import { button, rename } from '../ui/button.ts';
import { list } from '../ui/choice.ts';
import { SPEEDS } from '../words.ts';

/** Step of the time slider, in seconds: finer than a frame at 60 per second. */
const STEP_SECONDS = 0.01;

/** Marks clips of the library that the character does not have yet. */
const LIBRARY = 'library:';

export function transport({ viewer, state, pose }: Studio): HTMLElement {
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
      if (name.startsWith(LIBRARY)) void viewer.addMotion(name.slice(LIBRARY.length)).catch(() => undefined);
      else viewer.animationName = name;
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
  let filled = '';
  const offsets = h('span', { class: 'offsets-count' });
  const clear = button({
    label: 'Clear',
    kind: 'quiet',
    class: 'offsets-clear',
    onclick: () => pose.clearOffsets(),
  });
  clear.dataset['tip'] = 'Show the clip without the rotations on top of it';
  const offsetBox = h('span', { class: 'offsets', role: 'status', hidden: true }, offsets, clear);
  state.follow(['poseOffsets'], ({ poseOffsets }) => {
    const count = Object.keys(poseOffsets).length;
    offsetBox.hidden = count === 0;
    offsets.textContent = count === 1 ? '1 joint rotated' : `${count} joints rotated`;
    offsets.dataset['tip'] = `On top of the clip: ${Object.keys(poseOffsets).join(', ')}`;
  });
  const element = h(
    'div',
    { class: 'transport', role: 'group', 'aria-label': 'Clip' },
    play,
    clip.element,
    scrub,
    time,
    offsetBox,
    speed.element,
  );
  state.follow(['playback', 'motionLibrary'], ({ playback, motionLibrary }) => {
    const { duration, currentTime, paused, animations } = playback;
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
    const offered = motionLibrary.filter((name) => !animations.includes(name));
    const shown = [...animations, '', ...offered].join('\n');
    if (filled !== shown) {
      filled = shown;
      clip.fill([
        ...animations.map((name) => ({ value: name, label: name, about: '' })),
        ...offered.map((name) => ({ value: LIBRARY + name, label: `+ ${name}`, about: '' })),
      ]);
    }
    clip.set(playback.clip ?? animations[0] ?? '');
    speed.set(String(playback.playbackRate));
    element.hidden = animations.length === 0 && offered.length === 0;
  });
  return element;
}

function clock(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = (seconds - minutes * 60).toFixed(1);
  return `${minutes}:${rest.padStart(4, '0')}`;
}
