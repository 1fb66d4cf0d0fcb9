//! The joints that drive bones, as a tree. A *limb* is such a joint with its bones.

use std::ops::Range;

use glam::DVec3;

use super::Constants;
use crate::math::sort_few;
use crate::model::{Bone, Skeleton, Tail};

/// One joint that drives bones.
struct Limb {
    joint: usize,
    /// Range of its bones in the skeleton's list.
    bones: Range<usize>,
    parent: Option<usize>,
    has_virtual_tail: bool,
    /// Index in depth-first order, in which the descendants of a limb follow it directly.
    first: u32,
    /// Index after its last descendant in that order.
    end: u32,
}

/// All limbs, in the order of the skeleton.
pub(super) struct Limbs {
    limbs: Vec<Limb>,
    limb_of_bone: Vec<usize>,
    breadth_first: Vec<usize>,
}

impl Limbs {
    pub(super) fn of(skeleton: &Skeleton) -> Self {
        let bones = skeleton.bones();
        let mut limbs: Vec<Limb> = Vec::new();
        let mut limb_of_bone = Vec::with_capacity(bones.len());
        for (i, bone) in bones.iter().enumerate() {
            match limbs.last_mut().filter(|limb| limb.joint == bone.joint) {
                Some(limb) => limb.bones.end = i + 1,
                None => {
                    let (joint, has_virtual_tail) = (bone.joint, bone.end == Tail::Virtual);
                    let bones = i..i + 1;
                    limbs.push(Limb { joint, bones, parent: None, has_virtual_tail, first: 0, end: 0 });
                }
            }
            limb_of_bone.push(limbs.len() - 1);
        }
        for limb in &mut limbs {
            limb.parent = bones[limb.bones.start].parent.map(|parent| limb_of_bone[parent]);
        }
        let mut tree = Self { limbs, limb_of_bone, breadth_first: Vec::new() };
        tree.number(bones);
        tree
    }

    /// Computes the depth-first order. Of siblings, the one with most descendants comes first: a
    /// twist bone beside a forearm gets only what the forearm leaves of the upper arm.
    fn number(&mut self, bones: &[Bone]) {
        let mut below = vec![Vec::new(); self.limbs.len()];
        let mut roots = Vec::new();
        for (i, limb) in self.limbs.iter().enumerate() {
            match limb.parent {
                Some(parent) => below[parent].push(i),
                None => roots.push(i),
            }
        }
        let mut order: Vec<usize> = roots.clone();
        let mut next = 0;
        while next < order.len() {
            order.extend_from_slice(&below[order[next]]);
            next += 1;
        }
        let mut sizes = vec![1usize; self.limbs.len()];
        for &limb in order.iter().rev() {
            if let Some(parent) = self.limbs[limb].parent {
                sizes[parent] += sizes[limb];
            }
        }
        let reach = |limb: usize| {
            let parent = self.limbs[limb].parent.map_or(DVec3::ZERO, |p| head(bones, &self.limbs[p]));
            head(bones, &self.limbs[limb]).distance(parent)
        };
        // Rounded, so that of a left and a right limb the first in the file comes first, however
        // the model is rotated.
        let farthest = (0..self.limbs.len()).map(reach).fold(f64::MIN_POSITIVE, f64::max);
        let steps = |limb: usize| (reach(limb) / farthest * 1e3).round() as u32;
        let by_size =
            |a: &usize, b: &usize| sizes[*b].cmp(&sizes[*a]).then(steps(*b).cmp(&steps(*a))).then(a.cmp(b));
        below.iter_mut().for_each(|siblings| sort_few(siblings, by_size));
        let mut stack: Vec<usize> = roots.into_iter().rev().collect();
        let mut count = 0;
        while let Some(limb) = stack.pop() {
            self.limbs[limb].first = count;
            self.limbs[limb].end = count + sizes[limb] as u32;
            count += 1;
            stack.extend(below[limb].iter().rev());
        }
        let mut breadth_first: Vec<usize> =
            self.limbs.iter().enumerate().filter(|(_, l)| l.parent.is_none()).map(|(i, _)| i).collect();
        let mut next = 0;
        while next < breadth_first.len() {
            breadth_first.extend_from_slice(&below[breadth_first[next]]);
            next += 1;
        }
        self.breadth_first = breadth_first;
    }

    pub(super) fn len(&self) -> usize {
        self.limbs.len()
    }

    pub(super) fn joint(&self, limb: usize) -> usize {
        self.limbs[limb].joint
    }

    pub(super) fn parent(&self, limb: usize) -> Option<usize> {
        self.limbs[limb].parent
    }

    pub(super) fn bones(&self, limb: usize) -> Range<usize> {
        self.limbs[limb].bones.clone()
    }

    pub(super) fn of_bone(&self, bone: usize) -> usize {
        self.limb_of_bone[bone]
    }

    /// Whether a limb is a leaf with a virtual tail beside siblings: an eye, an ear or a jaw on a
    /// head, whose bone says little about the extent of its region.
    pub(super) fn is_side_leaf(&self, limb: usize) -> bool {
        let Limb { parent, first, end, has_virtual_tail, .. } = self.limbs[limb];
        let is_sibling = |(other, of): (usize, &Limb)| other != limb && of.parent == parent;
        has_virtual_tail
            && end - first == 1
            && parent.is_some()
            && self.limbs.iter().enumerate().any(is_sibling)
    }

    /// Whether `limb` is `above` or a descendant of it.
    #[inline]
    pub(super) fn is_below(&self, limb: usize, above: usize) -> bool {
        let Limb { first, end, .. } = self.limbs[above];
        (first..end).contains(&self.limbs[limb].first)
    }

    /// The root of a limb's tree.
    pub(super) fn root(&self, limb: usize) -> usize {
        std::iter::successors(Some(limb), |&limb| self.limbs[limb].parent).last().unwrap_or(limb)
    }

    /// Every limb with children, parents before children, with its children in depth-first order.
    pub(super) fn families(&self) -> impl Iterator<Item = (usize, &[usize])> + '_ {
        let families = self.breadth_first.chunk_by(|&a, &b| self.parent(a) == self.parent(b));
        families.filter_map(|children| Some((self.parent(children[0])?, children)))
    }
}

/// The bones, each ending where a twist bone of a child limb begins. From there on both run side by
/// side, and which of them is nearer would be arbitrary.
pub(super) fn without_twisted_ends(skeleton: &Skeleton, limbs: &Limbs, constants: &Constants) -> Vec<Bone> {
    let (tolerance, min_cosine) = (constants.twist_tolerance as f32, constants.twist_min_cosine as f32);
    let mut bones = skeleton.bones().to_vec();
    for limb in 0..limbs.len() {
        let Some(parent) = limbs.parent(limb) else { continue };
        let Bone { head, tail, .. } = skeleton.bones()[limbs.bones(limb).start];
        for i in limbs.bones(parent) {
            let whole = skeleton.bones()[i];
            let (along, length) = (whole.tail - whole.head, whole.length());
            let parameter = (head - whole.head).dot(along) / along.length_squared();
            let is_twist_bone = (tolerance..=1.0 - tolerance).contains(&parameter)
                && whole.nearest(head).distance(head) <= tolerance * length
                && (tail - head).dot(along) >= min_cosine * head.distance(tail) * length;
            let end = whole.head + along * parameter;
            if is_twist_bone && whole.head.distance(end) < bones[i].length() {
                bones[i].tail = end;
            }
        }
    }
    bones
}

fn head(bones: &[Bone], limb: &Limb) -> DVec3 {
    bones[limb.bones.start].head.as_dvec3()
}
