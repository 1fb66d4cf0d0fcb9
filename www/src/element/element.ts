/** `<pliant-viewer>`: attributes are the state, methods act, events report. See `api.ts`. */
import { PliantFailure } from '../solver/failure.ts';
import { transitionText } from '../transition.ts';
import type {
  CameraPlace,
  Deformer,
  Method,
  Metric,
  ModelInfo,
  Recipe,
  RigReport,
  Show,
  Transition,
} from '../wasm.ts';
import { Viewer } from '../wasm.ts';
import type { JointAngles, ModelSource, PliantViewerApi, PliantViewerEvents, Point } from './api.ts';
import {
  bonesOf,
  deformerOf,
  dividerOf,
  influencesOf,
  methodOf,
  metricOf,
  OBSERVED,
  type ObservedAttribute,
  overlapMetricOf,
  overlapOf,
  reflect,
  showOf,
  transitionOf,
} from './attributes.ts';
import { Character } from './character.ts';
import { pictureOf } from './picture.ts';

/** A node that is moved within the page is taken out and put in again at once; that is not a removal. */
const MOVE_MS = 50;

export class PliantViewer extends HTMLElement implements PliantViewerApi {
  static readonly observedAttributes: readonly string[] = OBSERVED;

  readonly #character: Character;
  #release: ReturnType<typeof setTimeout> | undefined;
  #isReflecting = false;

  constructor() {
    super();
    this.#character = new Character(this, {
      emit: (type, detail) => this.#emit(type, detail),
    });
  }

  connectedCallback(): void {
    this.#adoptEarly();
    clearTimeout(this.#release);
    this.#release = undefined;
    this.#character.connect();
  }

  disconnectedCallback(): void {
    this.#release = setTimeout(() => this.#character.disconnect(), MOVE_MS);
  }

  attributeChangedCallback(name: ObservedAttribute, before: string | null, after: string | null): void {
    if (before === after || this.#isReflecting) return;
    switch (name) {
      case 'src':
        this.#character.setSrc(after);
        break;
      case 'method':
        this.#character.changeRecipe({ method: methodOf(after) });
        break;
      case 'max-influences':
        this.#character.changeRecipe({ max_influences: influencesOf(after) });
        break;
      case 'overlap':
        this.#character.changeAtlas({ k: overlapOf(after) });
        break;
      case 'distance':
        this.#character.changeAtlas({ distance: metricOf(after) });
        break;
      case 'overlap-distance':
        this.#character.changeAtlas({ overlap_distance: overlapMetricOf(after) });
        break;
      case 'transition':
        this.#character.changeAtlas({ transition: transitionOf(after) });
        break;
      case 'bones':
        this.#character.poser.setBones(bonesOf(after) === 'shown');
        break;
      case 'deformer':
        this.#character.poser.setDeformer(deformerOf(after));
        this.#character.split.refresh();
        break;
      case 'show':
        this.#character.poser.setShow(showOf(after));
        this.#character.split.refresh();
        break;
      case 'compare':
        this.#character.split.setMethod(after === null ? null : methodOf(after));
        break;
      case 'compare-show':
      case 'compare-deformer':
      case 'divider':
        this.#character.split.refresh();
        break;
      case 'autoplay':
        if (after !== null) this.#character.poser.play();
        break;
      case 'animation-name':
        this.#character.poser.chooseClip(after);
        break;
      case 'theme':
        this.#character.updateLook();
        break;
    }
  }

  /** Properties that were set before the tag was defined hide the real ones until they are set again. */
  #adoptEarly(): void {
    for (const name of Object.keys(this)) {
      if (!(name in PliantViewer.prototype)) continue;
      const value: unknown = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
  }

  // Attributes.

  get src(): string | null {
    return this.getAttribute('src');
  }
  set src(value: string | null) {
    reflect(this, 'src', value);
  }

  get method(): Method {
    return this.#character.recipe.method;
  }
  set method(value: Method) {
    reflect(this, 'method', value);
  }

  get deformer(): Deformer {
    return deformerOf(this.getAttribute('deformer'));
  }
  set deformer(value: Deformer) {
    reflect(this, 'deformer', value);
  }

  get maxInfluences(): number {
    return this.#character.recipe.max_influences;
  }
  set maxInfluences(value: number) {
    reflect(this, 'max-influences', String(value));
  }

  get overlap(): number {
    return this.#character.recipe.atlas.k;
  }
  set overlap(value: number) {
    reflect(this, 'overlap', String(value));
  }

  get distance(): Metric {
    return this.#character.recipe.atlas.distance;
  }
  set distance(value: Metric) {
    reflect(this, 'distance', value);
  }

  get overlapDistance(): Metric | null {
    return this.#character.recipe.atlas.overlap_distance;
  }
  set overlapDistance(value: Metric | null) {
    reflect(this, 'overlap-distance', value);
  }

  get transition(): Transition {
    return structuredClone(this.#character.recipe.atlas.transition);
  }
  set transition(value: Transition) {
    reflect(this, 'transition', transitionText(value));
  }

  get overlapByJoint(): Readonly<Record<string, number>> {
    return { ...this.#character.recipe.atlas.k_joints };
  }
  set overlapByJoint(value: Readonly<Record<string, number>>) {
    this.#character.changeAtlas({ k_joints: { ...value } });
  }

  get bones(): 'shown' | 'hidden' {
    return bonesOf(this.getAttribute('bones'));
  }
  set bones(value: 'shown' | 'hidden') {
    reflect(this, 'bones', value === 'hidden' ? 'hidden' : null);
  }

  get show(): Show {
    return showOf(this.getAttribute('show'));
  }
  set show(value: Show) {
    reflect(this, 'show', value);
  }

  get autoplay(): boolean {
    return this.hasAttribute('autoplay');
  }
  set autoplay(value: boolean) {
    reflect(this, 'autoplay', value);
  }

  get animationName(): string | null {
    return this.#character.poser.clip;
  }
  set animationName(value: string | null) {
    if (value === this.getAttribute('animation-name')) this.#character.poser.chooseClip(value);
    else reflect(this, 'animation-name', value);
  }

  get theme(): 'auto' | 'light' | 'dark' {
    const theme = this.getAttribute('theme');
    return theme === 'light' || theme === 'dark' ? theme : 'auto';
  }
  set theme(value: 'auto' | 'light' | 'dark') {
    reflect(this, 'theme', value === 'auto' ? null : value);
  }

  get recipe(): Recipe {
    return structuredClone(this.#character.recipe);
  }
  set recipe(value: Recipe) {
    this.#isReflecting = true;
    reflect(this, 'method', value.method);
    reflect(this, 'max-influences', String(value.max_influences));
    reflect(this, 'overlap', String(value.atlas.k));
    reflect(this, 'distance', value.atlas.distance);
    reflect(this, 'overlap-distance', value.atlas.overlap_distance);
    reflect(this, 'transition', transitionText(value.atlas.transition));
    this.#isReflecting = false;
    this.#character.changeRecipe(structuredClone(value));
  }

  // The divided picture.

  get compare(): Method | null {
    return this.#character.split.comparison.recipe?.method ?? null;
  }
  set compare(value: Method | null) {
    reflect(this, 'compare', value);
  }

  get divider(): number {
    return dividerOf(this.getAttribute('divider'));
  }
  set divider(value: number) {
    reflect(this, 'divider', String(value));
  }

  get compareShow(): Show | null {
    const show = this.getAttribute('compare-show');
    return show === null ? null : showOf(show);
  }
  set compareShow(value: Show | null) {
    reflect(this, 'compare-show', value);
  }

  get compareDeformer(): Deformer | null {
    const deformer = this.getAttribute('compare-deformer');
    return deformer === null ? null : deformerOf(deformer);
  }
  set compareDeformer(value: Deformer | null) {
    reflect(this, 'compare-deformer', value);
  }

  get compareRecipe(): Recipe | null {
    return structuredClone(this.#character.split.comparison.recipe);
  }
  set compareRecipe(value: Recipe | null) {
    this.#isReflecting = true;
    reflect(this, 'compare', value?.method ?? null);
    this.#isReflecting = false;
    this.#character.split.comparison.change(structuredClone(value));
  }

  get compareReport(): RigReport | null {
    return this.#character.split.comparison.report;
  }

  // What there is.

  get model(): ModelInfo | null {
    return this.#character.model;
  }

  get report(): RigReport | null {
    return this.#character.report;
  }

  get loaded(): boolean {
    return this.#character.model !== null;
  }

  get busy(): boolean {
    return this.#character.isBusy;
  }

  // In and out.

  load(source: ModelSource): Promise<void> {
    return this.#character.load(source);
  }

  loadSkeleton(files: readonly File[]): Promise<void> {
    return this.#character.loadSkeleton(files);
  }

  useTemplate(member: Parameters<PliantViewerApi['useTemplate']>[0]): Promise<void> {
    return this.#character.useTemplate(member);
  }

  rig(): Promise<RigReport> {
    return this.#character.rig();
  }

  cancel(): void {
    this.#character.cancel();
  }

  exportGLB(): Promise<Blob> {
    return this.#character.exportGLB();
  }

  async toBlob(type = 'image/png'): Promise<Blob> {
    const viewer = this.#character.viewer;
    if (!viewer)
      throw new PliantFailure({ code: 'nothing_loaded', message: 'Nothing is shown yet', hint: '' });
    const { width, height } = this.#character.canvas;
    return pictureOf(viewer, width, height, type);
  }

  // Posing.

  get pose(): JointAngles {
    return this.#character.poser.pose;
  }

  setPose(angles: JointAngles): void {
    this.#character.poser.setPose(angles);
  }

  resetPose(): void {
    this.#character.poser.setPose({});
  }

  get selectedJoint(): string | null {
    return this.#character.poser.selected;
  }
  set selectedJoint(joint: string | null) {
    this.#character.poser.select(joint);
  }

  // The clip.

  get animations(): readonly string[] {
    return this.#character.model?.clips.map(({ name }) => name) ?? [];
  }

  get duration(): number {
    return this.#character.poser.playback.duration;
  }

  get currentTime(): number {
    return this.#character.poser.playback.time;
  }
  set currentTime(seconds: number) {
    this.#character.poser.seek(seconds);
  }

  get playbackRate(): number {
    return this.#character.poser.playback.rate;
  }
  set playbackRate(rate: number) {
    if (Number.isFinite(rate)) this.#character.poser.playback.rate = rate;
  }

  get paused(): boolean {
    return this.#character.poser.playback.isPaused;
  }

  play(): void {
    this.#character.poser.play();
  }

  pause(): void {
    this.#character.poser.pause();
  }

  // Placing joints.

  get placingJoints(): boolean {
    return this.#character.poser.isPlacing;
  }
  set placingJoints(on: boolean) {
    this.#character.poser.setPlacing(on);
  }

  get mirrorJoints(): boolean {
    return this.#character.poser.mirrors;
  }
  set mirrorJoints(on: boolean) {
    this.#character.poser.setMirrors(on);
  }

  get jointPositions(): Readonly<Record<string, Point>> {
    return this.#character.poser.jointPositions;
  }

  jointPositionsWith(joint: string, to: Point): Readonly<Record<string, Point>> {
    return this.#character.poser.jointPositionsWith(joint, to);
  }

  setJointPositions(positions: Readonly<Record<string, Point>>): Promise<void> {
    return this.#character.setJointPositions(positions);
  }

  frame(): void {
    this.#character.poser.frame();
  }

  get camera(): CameraPlace | null {
    return this.#character.viewer?.camera() ?? null;
  }
  set camera(place: CameraPlace | null) {
    if (place && this.#character.viewer?.setCamera({ ...place })) this.#character.poser.moved();
  }

  transitionCurve(transition: Transition, count: number): readonly number[] {
    return this.#character.viewer ? [...Viewer.transitionCurve(transition, count)] : [];
  }

  /** The viewer behind the tag and the memory of both instances, for tests; not part of the interface. */
  get [Symbol.for('pliant.inside')](): { viewer: Viewer | undefined; memory(): Promise<[number, number]> } {
    return { viewer: this.#character.viewer, memory: () => this.#character.memory() };
  }

  #emit<K extends keyof PliantViewerEvents>(type: K, detail: PliantViewerEvents[K]): void {
    const bubbles = type !== 'load' && type !== 'error';
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles, composed: true }));
  }
}
