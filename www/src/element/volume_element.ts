/** The properties about volume and folds. */
import type { Brush, CorrectionMode, VolumeFigures } from '../wasm.ts';
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
    return [...this[CHARACTER].flesh.excluded];
  }
  set volumeExcluded(joints: readonly string[]) {
    this[CHARACTER].flesh.excluded = [...joints];
  }

  get volumeMap(): Float32Array | null {
    return this[CHARACTER].flesh.map;
  }
  set volumeMap(map: Float32Array | null) {
    this[CHARACTER].flesh.map = map;
  }

  get volumeBrush(): Brush | null {
    const { brush } = this[CHARACTER].flesh;
    return brush && { ...brush };
  }
  set volumeBrush(brush: Brush | null) {
    this[CHARACTER].flesh.setBrush(brush && { ...brush });
  }

  get volumeFigures(): VolumeFigures | null {
    return this[CHARACTER].flesh.figures;
  }

  sampleVolume(count: number, signal?: AbortSignal): Promise<readonly VolumeSample[]> {
    return this[CHARACTER].flesh.sample(count, signal);
  }
}
