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

mod hinges;

use glam::{Mat3, Mat4, Vec3, Vec3A};

use crate::math::larger;
use crate::model::{Mesh, Skeleton, Weights};
use hinges::{Corner, Guarded, Hinge, Hinges};

/// A contact goes on this many thicknesses past the joint, away from the bend: flesh that swells sideways crosses over at the ends of a crease. Larger: the
/// outside of a bend is held. Smaller: a little finger bent by 120° keeps 3 of 73 cuts (7 at zero).
const AROUND: f32 = 0.45;

/// At its end a contact sets in over this many thicknesses. Larger: fingers bent by 135° are cut more. Smaller: what slides into it jumps.
const RIM: f32 = 0.3;

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

impl Folds {
    /// Finds the joints where two bones meet in flesh that both hold.
    pub fn new(mesh: &Mesh, weights: &Weights, skeleton: &Skeleton) -> Self {
        let Hinges { hinges, vertices } = Hinges::find(mesh, weights, skeleton);
        Self {
            bents: vec![None; hinges.len()],
            near: Vec::with_capacity(vertices.len()),
            held: Vec::with_capacity(vertices.len()),
            again: Vec::with_capacity(vertices.len()),
            hinges,
            vertices,
            is_else_moved: false,
        }
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
                let way = bent.way(back, inside);
                if back.abs() > TOUCHING * bent.thickness {
                    *position += bent.normal * (guarded.side * way);
                    any = true;
                    self.is_else_moved |= !guarded.is_covered;
                }
                let above = height + back - guarded.gap;
                if above < HELD * bent.thickness {
                    self.held.push((guarded.vertex, bent.freedom(above, inside)));
                }
                if above < NEAR * bent.thickness && guarded.is_covered {
                    // What has been let through stays where it is: each time it is looked at again, it would go a part of the way back.
                    self.near.push((number as u32, index as u32, (at + way).min(guarded.gap)));
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
                let way = bent.normal * (guarded.side * bent.way(back, inside));
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

    /// How far a vertex goes that is to go `back`; at the end of a contact this sets in gently.
    #[inline]
    fn way(&self, back: f32, inside: f32) -> f32 {
        back * self.onset * smooth(inside * (1.0 / RIM))
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
