/** The properties about volume and folds. */
import type { Brush, CorrectionMode, VolumeStats } from '../wasm.ts';
import type { VolumeChoice, VolumeSample } from './api.ts';
import { exponentOf, reflect, volumeModeOf, volumeOf } from './attributes.ts';
import { CHARACTER } from './base.ts';
import { ComparedElement } from './compared_element.ts';

export abstract class VolumeElement extends ComparedElement {
  get volume(): VolumeChoice {
    return volumeOf(this.getAttribute('volume'));
  }
  set volume(value: VolumeChoice) {
    reflect(this, 'volume', value === 'off' ? null : value);
  }

  get volumeAlpha(): number {
    return exponentOf(this.getAttribute('volume-alpha'), 'alpha');
  }
  set volumeAlpha(value: number) {
    reflect(this, 'volume-alpha', String(value));
  }

  get volumeBeta(): number {
    return exponentOf(this.getAttribute('volume-beta'), 'beta');
  }
  set volumeBeta(value: number) {
    reflect(this, 'volume-beta', String(value));
  }

  get volumeMode(): CorrectionMode {
    return volumeModeOf(this.getAttribute('volume-mode'));
  }
  set volumeMode(value: CorrectionMode) {
    reflect(this, 'volume-mode', value);
  }

  get foldGuard(): boolean {
    return this.hasAttribute('fold-guard');
  }
  set foldGuard(value: boolean) {
    reflect(this, 'fold-guard', value);
  }

  get compareVolume(): VolumeChoice | null {
    const volume = this.getAttribute('compare-volume');
    return volume === null ? null : volumeOf(volume);
  }
  set compareVolume(value: VolumeChoice | null) {
    reflect(this, 'compare-volume', value);
  }

  get volumeExcluded(): readonly string[] {
    return [...this[CHARACTER].postSkinning.excluded];
  }
  set volumeExcluded(joints: readonly string[]) {
    this[CHARACTER].postSkinning.excluded = [...joints];
  }

  get volumeMap(): Float32Array | null {
    return this[CHARACTER].postSkinning.map;
  }
  set volumeMap(map: Float32Array | null) {
    this[CHARACTER].postSkinning.map = map;
  }

  get volumeBrush(): Brush | null {
    const { brush } = this[CHARACTER].postSkinning;
    return brush && { ...brush };
  }
  set volumeBrush(brush: Brush | null) {
    this[CHARACTER].postSkinning.setBrush(brush && { ...brush });
  }

  get volumeStats(): VolumeStats | null {
    return this[CHARACTER].postSkinning.figures;
  }

  sampleVolume(count: number, signal?: AbortSignal): Promise<readonly VolumeSample[]> {
    return this[CHARACTER].postSkinning.sample(count, signal);
  }
}
