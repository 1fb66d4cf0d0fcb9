import type { Deformer, PostSkinningOptions, RigPacket, Show, Viewer } from '../wasm.ts';
import type { ViewIndex } from './feature.ts';
export function showRig(v: Viewer | undefined, view: ViewIndex, rig: RigPacket): void {
  if (view === 0) v?.showRig(rig);
  else v?.showCompared(rig);
}
export function clearView(v: Viewer | undefined, view: ViewIndex): void {
  if (view === 0) v?.forgetRig();
  else v?.endComparison();
}
export function knownBase(v: Viewer | undefined, view: ViewIndex): string | undefined {
  return view === 0 ? v?.knownBase : v?.baseToCompare();
}
export function setShow(v: Viewer, view: ViewIndex, show: Show): void {
  if (view === 0) v.setShow(show);
  else v.setComparedShow(show);
}
export function setDeformer(v: Viewer, view: ViewIndex, d: Deformer): void {
  if (view === 0) v.setDeformer(d);
  else v.setComparedDeformer(d);
}
export function setPostSkinning(v: Viewer, view: ViewIndex, o: PostSkinningOptions): void {
  if (view === 0) v.setPostSkinning(o);
  else v.setComparedPostSkinning(o);
}
export function setFolded(v: Viewer | undefined, view: ViewIndex, vertices: Uint32Array): void {
  v?.setFolded(vertices, view === 1);
}
export function posedVertices(v: Viewer, view: ViewIndex): Float32Array | undefined {
  return view === 0 ? v.posedVertices() : v.comparedVertices();
}
