/**
 * The table of features. The element is assembled from it, and hooks are called in its order.
 *
 * `Tools` is last, so that `gesture-end` comes after the events that say what the gesture has
 * changed.
 */
import type { PliantViewerApi, PostSkinningParameters, RecipeParameters, ViewerState } from '../api.ts';
import { Bones } from './bones.ts';
import { Camera } from './camera.ts';
import { DeformerFeature } from './deformer.ts';
import { Examples } from './examples.ts';
import { Export } from './export.ts';
import { Fit } from './fit.ts';
import { Handles } from './handles.ts';
import { Hover } from './hover.ts';
import { JointPlacement } from './joint_placement.ts';
import { Motions } from './motions.ts';
import { Playback } from './playback.ts';
import { Pose } from './pose.ts';
import { PostSkinning } from './post_skinning.ts';
import { SecondView } from './second_view.ts';
import { Selection } from './selection.ts';
import { ShowFeature } from './show.ts';
import { Skeleton } from './skeleton.ts';
import { SoftnessLabels } from './softness_labels.ts';
import { Source } from './source.ts';
import { State } from './state.ts';
import { Theme } from './theme.ts';
import { Tools } from './tools.ts';
import { Weights } from './weights.ts';

export const FEATURES = [
  State,
  Source,
  Skeleton,
  Weights,
  DeformerFeature,
  Examples,
  Fit,
  Playback,
  Motions,
  Handles,
  Selection,
  Pose,
  JointPlacement,
  PostSkinning,
  SecondView,
  ShowFeature,
  SoftnessLabels,
  Bones,
  Theme,
  Camera,
  Hover,
  Export,
  Tools,
] as const;

type Table = (typeof FEATURES)[number];
type Intersection<U> = (U extends unknown ? (member: U) => void : never) extends (member: infer I) => void
  ? I
  : never;

/** The members that one feature puts on the element. */
type MembersOf<F> = F extends { new (...args: never): infer T; readonly members: readonly (infer K)[] }
  ? Pick<T, K & keyof T>
  : never;

/** All members that the table puts on the element. */
export type FeatureMembers = Intersection<MembersOf<Table>> & RecipeParameters & PostSkinningParameters;

type StateOf<F> = F extends { new (...args: never): { partialState(): infer S } } ? S : never;

/**
 * The compiler checks here that the features offer the whole public interface and the whole state.
 */
export type OffersWholeApi = Expect<FeatureMembers extends PliantViewerApi ? true : false>;
export type OffersWholeState = Expect<Intersection<StateOf<Table>> extends ViewerState ? true : false>;
type Expect<T extends true> = T;
