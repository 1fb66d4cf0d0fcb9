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
import type {
  ExportOptions,
  JointAngles,
  ModelSource,
  PliantViewerApi,
  Point,
  ToolName,
  ViewerState,
} from './api.ts';
import {
  bonesOf,
  deformerOf,
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
import { CHANGED, CHARACTER, REFLECTING } from './base.ts';
import { HandlesElement } from './handles_element.ts';
import { pictureOf } from './picture.ts';

/** A node that is moved within the page is taken out and put in again at once; that is not a removal. */
const MOVE_MS = 50;

export class PliantViewer extends HandlesElement implements PliantViewerApi {
  static readonly observedAttributes: readonly string[] = OBSERVED;

  #release: ReturnType<typeof setTimeout> | undefined;

  connectedCallback(): void {
    this.#adoptEarly();
    clearTimeout(this.#release);
    this.#release = undefined;
    this[CHARACTER].connect();
  }

  disconnectedCallback(): void {
    this.#release = setTimeout(() => this[CHARACTER].disconnect(), MOVE_MS);
  }

  attributeChangedCallback(name: ObservedAttribute, before: string | null, after: string | null): void {
    if (before === after || this[REFLECTING]) return;
    if (name === 'show' || name === 'deformer' || name === 'bones' || name === 'theme') this[CHANGED](name);
    switch (name) {
      case 'src':
        this[CHARACTER].setSrc(after);
        break;
      case 'method':
        this[CHARACTER].rigging.change({ method: methodOf(after) });
        break;
      case 'max-influences':
        this[CHARACTER].rigging.change({ max_influences: influencesOf(after) });
        break;
      case 'overlap':
        this[CHARACTER].rigging.changeAtlas({ k: overlapOf(after) });
        break;
      case 'distance':
        this[CHARACTER].rigging.changeAtlas({ distance: metricOf(after) });
        break;
      case 'overlap-distance':
        this[CHARACTER].rigging.changeAtlas({ overlap_distance: overlapMetricOf(after) });
        break;
      case 'transition':
        this[CHARACTER].rigging.changeAtlas({ transition: transitionOf(after) });
        break;
      case 'bones':
        this[CHARACTER].poser.setBones(bonesOf(after) === 'shown');
        break;
      case 'deformer':
        this[CHARACTER].poser.setDeformer(deformerOf(after));
        this[CHARACTER].split.refresh();
        break;
      case 'show':
        this[CHARACTER].poser.setShow(showOf(after));
        this[CHARACTER].fit.refresh();
        this[CHARACTER].split.refresh();
        break;
      case 'compare':
        this[CHARACTER].split.setMethod(after === null ? null : methodOf(after));
        break;
      case 'compare-show':
      case 'compare-deformer':
      case 'divider':
        this[CHARACTER].split.refresh();
        break;
      case 'volume':
      case 'volume-alpha':
      case 'volume-beta':
      case 'volume-mode':
      case 'fold-guard':
      case 'compare-volume':
        this[CHARACTER].postSkinning.refresh();
        this[CHARACTER].split.refresh();
        break;
      case 'autoplay':
        if (after !== null) this[CHARACTER].poser.play();
        break;
      case 'animation-name':
        this[CHARACTER].poser.chooseClip(after);
        break;
      case 'theme':
        this[CHARACTER].updateLook();
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

  get state(): ViewerState {
    const { compareRecipe } = this;
    return {
      model: this.model,
      busy: this.busy,
      recipe: this.recipe,
      report: this.report,
      deformer: this.deformer,
      show: this.show,
      bones: this.bones,
      theme: this.theme,
      secondView: compareRecipe && {
        recipe: compareRecipe,
        report: this.compareReport,
        deformer: this.compareDeformer,
        show: this.compareShow,
        volume: this.compareVolume,
      },
      divider: this.divider,
      postSkinning: {
        volume: this.volume,
        alpha: this.volumeAlpha,
        beta: this.volumeBeta,
        mode: this.volumeMode,
        excluded: this.volumeExcluded,
        foldGuard: this.foldGuard,
      },
      volumeMap: this.volumeMap,
      volumeStats: this.volumeStats,
      pose: this.pose,
      poseOffsets: this.poseOffsets,
      playback: {
        clip: this.animationName,
        animations: this.animations,
        currentTime: this.currentTime,
        duration: this.duration,
        playbackRate: this.playbackRate,
        paused: this.paused,
      },
      selectedJoint: this.selectedJoint,
      selectedHandle: this.selectedHandle,
      tool: this.tool,
      brush: { ...this[CHARACTER].postSkinning.chosenBrush },
      mirrorJoints: this.mirrorJoints,
      jointPositions: this.jointPositions,
      handles: this.handles,
      handlePositions: this.handlePositions,
      handleTargets: this.handleTargets,
      examples: this.examples,
      fitProgress: this.fitProgress,
      fit: this.fit,
    };
  }

  get tool(): ToolName {
    return this[CHARACTER].tool;
  }
  set tool(tool: ToolName) {
    this[CHARACTER].tool = tool;
  }

  get poseOffsets(): JointAngles {
    return {};
  }
  set poseOffsets(_offsets: JointAngles) {
    this[CHANGED]('poseOffsets');
  }

  clearPoseOffsets(): void {
    this.poseOffsets = {};
  }

  // Attributes.

  get src(): string | null {
    return this.getAttribute('src');
  }
  set src(value: string | null) {
    reflect(this, 'src', value);
  }

  get method(): Method {
    return this[CHARACTER].recipe.method;
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
    return this[CHARACTER].recipe.max_influences;
  }
  set maxInfluences(value: number) {
    reflect(this, 'max-influences', String(value));
  }

  get overlap(): number {
    return this[CHARACTER].recipe.atlas.k;
  }
  set overlap(value: number) {
    reflect(this, 'overlap', String(value));
  }

  get distance(): Metric {
    return this[CHARACTER].recipe.atlas.distance;
  }
  set distance(value: Metric) {
    reflect(this, 'distance', value);
  }

  get overlapDistance(): Metric | null {
    return this[CHARACTER].recipe.atlas.overlap_distance;
  }
  set overlapDistance(value: Metric | null) {
    reflect(this, 'overlap-distance', value);
  }

  get transition(): Transition {
    return structuredClone(this[CHARACTER].recipe.atlas.transition);
  }
  set transition(value: Transition) {
    reflect(this, 'transition', transitionText(value));
  }

  get overlapByJoint(): Readonly<Record<string, number>> {
    return { ...this[CHARACTER].recipe.atlas.k_joints };
  }
  set overlapByJoint(value: Readonly<Record<string, number>>) {
    this[CHARACTER].rigging.changeAtlas({ k_joints: { ...value } });
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
    return this[CHARACTER].poser.clip;
  }
  set animationName(value: string | null) {
    if (value === this.getAttribute('animation-name')) this[CHARACTER].poser.chooseClip(value);
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
    return structuredClone(this[CHARACTER].recipe);
  }
  set recipe(value: Recipe) {
    this[REFLECTING] = true;
    reflect(this, 'method', value.method);
    reflect(this, 'max-influences', String(value.max_influences));
    reflect(this, 'overlap', String(value.atlas.k));
    reflect(this, 'distance', value.atlas.distance);
    reflect(this, 'overlap-distance', value.atlas.overlap_distance);
    reflect(this, 'transition', transitionText(value.atlas.transition));
    this[REFLECTING] = false;
    this[CHARACTER].rigging.change(structuredClone(value));
  }

  // What there is.

  get model(): ModelInfo | null {
    return this[CHARACTER].model;
  }

  get report(): RigReport | null {
    return this[CHARACTER].report;
  }

  get loaded(): boolean {
    return this[CHARACTER].model !== null;
  }

  get busy(): boolean {
    return this[CHARACTER].isBusy;
  }

  // In and out.

  load(source: ModelSource): Promise<void> {
    return this[CHARACTER].arrivals.load(source);
  }

  loadSkeleton(files: readonly File[]): Promise<void> {
    return this[CHARACTER].arrivals.loadSkeleton(files);
  }

  useTemplate(member: Parameters<PliantViewerApi['useTemplate']>[0]): Promise<void> {
    return this[CHARACTER].arrivals.useTemplate(member);
  }

  rig(): Promise<RigReport> {
    return this[CHARACTER].rigging.rig();
  }

  cancel(): void {
    this[CHARACTER].cancel();
  }

  exportGLB(options: ExportOptions = {}): Promise<Blob> {
    return this[CHARACTER].exportGLB(options);
  }

  async toBlob(type = 'image/png'): Promise<Blob> {
    const viewer = this[CHARACTER].viewer;
    if (!viewer)
      throw new PliantFailure({ code: 'nothing_loaded', message: 'Nothing is shown yet', hint: '' });
    const { width, height } = this[CHARACTER].canvas;
    return pictureOf(viewer, width, height, type);
  }

  // Posing.

  get pose(): JointAngles {
    return this[CHARACTER].poser.pose;
  }

  setPose(angles: JointAngles): void {
    this[CHARACTER].poser.setPose(angles);
  }

  resetPose(): void {
    this[CHARACTER].resetPose();
  }

  get selectedJoint(): string | null {
    return this[CHARACTER].poser.selected;
  }
  set selectedJoint(joint: string | null) {
    this[CHARACTER].poser.select(joint);
  }

  // The clip.

  get animations(): readonly string[] {
    return this[CHARACTER].model?.clips.map(({ name }) => name) ?? [];
  }

  get duration(): number {
    return this[CHARACTER].poser.playback.duration;
  }

  get currentTime(): number {
    return this[CHARACTER].poser.playback.time;
  }
  set currentTime(seconds: number) {
    this[CHARACTER].poser.seek(seconds);
  }

  get playbackRate(): number {
    return this[CHARACTER].poser.playback.rate;
  }
  set playbackRate(rate: number) {
    if (Number.isFinite(rate)) {
      this[CHARACTER].poser.playback.rate = rate;
      this[CHANGED]('playback');
    }
  }

  get paused(): boolean {
    return this[CHARACTER].poser.playback.isPaused;
  }

  play(): void {
    this[CHARACTER].poser.play();
  }

  pause(): void {
    this[CHARACTER].poser.pause();
  }

  // Placing joints.

  get placingJoints(): boolean {
    return this[CHARACTER].poser.isPlacing;
  }
  set placingJoints(on: boolean) {
    this[CHARACTER].poser.setPlacing(on);
  }

  get mirrorJoints(): boolean {
    return this[CHARACTER].poser.mirrors;
  }
  set mirrorJoints(on: boolean) {
    this[CHARACTER].poser.setMirrors(on);
  }

  get jointPositions(): Readonly<Record<string, Point>> {
    return this[CHARACTER].poser.jointPositions;
  }

  jointPositionsWith(joint: string, to: Point): Readonly<Record<string, Point>> {
    return this[CHARACTER].poser.jointPositionsWith(joint, to);
  }

  setJointPositions(positions: Readonly<Record<string, Point>>): Promise<void> {
    return this[CHARACTER].arrivals.setJointPositions(positions);
  }

  frame(): void {
    this[CHARACTER].poser.frame();
  }

  get camera(): CameraPlace | null {
    return this[CHARACTER].viewer?.camera() ?? null;
  }
  set camera(place: CameraPlace | null) {
    if (place && this[CHARACTER].viewer?.setCamera({ ...place })) this[CHARACTER].poser.moved();
  }

  transitionCurve(transition: Transition, count: number): readonly number[] {
    return this[CHARACTER].viewer ? [...Viewer.transitionCurve(transition, count)] : [];
  }

  /** The viewer behind the tag and the memory of both instances, for tests; not part of the interface. */
  get [Symbol.for('pliant.inside')](): { viewer: Viewer | undefined; memory(): Promise<[number, number]> } {
    return { viewer: this[CHARACTER].viewer, memory: () => this[CHARACTER].memory() };
  }
}
