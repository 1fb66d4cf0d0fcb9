//! Weights learned from example poses ("Data-driven weight optimization for real-time mesh
//! deformation"; PAPERS.md, §5.3).
//!
//! In: [`MeshGeometry`] of the solve mesh, [`Handle`]s, and where every vertex is in each of a few
//! example poses. Out: [`FittedWeights`]: weights with one column per handle that reproduce the
//! examples, with `E` and its three terms after every iteration. Minimises
//!
//! `E = Σ_k [ mean_i |p'_i − q_i|² + λ1 Σ_j (|L w_j|₁ + 100 far_j · w_j) + λ2 Σ_edges c |(p'_i −
//! p'_l) − R_g (p_i − p_l)|² ]`
//!
//! over affine motions T of the handles, rotations R of groups of edges, and weights W, one after
//! the other ([`descent`]), from biharmonic weights. Lengths are in diagonals of the mesh. Cost:
//! per iteration a dense system of four unknowns per handle, and for every vertex a few small ones
//! of as many unknowns as there are handles.
//!
//! - The first term is a mean instead of the paper's sum: then neither units nor density matter,
//!   and neither do λ1 and λ2 have to follow them.
//! - T minimises E itself. The paper squares `L p' − b` instead, for which E may grow.
//! - What W is, those three terms do not tell: the same shapes come out of motions twice as large
//!   and weights half as different, and all three like soft weights better. Tried so, a folded card
//!   was met to 1e-3 by weights as soft as it began with, and motions that stretch. Two things
//!   decide instead. Points keep their vertex and regions theirs. And handles move as rigidly as
//!   they can, which is what joints do afterwards anyway: `λ3 Σ_j |T_j − its nearest rotation|²` is
//!   part of the third term.
//! - Few examples do not decide W: a vertex has three numbers in each, and may follow as many
//!   handles as there are. Of all weights that meet them `|L w|₁` does not choose those that
//!   somebody means, but what is near does: `far`, 0 to 1, is how little biharmonic weights give a
//!   vertex to a handle, in orders of magnitude. Holding what is far is part of the second term.
//! - λ1 follows the noise in the examples ([`noise`]) unless it is given.
//! - Sparsity is part of the solve: rows are found within `w ≥ 0, Σ w = 1` exactly, vertex by
//!   vertex, so what is zero is zero.
//! - Steps that help are prolonged; one that makes E grow is taken back. So E never grows, and what
//!   there is when somebody stops is the best so far.

mod descent;
mod energy;
mod fit;
mod fit_session;
mod motions;
mod noise;
mod rows;
mod simplex;
mod turns;

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

use self::fit::Fit;
use self::fit_session::FitSession;
pub use self::fit_session::{JointFitSession, Reproductions, first_weights};
use super::biharmonic::{Biharmonic, Handle, anchors, biharmonic_of};
use super::rows::Rows;
use crate::math::sort_few;
use crate::model::Weights;
use crate::operators::MeshGeometry;
use crate::operators::qp::{Convergence, Quadratic};
use crate::progress::{Cancelled, Progress};
use crate::report::Report;

/// Options of [`learn`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct ExampleFit {
    /// How much the examples count; 0 ignores them, which only shows what they are good for.
    pub data: f64,
    /// λ1: how much it costs handles to hold what is far from them, and weights to change; 0 means
    /// as much as there is noise in the examples. Larger: handles hold what is near, and weights
    /// change in fewer places. Smaller: weights follow noise.
    pub sparsity: f64,
    /// λ2: how much bending cost within groups. Larger: stiffer between examples. Smaller: skin
    /// that no example moves may shear.
    pub rigidity: f64,
    /// λ3: how much it costs a handle to stretch. Larger: rigid. Smaller: motions swell, and
    /// weights blur.
    pub stiffness: f64,
    /// How many groups of edges turn as one; 0 means two per handle.
    pub groups: usize,
    /// After how many iterations to end in any case.
    pub iterations: usize,
}

impl ExampleFit {
    /// What λ1 and λ2 may be.
    pub const STRENGTHS: std::ops::RangeInclusive<f64> = 0.0..=1.0;

    /// How many groups there may be; 0 leaves it to the handles.
    pub const GROUPS: std::ops::RangeInclusive<f64> = 0.0..=1000.0;

    /// How many iterations there may be.
    pub const ITERATIONS: std::ops::RangeInclusive<f64> = 1.0..=1000.0;
}

impl Default for ExampleFit {
    fn default() -> Self {
        Self { data: 1.0, sparsity: 0.0, rigidity: 1e-6, stiffness: 0.01, groups: 0, iterations: 100 }
    }
}

/// `E` and what it is the sum of, each with its factor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Energy {
    /// All three.
    pub total: f64,
    /// How far the examples are missed.
    pub data: f64,
    /// How much weights change, and how far handles reach.
    pub sparsity: f64,
    /// How much groups bend.
    pub arap: f64,
}

/// What learning gives.
#[derive(Clone, Debug)]
pub struct FittedWeights {
    /// One column per handle.
    pub weights: Weights,
    /// The weights it began with.
    pub initial: Weights,
    /// After every iteration, the first being what it began with.
    pub energy: Vec<Energy>,
    /// Iterations, and by what share the last few of them lowered E.
    pub convergence: Convergence,
    /// The root mean square distance from the examples, as a share of the mesh's diagonal: at
    /// first, and in the end.
    pub rms: [f64; 2],
    /// How far every vertex is from each example in the end, as a share of the diagonal.
    pub errors: Vec<Vec<f32>>,
    /// Where weights and motions take the vertices, at first and in the end.
    pub reproductions: Reproductions,
}

/// Of the work, the share that is done when biharmonic weights are there.
const BEGUN: f64 = 0.1;

/// Why examples cannot be learned from.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExampleError {
    /// There is nothing to learn from.
    #[error("there are no examples; give at least one pose")]
    None,
    /// An example has another number of vertices.
    #[error("example {example} has {found} vertices, but the mesh has {expected}")]
    OtherCount {
        /// Which.
        example: usize,
        /// How many it has.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A coordinate of an example is not a number.
    #[error("example {example}: vertex {vertex} has a coordinate that is not a number")]
    NotFinite {
        /// Which.
        example: usize,
        /// Where.
        vertex: usize,
    },
    /// Somebody stopped before there was anything.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Who hears of a fit under way.
pub struct FitObserver<'w, 'p> {
    /// Takes warnings.
    pub report: &'w mut Report,
    /// Hears how far it is, and may cancel it.
    pub progress: &'w mut Progress<'p>,
    /// Hears of every iteration, with the weights so far to ask for; when it answers false, these
    /// are the answer.
    pub on_iteration: &'w mut dyn FnMut(&Energy, &dyn Fn() -> Weights) -> bool,
}

/// Weights per handle that reproduce `examples` (one position per vertex each). `name` says what to
/// call a handle in warnings.
///
/// # Errors
/// When an example does not fit the mesh, or `progress` cancels.
///
/// # Panics
/// When there are vertices but no handle.
pub fn learn(
    geometry: &MeshGeometry,
    handles: &[Handle],
    examples: &[Vec<Vec3>],
    options: &ExampleFit,
    name: &dyn Fn(usize) -> String,
    watching: FitObserver<'_, '_>,
) -> Result<FittedWeights, ExampleError> {
    check_examples(geometry, examples)?;
    let FitObserver { report, progress, on_iteration } = watching;
    progress.span(0.0, BEGUN);
    let initial = biharmonic_of(geometry, handles, &Biharmonic::default(), name, report, progress)?.weights;
    let given = anchors(geometry, handles);
    let mut lesson = FitSession::begin(geometry, &initial, &given, examples, options);
    lesson.go_on(progress, on_iteration)?;
    Ok(lesson.learned())
}

/// The same weights for other columns; those that become one are summed.
fn renumbered(weights: &Weights, columns: usize, new: &dyn Fn(u32) -> u32) -> Weights {
    let mut rows = Rows::default();
    for row in weights.rows() {
        let mut shares: Vec<(u32, f64)> = Vec::new();
        for influence in row {
            let (column, weight) = (new(influence.column), f64::from(influence.weight));
            match shares.iter_mut().find(|share| share.0 == column) {
                Some(share) => share.1 += weight,
                None => shares.push((column, weight)),
            }
        }
        sort_few(&mut shares, |a, b| a.0.cmp(&b.0));
        rows.push(&shares);
    }
    rows.into_weights(columns)
}

/// How well given weights can reproduce examples, with the best motions for them: the root mean
/// square distance as a share of the mesh's diagonal. What [`FittedWeights::rms`] says of the
/// weights at hand.
///
/// # Errors
/// When an example does not fit the mesh.
pub fn reproduced(
    geometry: &MeshGeometry,
    weights: &Weights,
    examples: &[Vec<Vec3>],
) -> Result<f64, ExampleError> {
    check_examples(geometry, examples)?;
    let mut fit =
        prepared(geometry, &[], examples, weights, &ExampleFit { rigidity: 0.0, ..ExampleFit::default() });
    fit.begin();
    fit.step_motions();
    Ok(fit.rms())
}

/// Whether examples can be learned from.
///
/// # Errors
/// Why not.
pub fn check_examples(geometry: &MeshGeometry, examples: &[Vec<Vec3>]) -> Result<(), ExampleError> {
    let expected = geometry.mesh().positions().len();
    if examples.is_empty() {
        return Err(ExampleError::None);
    }
    for (example, positions) in examples.iter().enumerate() {
        if positions.len() != expected {
            return Err(ExampleError::OtherCount { example, found: positions.len(), expected });
        }
        if let Some(vertex) = positions.iter().position(|p| !p.is_finite()) {
            return Err(ExampleError::NotFinite { example, vertex });
        }
    }
    Ok(())
}

fn prepared(
    geometry: &MeshGeometry,
    given: &[(u32, u32)],
    examples: &[Vec<Vec3>],
    weights: &Weights,
    options: &ExampleFit,
) -> Fit {
    let mesh = geometry.mesh();
    let (low, high) = mesh.bounds();
    let middle = (0.5 * (low + high)).as_dvec3();
    let size = f64::from(mesh.diagonal());
    let unit = if size > 0.0 { size.recip() } else { 1.0 };
    let scaled =
        |places: &[Vec3]| -> Vec<DVec3> { places.iter().map(|p| (p.as_dvec3() - middle) * unit).collect() };
    let columns = weights.columns();
    let mut dense = vec![0.0; weights.vertices() * columns];
    for (vertex, row) in weights.rows().enumerate() {
        row.iter().for_each(|i| dense[vertex * columns + i.column as usize] = f64::from(i.weight));
    }
    let mut is_given = vec![false; weights.vertices()];
    for &(vertex, handle) in given {
        is_given[vertex as usize] = true;
        dense[vertex as usize * columns..(vertex as usize + 1) * columns].fill(0.0);
        dense[vertex as usize * columns + handle as usize] = 1.0;
    }
    let wanted = examples.iter().map(|example| scaled(example)).collect();
    let stiffness = Quadratic::of(geometry.laplacian().stiffness());
    Fit::new(scaled(mesh.positions()), stiffness, wanted, dense, is_given, *options)
}

fn weights_of(fit: &Fit) -> Weights {
    let mut rows = Rows::default();
    for row in fit.weights.chunks(fit.handles.max(1)) {
        let shares: Vec<(u32, f64)> =
            row.iter().enumerate().filter(|(_, w)| **w > 0.0).map(|(j, &w)| (j as u32, w)).collect();
        rows.push(&shares);
    }
    rows.into_weights(fit.handles)
}
