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

use glam::{Mat4, Vec3};

use crate::math::unit_or;
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

/// A contact goes on this many thicknesses past the joint, away from the bend: flesh that swells sideways crosses over at the ends of a crease. Larger: the
/// outside of a bend is held. Smaller: a little finger bent by 120° keeps 3 of 73 cuts (7 at zero).
const AROUND: f32 = 0.45;

/// A way of less than this many thicknesses does not count as one. Larger: it shows in volumes. Smaller: rounding asks for another round.
const TOUCHING: f32 = 1e-4;

/// A joint counts as bent when the sum of the unit vectors along its bones is this long, at 9°. Larger: creases start with a
/// jump. Smaller: "inside the bend" is not a direction yet.
const LEAST_BEND: f32 = 0.15;

/// And as wholly bent when it is this long, at 53°.
const FULL_BEND: f32 = 0.9;

/// Within this many thicknesses of a contact, vertices are held back from growing into it. Larger: what is left to swell stands out. Smaller: an index
/// finger bent by 120° keeps 8 of 81 cuts.
const SOFT: f32 = 0.8;

/// Guards the joints of one character.
#[derive(Clone, Debug, Default)]
pub struct Folds {
    hinges: Vec<Hinge>,
    vertices: Vec<Guarded>,
    /// By the last call.
    moved: Vec<u32>,
    held: Vec<(u32, f32)>,
}

/// What the guard did.
#[derive(Clone, Copy, Debug)]
pub struct Touched<'a> {
    /// Vertices that it moved; some may come up twice.
    pub moved: &'a [u32],
    /// Vertices at and near contacts, and how free they still are: zero for what must not move any more.
    pub held: &'a [(u32, f32)],
}

/// A joint between two bones that meet.
#[derive(Clone, Debug)]
struct Hinge {
    joints: [usize; 2],
    /// The far end of the upper bone, the joint, the far end of the lower bone, at rest.
    places: [Vec3; 3],
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
    /// How near to the contact it may come.
    gap: f32,
    /// At rest.
    rest: Vec3,
}

/// A hinge as it stands.
struct Bent {
    joint: Vec3,
    /// Unit vectors from the joint along the upper and the lower bone.
    along: [Vec3; 2],
    /// Unit normal of the contact, towards the lower bone's side.
    normal: Vec3,
    /// Unit vector from the joint into the bend.
    inner: Vec3,
    /// From 0 for a slight bend to 1.
    strength: f32,
}

impl Bent {
    /// None when the bones are all but in line.
    fn new([upper, joint, lower]: [Vec3; 3]) -> Option<Self> {
        let along = [unit_or(upper - joint, Vec3::ZERO), unit_or(lower - joint, Vec3::ZERO)];
        let (across, inner) = (along[1] - along[0], along[0] + along[1]);
        let is_bent = across.length() > f32::EPSILON && inner.length() > LEAST_BEND;
        let strength = smooth((inner.length() - LEAST_BEND) / (FULL_BEND - LEAST_BEND));
        let [normal, inner] = [across, inner].map(|v| unit_or(v, Vec3::ZERO));
        is_bent.then_some(Self { joint, along, normal, inner, strength })
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
        folds.moved.reserve_exact(folds.vertices.len());
        folds.held.reserve_exact(folds.vertices.len());
        folds
    }

    fn add(&mut self, mesh: &Mesh, weights: &Weights, (bones, upper, lower): (&[Bone], &Bone, &Bone)) {
        let joints = [upper.joint, lower.joint];
        let holds = |vertex: usize, joint: usize| {
            weights.row(vertex).iter().any(|i| i.column as usize == joint && i.weight > SHARED)
        };
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
        let places = [upper.head, lower.head, lower.tail];
        let along = [0, 2].map(|end| unit_or(places[end] - lower.head, Vec3::ZERO));
        let normal = unit_or(along[1] - along[0], Vec3::ZERO);
        let start = self.vertices.len();
        for (vertex, &position) in mesh.positions().iter().enumerate() {
            let follows = weights.dominant(vertex) as usize;
            let from_joint = position - lower.head;
            if !joints.contains(&follows) || from_joint.length() > REACH * thickness {
                continue;
            }
            // A palm has many bones; only what is nearest to the one that leads here is of this joint.
            let distance = |bone: &Bone| bone.nearest(position).distance_squared(position);
            let near = distance(upper).min(distance(lower));
            if bones.iter().any(|bone| joints.contains(&bone.joint) && distance(bone) < near) {
                continue;
            }
            let height = from_joint.dot(normal);
            let side = if height < 0.0 { -1.0 } else { 1.0 };
            let gap = (0.5 * height.abs()).min(SLIT * thickness);
            self.vertices.push(Guarded { vertex: vertex as u32, side, gap, rest: position });
        }
        self.hinges.push(Hinge { joints, places, thickness, vertices: start..self.vertices.len() });
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

    /// Moves vertices of `positions` (the solve mesh's, posed) that crossed a contact back to it.
    pub fn guard(&mut self, posed_from_rest: &[Mat4], positions: &mut [Vec3]) -> Touched<'_> {
        self.moved.clear();
        self.held.clear();
        for hinge in &self.hinges {
            let [upper, lower] = hinge.joints.map(|joint| &posed_from_rest[joint]);
            let [top, middle, end] = hinge.places;
            let places =
                [upper.transform_point3(top), lower.transform_point3(middle), lower.transform_point3(end)];
            let (Some(bent), rest) = (Bent::new(places), Bent::new(hinge.places)) else { continue };
            // As bent as at rest: nothing has come nearer.
            if rest.is_some_and(|rest| rest.along[0].dot(rest.along[1]) >= bent.along[0].dot(bent.along[1])) {
                continue;
            }
            for guarded in &self.vertices[hinge.vertices.clone()] {
                let vertex = guarded.vertex as usize;
                let own = if guarded.side > 0.0 { lower } else { upper };
                let alone = guarded.side * (own.transform_point3(guarded.rest) - bent.joint).dot(bent.normal);
                let held = guard_one(&bent, (hinge.thickness, alone), guarded, &mut positions[vertex]);
                if held.moved {
                    self.moved.push(guarded.vertex);
                }
                if held.freedom < 1.0 {
                    self.held.push((guarded.vertex, held.freedom));
                }
            }
        }
        Touched { moved: &self.moved, held: &self.held }
    }
}

struct Held {
    moved: bool,
    freedom: f32,
}

/// `alone` is how far from the contact the vertex's own bone alone would put it. Farther it never goes: else the crease drifts to
/// one side, and what is flattened on that side is cut by it.
fn guard_one(bent: &Bent, (thickness, alone): (f32, f32), guarded: &Guarded, position: &mut Vec3) -> Held {
    let from_joint = *position - bent.joint;
    // Outside the bend there is no contact; it sets in gently.
    let inside = from_joint.dot(bent.inner) / thickness + AROUND;
    if inside <= 0.0 {
        return Held { moved: false, freedom: 1.0 };
    }
    let height = guarded.side * from_joint.dot(bent.normal);
    let nearest = guarded.gap;
    let beyond = (height - alone.max(nearest)).max(0.0) * bent.strength;
    let back = (nearest - height).max(0.0) - beyond;
    let free = smooth((height + back - nearest) / (SOFT * thickness));
    let freedom = 1.0 - bent.strength * smooth(inside / SOFT) * (1.0 - free);
    if back != 0.0 {
        *position += bent.normal * (guarded.side * back * (inside * 10.0).min(1.0));
    }
    Held { moved: back.abs() > TOUCHING * thickness, freedom }
}

/// From 0 to 1 with level ends.
fn smooth(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
