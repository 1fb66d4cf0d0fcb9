//! Which way is up, which way is front, and what kind of body it is.
//!
//! Humanoids are recognised by a network that looks at the body in 24 orientations
//! ([`orientation`]), other bodies by what they stand on and how they branch ([`Evidence`]). What
//! the user or the file says comes first.

use glam::{Mat3, Vec3};

use crate::body::Body;
use crate::evidence::{Evidence, Shape};
use crate::network::Network;
use crate::orientation::{self, rotations};
use crate::plans::BodyPlan;

/// How far from one plane the vertices of a flat mesh are at most, in its longest side. Boards and
/// doors with limbs are thicker.
const FLAT: f32 = 5e-3;

/// Cells along the longest side of the box.
const CELLS: f32 = 56.0;

/// How much a body must look like a humanoid in the promised orientation. Animals are below 0.1
/// there, humanoids of the development set above 0.25.
const LEAST_HUMANOID: f32 = 0.22;

/// How much a body must look like a humanoid in another orientation. Animals that are set upright
/// look like one too: a cat that sits, with four limbs.
const LEAST_TURNED_HUMANOID: f32 = 0.5;

/// Evidence for an animal with legs beats a humanoid in an orientation that nobody promised above
/// this. Legs that are not clear stay below.
const CLEAR: f32 = 0.8;

/// Evidence for a plan below this is none: the curve skeleton serves.
const LEAST_EVIDENCE: f32 = 0.3;

/// A body whose curve skeleton has no more ends than this has no limbs.
const MOST_TUBE_TIPS: usize = 2;

/// A body without limbs whose radius varies less than this is a tube. Humanoids in robes have a
/// neck.
const MOST_TUBE_VARIATION: f32 = 0.25;

/// How much more an orientation must look like a humanoid than the promised one. If larger, files
/// that break their promise are not noticed; if smaller, doubtful ones are turned.
const PROMISE: f32 = 0.15;

/// A mesh, seen from all sides.
#[derive(Clone, Debug)]
pub struct Detection {
    /// How much the body looks like a humanoid, by orientation.
    humanoid: Vec<f32>,
    /// From the space of the mesh to the one that was looked at. Orientations below are relative to
    /// it.
    frame: Mat3,
    /// The body in that space.
    body: Body,
    /// What does not depend on the orientation.
    shape: Shape,
    is_flat: bool,
    /// Evidence in orientations that were asked for.
    seen: Vec<(Mat3, Scores)>,
    /// Evidence in all orientations, once it was asked for.
    turned: Option<Vec<Turned>>,
}

/// Evidence in one orientation of all.
#[derive(Clone, Copy, Debug)]
struct Turned {
    rotation: Mat3,
    /// How sure the front is, from 0 to 1.
    facing: f32,
    scores: Scores,
}

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// From the space of the mesh to that of the body.
    pub rotation: Mat3,
    /// From 0 to 1.
    pub rotation_confidence: f32,
    /// The kind of body.
    pub plan: BodyPlan,
    /// From 0 to 1.
    pub plan_confidence: f32,
}

/// How much a body speaks for each plan but the humanoid, from 0 to 1.
type Scores = [(BodyPlan, f32); 5];

impl Detection {
    /// Looks at a mesh along the axes, or along those of a known orientation.
    pub fn new(network: &Network, known: Option<Mat3>, positions: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let frame = frame(known);
        let turned: Vec<Vec3> = positions.iter().map(|&p| frame * p).collect();
        let corners = || triangles.iter().flatten().map(|&v| turned[v as usize]);
        let low = corners().fold(Vec3::INFINITY, Vec3::min);
        let high = corners().fold(Vec3::NEG_INFINITY, Vec3::max);
        let unit = (high - low).max_element();
        let positions: Vec<Vec3> = turned.iter().map(|&p| (p - low) / unit).collect();
        let body = Body::with_cells(&positions, triangles, CELLS);
        let points: Vec<Vec3> = (0..body.lattice.len())
            .filter(|&cell| body.is_inside(cell))
            .map(|cell| body.lattice.centre(body.lattice.coordinates(cell)))
            .collect();
        let shape = Shape::new(&body);
        let is_flat = is_flat(&triangles.iter().flatten().map(|&v| positions[v as usize]));
        let is_bare = is_tube(&shape) || is_flat;
        let humanoid = orientation::scores(network, &points)
            .iter()
            .map(|scores| if is_bare { 0.0 } else { scores.first().copied().unwrap_or(0.0) })
            .collect();
        Self { humanoid, frame, body, shape, is_flat, seen: Vec::new(), turned: None }
    }

    /// Whether it was looked at along the axes that a known orientation needs.
    pub fn suits(&self, known: Option<Mat3>) -> bool {
        self.frame == frame(known)
    }

    /// Decides. What is known is kept; what is promised is kept if nothing speaks against it.
    pub fn choose(&mut self, known: Option<Mat3>, promised: Option<Mat3>, plan: Option<BodyPlan>) -> Choice {
        let inner = |rotation: Mat3| rotation * self.frame.transpose();
        let (known, promised) = (known.map(inner), promised.map(inner));
        let choice = self.choose_here(known, promised, plan);
        Choice { rotation: choice.rotation * self.frame, ..choice }
    }

    fn choose_here(&mut self, known: Option<Mat3>, promised: Option<Mat3>, plan: Option<BodyPlan>) -> Choice {
        match (known, plan) {
            (Some(rotation), Some(plan)) => {
                Choice { rotation, rotation_confidence: 1.0, plan, plan_confidence: 1.0 }
            }
            (Some(rotation), None) => {
                let (plan, plan_confidence) = self.plan_in(&rotation);
                Choice { rotation, rotation_confidence: 1.0, plan, plan_confidence }
            }
            (None, Some(BodyPlan::Humanoid)) => {
                let (rotation, rotation_confidence, _) = self.humanoid(promised);
                Choice { rotation, rotation_confidence, plan: BodyPlan::Humanoid, plan_confidence: 1.0 }
            }
            (None, Some(plan)) => {
                let (rotation, rotation_confidence) = self.turned(plan, promised);
                Choice { rotation, rotation_confidence, plan, plan_confidence: 1.0 }
            }
            (None, None) => self.search(promised),
        }
    }

    /// The plan in a known orientation.
    fn plan_in(&mut self, rotation: &Mat3) -> (BodyPlan, f32) {
        let humanoid = self.humanoid_about(rotation);
        if humanoid > LEAST_HUMANOID {
            return (BodyPlan::Humanoid, sure(humanoid));
        }
        let (plan, score, second) = ranked(self.scores(rotation));
        if score < LEAST_EVIDENCE {
            // An upright body that is not recognised may be a humanoid after all, but not surely.
            return (BodyPlan::Generic, 0.4);
        }
        (plan, (score * (1.0 - 0.5 * second)).clamp(0.0, 1.0))
    }

    fn search(&mut self, promised: Option<Mat3>) -> Choice {
        if let Some(rotation) = promised {
            let (plan, plan_confidence) = self.plan_in(&rotation);
            if plan == BodyPlan::Humanoid {
                let (rotation, rotation_confidence, _) = self.humanoid(promised);
                return Choice { rotation, rotation_confidence, plan, plan_confidence };
            }
            if plan != BodyPlan::Generic {
                return Choice { rotation, rotation_confidence: 0.9, plan, plan_confidence };
            }
        }
        let (humanoid, humanoid_confidence, score) = self.humanoid(promised);
        let animal = self.best_animal();
        if let Some((rotation, turned, plan, planned)) = animal
            && (planned > CLEAR && is_legged(plan) || score < LEAST_TURNED_HUMANOID)
        {
            return Choice { rotation, rotation_confidence: turned, plan, plan_confidence: planned };
        }
        if score > LEAST_TURNED_HUMANOID {
            return Choice {
                rotation: humanoid,
                rotation_confidence: humanoid_confidence,
                plan: BodyPlan::Humanoid,
                plan_confidence: sure(score),
            };
        }
        Choice {
            rotation: promised.unwrap_or(Mat3::IDENTITY),
            rotation_confidence: if promised.is_some() { 0.7 } else { 0.3 },
            plan: BodyPlan::Generic,
            plan_confidence: 0.4,
        }
    }

    /// How much the body looks like a humanoid in an orientation, or turned from it about the
    /// vertical.
    fn humanoid_about(&self, rotation: &Mat3) -> f32 {
        let up = rotation.transpose().y_axis;
        let is_near = |other: &Mat3| other.transpose().y_axis.dot(up) > 0.7;
        let scores = rotations().into_iter().zip(&self.humanoid).filter(|(other, _)| is_near(other));
        scores.map(|(_, &score)| score).fold(0.0, f32::max)
    }

    /// The orientation in which the body looks most like a humanoid, how sure it is, and how much
    /// it does.
    fn humanoid(&self, promised: Option<Mat3>) -> (Mat3, f32, f32) {
        let is_promised = |rotation: &Mat3| promised.is_some_and(|p| p.abs_diff_eq(*rotation, 1e-3));
        let mut ranked: Vec<(f32, Mat3)> = rotations()
            .into_iter()
            .zip(&self.humanoid)
            .map(|(rotation, &score)| (score + if is_promised(&rotation) { PROMISE } else { 0.0 }, rotation))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (best, rotation) = ranked[0];
        (rotation, ((best - ranked[1].0) / 0.5).clamp(0.0, 1.0), best)
    }

    /// Whether the body is flat, like a card.
    pub fn is_flat(&self) -> bool {
        self.is_flat
    }

    /// How much more the body looks like a humanoid to the front than to the back.
    pub fn front_margin(&self, rotation: &Mat3) -> f32 {
        let rotation = *rotation * self.frame.transpose();
        let back = Mat3::from_diagonal(Vec3::new(-1.0, 1.0, -1.0)) * rotation;
        let score = |wanted: &Mat3| {
            let found =
                rotations().into_iter().zip(&self.humanoid).find(|(r, _)| r.abs_diff_eq(*wanted, 1e-3));
            found.map_or(0.0, |(_, &score)| score)
        };
        score(&rotation) - score(&back)
    }

    /// How much the body speaks for each plan in an orientation.
    fn scores(&mut self, rotation: &Mat3) -> Scores {
        if let Some((_, scores)) = self.seen.iter().find(|(seen, _)| seen == rotation) {
            return *scores;
        }
        let evidence = Evidence::new(&self.body.turned(&nearest(rotation)));
        let scores = match evidence.filter(|_| !self.is_flat) {
            Some(evidence) => scores(&evidence, &self.shape),
            None => scores_of_nothing(),
        };
        self.seen.push((*rotation, scores));
        scores
    }

    /// The orientation of an animal of a plan.
    fn turned(&mut self, plan: BodyPlan, promised: Option<Mat3>) -> (Mat3, f32) {
        if let Some(rotation) = promised {
            return (rotation, 0.9);
        }
        let score =
            |turned: &Turned| turned.scores.iter().find(|entry| entry.0 == plan).map_or(0.0, |entry| entry.1);
        let best = self.animals().iter().max_by(|a, b| score(a).total_cmp(&score(b)));
        best.map_or((Mat3::IDENTITY, 0.3), |best| (best.rotation, best.facing.min(score(best))))
    }

    /// The orientation and the plan with the most evidence, and how sure both are.
    fn best_animal(&mut self) -> Option<(Mat3, f32, BodyPlan, f32)> {
        let weighted = |turned: &Turned| {
            let (plan, score, _) = ranked(turned.scores);
            weight(plan, score)
        };
        let best = self.animals().iter().max_by(|a, b| weighted(a).total_cmp(&weighted(b)))?;
        let (plan, score, second) = ranked(best.scores);
        let planned = score * (1.0 - 0.5 * second);
        (score > LEAST_EVIDENCE).then_some((best.rotation, best.facing.min(score), plan, planned))
    }

    /// Evidence in all orientations; of front and rear the one that looks like the front.
    fn animals(&mut self) -> &[Turned] {
        if self.turned.is_none() {
            self.turned = Some(self.look_around());
        }
        self.turned.as_deref().unwrap_or_default()
    }

    fn look_around(&self) -> Vec<Turned> {
        let back = Mat3::from_diagonal(Vec3::new(-1.0, 1.0, -1.0));
        let mut out: Vec<Turned> = Vec::new();
        if self.is_flat {
            return out;
        }
        for rotation in rotations() {
            let reversed = back * rotation;
            if out.iter().any(|seen| seen.rotation == rotation || seen.rotation == reversed) {
                continue;
            }
            let Some(evidence) = Evidence::new(&self.body.turned(&rotation)) else { continue };
            let facing = evidence.facing();
            // Bodies mirror better in their own plane than in any other.
            let mirrored = 0.7 + 0.3 * ramp(evidence.symmetry, 0.7, 0.97);
            // Humanoids that lie on the ground with arms spread are flat and wide.
            let size = evidence.size;
            let narrow = (1.0 - ramp(size.x, 0.45, 0.65)) * ramp(size.y, 0.18, 0.24);
            let scores = scores(&evidence, &self.shape).map(|(plan, score)| {
                let narrow = if plan == BodyPlan::Quadruped { narrow } else { 1.0 };
                (plan, mirrored * narrow * score)
            });
            let rotation = if facing >= 0.0 { rotation } else { reversed };
            out.push(Turned { rotation, facing: facing.abs().min(1.0), scores });
        }
        out
    }
}

/// Evidence of a plan in an orientation that nobody promised. Four legs say more than two or none.
fn weight(plan: BodyPlan, score: f32) -> f32 {
    if is_legged(plan) { score } else { 0.85 * score }
}

/// Whether legs tell a plan from a humanoid that lies.
fn is_legged(plan: BodyPlan) -> bool {
    matches!(plan, BodyPlan::Quadruped | BodyPlan::Spider)
}

/// The space to look at a mesh in: its own, unless it is known to stand aslant.
fn frame(known: Option<Mat3>) -> Mat3 {
    let is_aslant = |known: &Mat3| rotations().iter().all(|r| !r.abs_diff_eq(*known, 1e-3));
    known.filter(is_aslant).unwrap_or(Mat3::IDENTITY)
}

/// Whether points are near one plane: that through three of them that are far apart.
fn is_flat(points: &(impl Iterator<Item = Vec3> + Clone)) -> bool {
    let farthest = |distance: &dyn Fn(Vec3) -> f32| {
        points.clone().max_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap_or(Vec3::ZERO)
    };
    let first = points.clone().next().unwrap_or(Vec3::ZERO);
    let second = farthest(&|p| p.distance_squared(first));
    let along = (second - first).normalize_or_zero();
    let third = farthest(&|p| (p - first).cross(along).length_squared());
    let normal = (third - first).cross(along).normalize_or_zero();
    points.clone().all(|p| (p - first).dot(normal).abs() <= FLAT)
}

/// Whether a body is one tube, without limbs.
fn is_tube(shape: &Shape) -> bool {
    shape.tips <= MOST_TUBE_TIPS && shape.variation < MOST_TUBE_VARIATION
}

/// The rotation along the axes that is nearest to a rotation.
fn nearest(rotation: &Mat3) -> Mat3 {
    let likeness = |other: &Mat3| (0..3).map(|axis| other.col(axis).dot(rotation.col(axis))).sum::<f32>();
    let best = rotations().into_iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    best.unwrap_or(Mat3::IDENTITY)
}

/// How sure the score of a network is.
fn sure(score: f32) -> f32 {
    (score / 0.8).clamp(0.0, 1.0)
}

/// The best plan, its score, and that of the next.
fn ranked(mut scores: Scores) -> (BodyPlan, f32, f32) {
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    (scores[0].0, scores[0].1, scores[1].1)
}

fn scores_of_nothing() -> Scores {
    [BodyPlan::Quadruped, BodyPlan::Bird, BodyPlan::Fish, BodyPlan::Snake, BodyPlan::Spider]
        .map(|plan| (plan, 0.0))
}

/// From 0 at `low` to 1 at `high`.
fn ramp(x: f32, low: f32, high: f32) -> f32 {
    ((x - low) / (high - low)).clamp(0.0, 1.0)
}

/// How much evidence speaks for each plan. The limits are set by the animals and humanoids of the
/// development set.
fn scores(e: &Evidence, shape: &Shape) -> Scores {
    let mirrored = ramp(e.symmetry, 0.55, 0.8);
    let size = e.size.max(Vec3::splat(1e-6));
    let clear = if e.is_clear { 1.0 } else { 0.75 };
    let few = 1.0 - ramp(e.footprint, 0.25, 0.45);
    let quadruped = if e.pairs < 2 {
        0.0
    } else {
        let apart = ramp(e.gap / e.stance_length.max(1e-6), 0.15, 0.4);
        let two = if e.pairs == 2 { 1.0 } else { 0.7 };
        // Legs are narrower than the way between them is long.
        let long = ramp(e.stance_length / e.stance_width.max(1e-6), 0.5, 1.1);
        mirrored * clear * two * few * apart * long * ramp(e.clearance, 0.06, 0.16)
    };
    // Two legs that stand together are no sign of a bird.
    let apart = if e.is_clear { 1.0 } else { 0.25 };
    let standing = apart * ramp(size.z / size.y, 0.7, 0.85) * ramp(e.clearance, 0.08, 0.15) * few;
    let is_spread = e.limbs[0] > e.limbs[1];
    let flying = ramp(size.x / size.z, 1.1, 1.5) * ramp(size.x / size.y, 2.0, 3.0);
    let flying = if is_spread { flying } else { 0.5 * flying };
    let bird = if e.pairs == 1 { mirrored * f32::max(standing, 0.85 * flying) } else { 0.0 };
    let tapered = 1.0 - ramp(e.ends[0] / e.depth.max(1e-6), 0.4, 0.65);
    let low = 1.0 - ramp(e.clearance, 0.1, 0.2);
    let thin = 1.0 - ramp(size.y / size.z, 0.5, 0.7);
    let fish = mirrored
        * tapered
        * low
        * thin
        * few
        * ramp(size.z / size.x, 1.05, 1.3)
        * ramp(e.ends[1] / e.ends[0].max(1e-6), 0.8, 1.3);
    let fish = if e.pairs > 1 { 0.5 * fish } else { fish };
    let long = ramp(shape.slenderness, 22.0, 32.0);
    // Without limbs, shorter ones are chains too: bars and sausages.
    let bar = if is_tube(shape) { 0.8 * ramp(shape.slenderness, 5.0, 10.0) } else { 0.0 };
    let snake = long.max(bar) * ramp(shape.near, 0.85, 0.95);
    let flat = 1.0 - ramp(size.y / size.x.max(size.z), 0.7, 0.9);
    let spider = mirrored * flat * ramp(e.limbs[1] as f32, 1.9, 3.0);
    [
        (BodyPlan::Quadruped, quadruped),
        (BodyPlan::Bird, bird),
        (BodyPlan::Fish, 0.9 * fish),
        (BodyPlan::Snake, snake),
        (BodyPlan::Spider, spider),
    ]
}
