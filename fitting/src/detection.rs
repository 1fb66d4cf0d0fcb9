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
use crate::plan_scores::{Scores, is_tube, ramp, ranked, scores, scores_of_nothing};
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

/// How much a body looks like a humanoid, plus how much less it does with another up. Below this,
/// clear evidence for any animal beats the humanoid in an orientation that nobody promised: a
/// humanoid looks like one when it stands, and not when it lies. Of the development set, humanoids
/// with such evidence are above 1.1, five of eight birds, fish and bipedal dinosaurs below 0.85.
const LEAST_UPRIGHT: f32 = 0.95;

/// Where evidence for an animal lowers the confidence of a humanoid in an orientation that nobody
/// promised by all of itself, and where it does not. If larger, more humanoids are uncertain.
const DOUBTFUL_UP: f32 = 0.3;
const CLEAR_UP: f32 = 0.9;

/// Evidence at which the front of a quadruped is sure. It speaks for the front of all 23 of the
/// development set, and is above half of this for all but one.
const ENOUGH_FACING: f32 = 0.3;

/// How sure the front of a spider is at most: the evidence is that of other animals.
const UNKNOWN_FRONT: f32 = 0.4;

/// Evidence for a plan below this is none: the curve skeleton serves.
const LEAST_EVIDENCE: f32 = 0.3;

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
    /// How much speaks for the front, from 0 to 1.
    facing: f32,
    scores: Scores,
}

impl Turned {
    /// How sure the front of a plan is, from 0 to 1.
    fn front(&self, plan: BodyPlan) -> f32 {
        match plan {
            BodyPlan::Quadruped => (self.facing / ENOUGH_FACING).min(1.0),
            BodyPlan::Spider => self.facing.min(UNKNOWN_FRONT),
            _ => self.facing,
        }
    }
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
        let body = Body::centred(&positions, triangles, CELLS);
        let points: Vec<Vec3> = (0..body.lattice.len())
            .filter(|&cell| body.is_inside(cell))
            .map(|cell| body.lattice.centre(body.lattice.coordinates(cell)))
            .collect();
        let shape = Shape::new(&body);
        let is_flat = is_flat(&triangles.iter().flatten().map(|&v| positions[v as usize]));
        let is_bare = is_tube(&shape) || is_flat;
        let humanoid = orientation::scores(network, &points, body.lattice.cell)
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
        let rival = animal.map_or(0.0, |(.., planned)| planned);
        let margin = self.up_margin(&humanoid);
        if let Some((rotation, turned, plan, planned)) = animal {
            let is_on_legs = planned > CLEAR && is_legged(plan);
            let is_lying = planned > CLEAR && score + margin < LEAST_UPRIGHT;
            if is_on_legs || is_lying || score < LEAST_TURNED_HUMANOID {
                let rival = if is_on_legs { 0.0 } else { score.clamp(0.0, 1.0) };
                let plan_confidence = planned * (1.0 - rival);
                return Choice { rotation, rotation_confidence: turned, plan, plan_confidence };
            }
        }
        if score > LEAST_TURNED_HUMANOID {
            return Choice {
                rotation: humanoid,
                rotation_confidence: humanoid_confidence,
                plan: BodyPlan::Humanoid,
                plan_confidence: sure(score) * (1.0 - rival * (1.0 - ramp(margin, DOUBTFUL_UP, CLEAR_UP))),
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

    /// How much more the body looks like a humanoid with the up of an orientation than with any
    /// other.
    fn up_margin(&self, rotation: &Mat3) -> f32 {
        let up = rotation.transpose().y_axis;
        let best = |is_same: bool| {
            let scores = rotations().into_iter().zip(&self.humanoid);
            let some = scores.filter(|(other, _)| (other.transpose().y_axis.dot(up) > 0.7) == is_same);
            some.map(|(_, &score)| score).fold(0.0, f32::max)
        };
        best(true) - best(false)
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
        best.map_or((Mat3::IDENTITY, 0.3), |best| (best.rotation, best.front(plan).min(score(best))))
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
        (score > LEAST_EVIDENCE).then_some((best.rotation, best.front(plan).min(score), plan, planned))
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
