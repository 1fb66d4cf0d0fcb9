//! The fold-over guard: in a bent joint, flesh of one bone does not pass through the other's.
//!
//! In, once: the mesh at rest, weights, bones. In, per frame: the motion of every joint and posed positions. Out: vertices that
//! crossed the contact between two bones are back at it. Source: Rohmer, Hahmann, Cani 2008, §5.4; PAPERS §4.5.
//! Cost per frame: a few operations for each vertex near a joint that is bent; nothing is allocated.
//!
//! A vertex has crossed over when a bone is nearer than the one that was nearest at rest. Of two bones that meet in a
//! joint the points equally near to both are a plane, so nothing needs to be stepped or bisected: a vertex goes straight
//! back to it. (The paper's own measure divides distances by the bones' lengths; then the contact is curved, and triangles flattened
//! against it from both sides cut through each other. The paper also goes back towards the bone; then what crossed far is laid
//! over what crossed little: a finger bent by 120° kept 8 of 53 cuts.) A hair's breadth is left between the sides.

use glam::{Mat3, Mat4, Vec3, Vec3A};

use super::volume::is_shared;
use crate::math::{larger, unit_or};
use crate::model::{Bone, Mesh, Skeleton, Weights};

/// Vertices this many thicknesses from a joint may touch in it: at 150° contact reaches 3.7. Larger: neighbouring
/// fingers are held as well. Smaller: far ends of strongly bent bones pass through each other.
const REACH: f32 = 4.0;

/// A vertex belongs to a joint's flesh when both bones hold this much of it.
const SHARED: f32 = 0.1;

/// Bones meet when the gap between them is less than this share of the shorter one.
const MEETS: f32 = 0.1;

/// What is left between both sides of a contact, in thicknesses. Larger: a visible slit. Smaller: rounding
/// lets triangles touch.
const SLIT: f32 = 0.02;

/// And for every height that a vertex had above the contact at rest: skin that is laid over itself at the ends of a crease stays in the order it had. Larger: slits open
/// towards the far ends of bones. Smaller: of 64 fingers bent by 120°, of four sizes and methods, 1 is cut at 0.02, 10 at zero.
const LAYERS: f32 = 0.04;

/// A contact goes on this many thicknesses past the joint, away from the bend: flesh that swells sideways crosses over at the ends of a crease. Larger: the
/// outside of a bend is held. Smaller: a little finger bent by 120° keeps 3 of 73 cuts (7 at zero).
const AROUND: f32 = 0.45;

/// A contact is felt this many thicknesses before it is reached, at most, so that nothing stops with a jerk. Larger: flesh is parted that does not touch yet. Smaller: rigid
/// flesh stops within a frame.
const CUSHION: f32 = 0.2;

/// At its end a contact sets in over this many thicknesses. Larger: fingers bent by 135° are cut more. Smaller: what slides into it jumps.
const RIM: f32 = 0.3;

/// What follows one bone and lies on the other's side of the contact by this many thicknesses at rest is left alone. Larger: a sitting figure's crotch is carried away by its
/// thighs. Smaller: fingers are cut.
const STRAY: f32 = 0.25;

/// What its two bones hold less of than this, others may carry over the contact of a slight bend: flesh around it goes along, so it cuts nothing.
const DRAGGED: f32 = 0.98;

/// A way of less than this many thicknesses is not gone. Larger: it sets in with a jump. Smaller: rounding moves what stands still.
const TOUCHING: f32 = 3e-5;

/// A joint counts as bent when it is bent by this many radians more than at rest (9°). Larger: flesh that touches early passes through. Smaller: "inside
/// the bend" is not a direction yet.
const LEAST_BEND: f32 = 0.15;

/// Its contact holds wholly when it is bent by this much more (29°). Larger: flesh that touches early passes through. Smaller: contacts set in with a jump.
const SET_IN: f32 = 0.35;

/// And the joint counts as wholly bent when it is bent by this much (53°).
const FULL_BEND: f32 = 0.93;

/// Within this many thicknesses of a contact, vertices are held back from growing into it. Larger: what is left to swell stands out. Smaller: an index
/// finger bent by 120° keeps 8 of 81 cuts.
const SOFT: f32 = 0.8;

/// Farther away they are all but free.
const HELD: f32 = 0.95 * SOFT;

/// What is farther than this many thicknesses from a contact does not grow over it. Larger: takes longer. Smaller: what swells much crosses.
const NEAR: f32 = 0.4;

/// Guards the joints of one character.
#[derive(Clone, Debug, Default)]
pub struct Folds {
    hinges: Vec<Hinge>,
    vertices: Vec<Guarded>,
    /// In the pose that was guarded last: the hinges, if they are bent, and (hinge, guarded vertex, how near it may come) near contacts.
    bents: Vec<Option<Bent>>,
    near: Vec<(u32, u32, f32)>,
    /// Vertices at and near contacts, and how free they still are.
    held: Vec<(u32, f32)>,
    /// Vertices that were moved again, by how much, and how free they still are.
    again: Vec<(u32, Vec3A, f32)>,
    is_else_moved: bool,
}

/// A joint between two bones that meet.
#[derive(Clone, Debug)]
struct Hinge {
    joints: [usize; 2],
    /// The far end of the upper bone, the joint, the far end of the lower bone, at rest.
    places: [Vec3; 3],
    /// By how many radians it is bent at rest.
    rest_angle: f32,
    /// How far the flesh around the joint reaches.
    thickness: f32,
    vertices: std::ops::Range<usize>,
}

/// A vertex near a hinge.
#[derive(Clone, Copy, Debug)]
struct Guarded {
    vertex: u32,
    /// +1 on the lower bone's side at rest, −1 on the upper's.
    side: f32,
    /// How near to the contact it may come, and how much before that it feels it.
    gap: f32,
    felt: f32,
    /// From the joint, at rest.
    rest: Vec3,
    /// Whether several joints hold it, by more than next to nothing, and how much of what its own bone does not hold the other one does.
    is_shared: bool,
    other: f32,
    /// Where joints of other hinges hold it as well: how much of what the upper and the lower bone hold each of them does.
    dragged: Option<[f32; 2]>,
    /// Whether someone else looks after its normal.
    is_covered: bool,
}

/// A hinge as it stands.
#[derive(Clone, Copy, Debug)]
struct Bent {
    joint: Vec3,
    /// Unit normal of the contact, towards the lower bone's side.
    normal: Vec3,
    /// Unit vector from the joint into the bend.
    inner: Vec3,
    /// From 0 for a slight bend to 1: how far its contact has set in, and how strongly it holds what is near.
    onset: f32,
    strength: f32,
    thickness: f32,
    by_thickness: f32,
    /// How far above the contact the upper and the lower bone put what stands at rest: along a vector from the joint, and all of it.
    heights: [(Vec3, f32); 2],
}

fn weight_of(weights: &Weights, vertex: usize, joint: usize) -> f32 {
    weights.row(vertex).iter().find(|i| i.column as usize == joint).map_or(0.0, |i| i.weight)
}

/// The bone that the flesh above a joint is around: the one that ends there, or, where that is shorter than the flesh is thick, as from a pelvis to its thighs, the
/// one of its joint, or before it, that leads away most from the lower bone.
fn trunk_of<'a>(bones: &'a [Bone], upper: &'a Bone, lower: &Bone, thickness: f32) -> &'a Bone {
    if upper.length() >= thickness {
        return upper;
    }
    let along = unit_or(lower.tail - lower.head, Vec3::ZERO);
    let towards = |bone: &Bone| unit_or(far_end(bone, lower.head) - lower.head, Vec3::ZERO).dot(along);
    let others = bones.iter().filter(|bone| bone.joint == upper.joint);
    let before = upper.parent.map(|parent| &bones[parent]);
    others.chain(before).min_by(|a, b| towards(a).total_cmp(&towards(b))).unwrap_or(upper)
}

/// The end of a bone that is farther from a place.
fn far_end(bone: &Bone, from: Vec3) -> Vec3 {
    if bone.head.distance_squared(from) >= bone.tail.distance_squared(from) { bone.head } else { bone.tail }
}

/// How two bones that meet stand to each other.
struct Corner {
    /// Unit vectors across the plane equally near to both, towards the lower one, and into the bend; none when the bones are in line.
    normal: Vec3,
    inner: Vec3,
    /// By how many radians they are bent.
    angle: f32,
}

impl Corner {
    fn new([upper, joint, lower]: [Vec3; 3]) -> Self {
        let along = [upper, lower].map(|end| unit_or(end - joint, Vec3::ZERO));
        let (across, inner) = (along[1] - along[0], along[0] + along[1]);
        let angle = 2.0 * inner.length().atan2(across.length());
        Self { normal: unit_or(across, Vec3::ZERO), inner: unit_or(inner, Vec3::ZERO), angle }
    }
}

impl Folds {
    /// Finds the joints where two bones meet in flesh that both hold.
    pub fn new(mesh: &Mesh, weights: &Weights, skeleton: &Skeleton) -> Self {
        let mut folds = Self::default();
        let bones = skeleton.bones();
        for lower in bones {
            let Some(upper) = lower.parent.map(|parent| &bones[parent]) else { continue };
            let apart = upper.tail.distance(lower.head);
            if upper.joint != lower.joint && apart <= MEETS * upper.length().min(lower.length()) {
                folds.add(mesh, weights, (bones, upper, lower));
            }
        }
        folds.again.reserve_exact(folds.vertices.len());
        folds.held.reserve_exact(folds.vertices.len());
        folds.near.reserve_exact(folds.vertices.len());
        folds.bents = vec![None; folds.hinges.len()];
        folds
    }

    fn add(&mut self, mesh: &Mesh, weights: &Weights, (bones, upper, lower): (&[Bone], &Bone, &Bone)) {
        let joints = [upper.joint, lower.joint];
        let holds = |vertex: usize, joint: usize| weight_of(weights, vertex, joint) > SHARED;
        let (mut sum, mut count) = (0.0, 0);
        for (vertex, position) in mesh.positions().iter().enumerate() {
            if joints.iter().all(|&joint| holds(vertex, joint)) {
                sum += upper
                    .nearest(*position)
                    .distance(*position)
                    .min(lower.nearest(*position).distance(*position));
                count += 1;
            }
        }
        if count == 0 {
            return;
        }
        let thickness = sum / count as f32;
        let trunk = trunk_of(bones, upper, lower, thickness);
        let places = [far_end(trunk, lower.head), lower.head, lower.tail];
        let Corner { normal, angle: rest_angle, .. } = Corner::new(places);
        let start = self.vertices.len();
        for (vertex, &position) in mesh.positions().iter().enumerate() {
            let follows = weights.dominant(vertex) as usize;
            let from_joint = position - lower.head;
            if !joints.contains(&follows) || from_joint.length() > REACH * thickness {
                continue;
            }
            // A palm has many bones; only what is nearest to the one that leads here is of this joint.
            let distance = |bone: &Bone| bone.nearest(position).distance_squared(position);
            let near = distance(upper).min(distance(trunk)).min(distance(lower));
            if bones.iter().any(|bone| joints.contains(&bone.joint) && distance(bone) < near) {
                continue;
            }
            let height = from_joint.dot(normal);
            let side = if height < 0.0 { -1.0 } else { 1.0 };
            // A crotch is of the pelvis, and on the thighs' side.
            let is_beyond = (height < 0.0) != (follows == upper.joint);
            if is_beyond && height.abs() > STRAY * thickness {
                continue;
            }
            let gap = (0.5 * height.abs()).min(SLIT * thickness + LAYERS * height.abs());
            // Not where it is at rest: nothing is parted that has not come nearer.
            let felt = (height.abs() - gap).clamp(TOUCHING * thickness, CUSHION * thickness);
            let (rest, is_shared) = (from_joint, is_shared(weights, vertex));
            let [of_upper, of_lower] = joints.map(|joint| weight_of(weights, vertex, joint));
            let (own, other) = if side < 0.0 { (of_upper, of_lower) } else { (of_lower, of_upper) };
            let other = if is_shared { (other / (1.0 - own)).min(1.0) } else { 0.0 };
            let both = of_upper + of_lower;
            let dragged = (both < DRAGGED && both > 0.0).then(|| [of_upper / both, of_lower / both]);
            let vertex = vertex as u32;
            self.vertices.push(Guarded {
                vertex,
                side,
                gap,
                felt,
                rest,
                is_shared,
                other,
                dragged,
                is_covered: false,
            });
        }
        self.hinges.push(Hinge {
            joints,
            places,
            rest_angle,
            thickness,
            vertices: start..self.vertices.len(),
        });
    }

    /// How many joints are guarded.
    pub fn hinges(&self) -> usize {
        self.hinges.len()
    }

    /// The two joints of every guarded hinge: the upper bone's and the lower's.
    pub fn joints(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        self.hinges.iter().map(|hinge| hinge.joints)
    }

    /// The vertices that a hinge guards.
    pub fn vertices(&self, hinge: usize) -> impl Iterator<Item = usize> + '_ {
        self.vertices[self.hinges[hinge].vertices.clone()].iter().map(|guarded| guarded.vertex as usize)
    }

    /// Takes note of the vertices that someone else moves as well.
    pub fn cover(&mut self, is_covered: impl Fn(u32) -> bool) {
        self.vertices.iter_mut().for_each(|guarded| guarded.is_covered = is_covered(guarded.vertex));
    }

    /// Whether other vertices than those were moved in the last frame.
    pub fn is_else_moved(&self) -> bool {
        self.is_else_moved
    }

    /// Vertices at and near contacts in the last frame, and how free they still are: zero for what must not move any more.
    pub fn held(&self) -> &[(u32, f32)] {
        &self.held
    }

    /// Moves vertices of `positions` (the solve mesh's, posed) that crossed a contact back to it. Whether any did.
    pub fn guard(&mut self, posed_from_rest: &[Mat4], positions: &mut [Vec3]) -> bool {
        self.held.clear();
        self.near.clear();
        self.is_else_moved = false;
        let mut any = false;
        for (number, hinge) in self.hinges.iter().enumerate() {
            let matrices = hinge.joints.map(|joint| &posed_from_rest[joint]);
            self.bents[number] = hinge.bent(matrices);
            let Some(bent) = self.bents[number] else { continue };
            for (guarded, index) in self.vertices[hinge.vertices.clone()].iter().zip(hinge.vertices.start..) {
                let alone = bent.alone(guarded);
                if !guarded.is_shared && alone - guarded.gap >= HELD * bent.thickness {
                    // Its bone alone moves it, and keeps it away.
                    continue;
                }
                let position = &mut positions[guarded.vertex as usize];
                let from_joint = *position - bent.joint;
                let inside = bent.inside(from_joint);
                if inside <= 0.0 {
                    continue;
                }
                let at = guarded.side * from_joint.dot(bent.normal);
                let height = bent.undragged(guarded, at);
                let beyond = bent.beyond(guarded, height, alone);
                let back = guarded.cushioned(guarded.gap - (height - beyond)) - beyond;
                if back.abs() > TOUCHING * bent.thickness {
                    *position += bent.normal * bent.way(guarded, back, inside);
                    any = true;
                    self.is_else_moved |= !guarded.is_covered;
                }
                let above = height + back - guarded.gap;
                if above < HELD * bent.thickness {
                    self.held.push((guarded.vertex, bent.freedom(above, inside)));
                }
                if above < NEAR * bent.thickness && guarded.is_covered {
                    self.near.push((number as u32, index as u32, (at + back).min(guarded.gap)));
                }
            }
        }
        any
    }

    /// Looks in the same pose again at what is covered and was near contacts: which vertices would have to move, by how much, from where they
    /// are `now`, and how free they still are then.
    pub fn guard_again(&mut self, now: impl Fn(u32) -> Vec3) -> &[(u32, Vec3A, f32)] {
        self.again.clear();
        for &(hinge, guarded, gap) in &self.near {
            let guarded = &self.vertices[guarded as usize];
            let Some(bent) = &self.bents[hinge as usize] else { continue };
            let from_joint = now(guarded.vertex) - bent.joint;
            let back = gap - guarded.side * from_joint.dot(bent.normal);
            if back > TOUCHING * bent.thickness {
                let inside = larger(bent.inside(from_joint), 0.0);
                let way = bent.normal * bent.way(guarded, back, inside);
                self.again.push((guarded.vertex, way.into(), bent.freedom(0.0, inside)));
            }
        }
        &self.again
    }
}

impl Hinge {
    /// As it stands; none when it is hardly more bent than at rest.
    fn bent(&self, [upper, lower]: [&Mat4; 2]) -> Option<Bent> {
        let [top, middle, end] = self.places;
        let joint = lower.transform_point3(middle);
        let Corner { normal, inner, angle } =
            Corner::new([upper.transform_point3(top), joint, lower.transform_point3(end)]);
        let more = angle - self.rest_angle - LEAST_BEND;
        let parted = upper.transform_point3(middle) - joint;
        let turned = |matrix: &Mat4| Mat3::from_mat4(*matrix).transpose() * normal;
        // Bones that lie on each other have no plane between them.
        (more > 0.0 && normal != Vec3::ZERO).then(|| Bent {
            joint,
            normal,
            inner,
            onset: smooth(more / SET_IN),
            strength: smooth(more / (FULL_BEND - LEAST_BEND)),
            thickness: self.thickness,
            by_thickness: 1.0 / self.thickness,
            heights: [(turned(upper), parted.dot(normal)), (turned(lower), 0.0)],
        })
    }
}

impl Guarded {
    /// How far it goes when it is so far over a contact, or before it.
    #[inline]
    fn cushioned(&self, over: f32) -> f32 {
        let before = (over + self.felt).clamp(0.0, 2.0 * self.felt);
        before * before / (4.0 * self.felt) + larger(over - self.felt, 0.0)
    }
}

impl Bent {
    /// How far a place is inside the bend, in thicknesses. Outside there is no contact.
    #[inline]
    fn inside(&self, from_joint: Vec3) -> f32 {
        from_joint.dot(self.inner) * self.by_thickness + AROUND
    }

    /// How far from the contact its own bone alone puts a vertex.
    #[inline]
    fn alone(&self, guarded: &Guarded) -> f32 {
        self.by(guarded, usize::from(guarded.side > 0.0))
    }

    /// How far from the contact the upper or the lower bone alone puts a vertex.
    #[inline]
    fn by(&self, guarded: &Guarded, bone: usize) -> f32 {
        let (along, parted) = self.heights[bone];
        guarded.side * (guarded.rest.dot(along) + parted)
    }

    /// How far from the contact a vertex is that is `at` a height, or, where a joint is only a little bent, would be were it not for other joints than these two.
    #[inline]
    fn undragged(&self, guarded: &Guarded, at: f32) -> f32 {
        let Some([upper, lower]) = guarded.dragged else { return at };
        let by_both = upper * self.by(guarded, 0) + lower * self.by(guarded, 1);
        at + (1.0 - self.strength) * larger(by_both - at, 0.0)
    }

    /// How much farther from the contact the other bone has put a vertex than its own alone would, be that over the contact. There it never stays: else the crease drifts to
    /// one side, and what is flattened on that side is cut by it.
    #[inline]
    fn beyond(&self, guarded: &Guarded, height: f32, alone: f32) -> f32 {
        larger(height - alone, 0.0) * self.strength * guarded.other
    }

    /// How far along the normal a vertex goes that is to go `back`; at the end of a contact this sets in gently.
    #[inline]
    fn way(&self, guarded: &Guarded, back: f32, inside: f32) -> f32 {
        guarded.side * back * self.onset * smooth(inside * (1.0 / RIM))
    }

    /// How free a vertex is that stands so far above the contact.
    #[inline]
    fn freedom(&self, above: f32, inside: f32) -> f32 {
        let free = smooth(above * self.by_thickness * (1.0 / SOFT));
        1.0 - self.strength * smooth(inside * (1.0 / SOFT)) * (1.0 - free)
    }
}

/// From 0 to 1 with level ends.
fn smooth(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
