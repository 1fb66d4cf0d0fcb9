//! Weights fitted to example poses ("Data-driven weight optimization for real-time mesh
//! deformation"; docs/theory/example-fitting.md).
//!
//! In: [`MeshGeometry`] of the solve mesh, [`Handle`]s, and the vertex positions in a few example
//! poses. Out: [`FittedWeights`]: weights with one column per handle that reproduce the examples,
//! and `E` with its three terms after every iteration. Minimises
//!
//! ```text
//! E = Σ_k { mean_i |p'_i − q_i|²  +  λ1 Σ_j ( |L w_j|₁ + 100 f_j · w_j )
//!           +  λ2 Σ_edges c |(p'_i − p'_l) − R_g (p_i − p_l)|²  +  λ3 Σ_j |A_j − Q_j|² }
//! ```
//!
//! over affine motions T of the handles, rotations R of groups of edges, and weights W, alternately
//! ([`descent`]), from biharmonic weights. Lengths are in diagonals of the mesh. Cost per
//! iteration: a dense system of four unknowns per handle, and for every vertex a few small systems
//! of as many unknowns as there are handles.
//!
//! - The first term is a mean instead of the paper's sum, so that λ1 and λ2 do not depend on the
//!   number of vertices.
//! - T minimises E itself. The paper squares `L p' − b` instead, for which E may grow.
//! - The three terms of the paper do not determine W: larger motions with softer weights give the
//!   same shapes. A folded card was reproduced to 1e-3 with nearly unchanged soft weights and
//!   stretching motions. Two additions decide. Points and regions keep their vertices. And λ3 makes
//!   handles move rigidly, as joints do later; it is part of the third reported term.
//! - Few examples do not determine W: a vertex has three coordinates per example and as many
//!   weights as there are handles. `f`, from 0 to 1, prefers near handles: it is how small the
//!   biharmonic weight is, in orders of magnitude.
//! - λ1 follows the noise in the examples ([`noise`]) unless it is given.
//! - Sparsity is part of the solve: each row is minimised exactly within `w ≥ 0, Σ w = 1`, so zeros
//!   are exact zeros.
//! - Steps that lower E are extended; an extended step that makes E grow is undone. So E never
//!   grows for a fixed λ1, and the result can be used at any time.

mod checked_examples;
mod descent;
mod energy;
mod fit;
mod fit_session;
mod motions;
mod noise;
mod rigid_motions;
mod rotations;
mod rows;
mod simplex;
mod support;

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

pub use self::checked_examples::checked_examples;
use self::fit::Fit;
use self::fit_session::FitSession;
pub use self::fit_session::{JointFitSession, Reproductions, initial_weights};
use super::biharmonic::{Biharmonic, Handle, biharmonic_of, fixed_vertices};
use super::rows::Rows;
use crate::math::sort_few;
use crate::model::Weights;
use crate::operators::MeshGeometry;
use crate::operators::qp::{Convergence, Quadratic};
use crate::progress::{Cancelled, Progress};
use crate::report::Report;

/// Options of [`fit_examples`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct ExampleFit {
    /// μ: weight of the data term; 0 ignores the examples, for comparison.
    pub data: f64,
    /// λ1: cost of weights far from their handle, and of changes of weights; 0 derives it from the
    /// noise in the examples. Larger: handles influence what is near, and weights change in fewer
    /// places. Smaller: weights follow noise.
    pub sparsity: f64,
    /// λ2: cost of bending within groups. Larger: stiffer between examples. Smaller: vertices that
    /// no example moves may shear.
    pub rigidity: f64,
    /// λ3: cost of stretching a handle. Larger: rigid. Smaller: motions grow, and weights blur.
    pub stiffness: f64,
    /// Number of groups of edges that rotate together; 0 means two per handle.
    pub groups: usize,
    /// Largest number of iterations.
    pub iterations: usize,
}

impl ExampleFit {
    /// Allowed values of λ1 and λ2.
    pub const STRENGTHS: std::ops::RangeInclusive<f64> = 0.0..=1.0;

    /// Allowed numbers of groups; 0 derives it from the handles.
    pub const GROUPS: std::ops::RangeInclusive<f64> = 0.0..=1000.0;

    /// Allowed numbers of iterations.
    pub const ITERATIONS: std::ops::RangeInclusive<f64> = 1.0..=1000.0;
}

impl Default for ExampleFit {
    fn default() -> Self {
        Self { data: 1.0, sparsity: 0.0, rigidity: 1e-6, stiffness: 0.01, groups: 0, iterations: 100 }
    }
}

/// `E` and its terms, each with its factor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Energy {
    /// The sum of the three terms.
    pub total: f64,
    /// The data term: squared distances from the examples.
    pub data: f64,
    /// The sparsity term: changes of weights, and weights far from their handle.
    pub sparsity: f64,
    /// The rigidity terms: bending of groups and stretching of handles.
    pub arap: f64,
}

/// The result of a fit.
#[derive(Clone, Debug)]
pub struct FittedWeights {
    /// One column per handle.
    pub weights: Weights,
    /// The initial weights.
    pub initial: Weights,
    /// The energy before the first iteration and after each one.
    pub energy: Vec<Energy>,
    /// Number of iterations, and the relative decrease of E over the last few of them.
    pub convergence: Convergence,
    /// As the second of `rms`, if handles only turn and move; computed for a finished fit.
    pub rigid_rms: Option<f64>,
    /// The root mean square distance from the examples, as a fraction of the mesh's diagonal: at
    /// first, and in the end.
    pub rms: [f64; 2],
    /// The distance of every vertex from each example in the end, as a fraction of the diagonal.
    pub errors: Vec<Vec<f32>>,
    /// Weights and motions that reproduce the examples, at first and in the end.
    pub reproductions: Reproductions,
}

/// Fraction of the work that is done when the initial weights are known.
const INITIAL_PROGRESS: f64 = 0.1;

/// Why weights cannot be fitted to examples.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExampleError {
    /// There is no example.
    #[error("there are no examples; give at least one pose")]
    None,
    /// An example has another number of vertices.
    #[error("example {example} has {found} vertices, but the mesh has {expected}")]
    OtherCount {
        /// Index of the example.
        example: usize,
        /// Its number of vertices.
        found: usize,
        /// The number of vertices of the mesh.
        expected: usize,
    },
    /// A coordinate of an example is not a number.
    #[error("example {example}: vertex {vertex} has a coordinate that is not a number")]
    NotFinite {
        /// Index of the example.
        example: usize,
        /// Index of the vertex.
        vertex: usize,
    },
    /// Vertices that are neighbours on the mesh are far apart.
    #[error(
        "example {example} is not a pose of the mesh: neighbours are far apart; export it from the same mesh, with vertices in the same order"
    )]
    Scrambled {
        /// Index of the example.
        example: usize,
    },
    /// Cancelled before there was a result.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Callbacks of a fit.
pub struct FitObserver<'w, 'p> {
    /// Receives warnings.
    pub report: &'w mut Report,
    /// Receives progress, and may cancel.
    pub progress: &'w mut Progress<'p>,
    /// Called after every iteration, with a function that returns the current weights. If it
    /// returns false, the fit stops and these are the result.
    pub on_iteration: &'w mut dyn FnMut(&Energy, &dyn Fn() -> Weights) -> bool,
}

/// Fits weights per handle to `examples` (one position per vertex each). `name` returns the name of
/// a handle for warnings.
///
/// # Errors
/// If an example does not fit the mesh, or `progress` cancels.
///
/// # Panics
/// If there are vertices but no handle.
pub fn fit_examples(
    geometry: &MeshGeometry,
    handles: &[Handle],
    examples: &[Vec<Vec3>],
    limits: FitLimits<'_>,
    name: &dyn Fn(usize) -> String,
    observer: FitObserver<'_, '_>,
) -> Result<FittedWeights, ExampleError> {
    let FitObserver { report, progress, on_iteration } = observer;
    let examples = checked_examples(geometry, examples, report)?;
    progress.span(0.0, INITIAL_PROGRESS);
    let initial = biharmonic_of(geometry, handles, &Biharmonic::default(), name, report, progress)?.weights;
    let fixed = fixed_vertices(geometry, handles);
    let mut session = FitSession::begin(geometry, &initial, &fixed, &examples, limits);
    session.run(progress, on_iteration)?;
    Ok(session.result(true))
}

/// Options of a fit, and how many handles may move a vertex.
#[derive(Clone, Copy, Debug)]
pub struct FitLimits<'a> {
    /// The options.
    pub options: &'a ExampleFit,
    /// The largest number of handles per vertex.
    pub max_influences: usize,
}

impl<'a> FitLimits<'a> {
    /// For any number of handles per vertex.
    pub fn unlimited(options: &'a ExampleFit) -> Self {
        Self { options, max_influences: usize::MAX }
    }
}

/// The same weights with other columns; columns that become one are summed.
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

/// Steps of motions for given weights; each alternates motions and rotations. More: no visible
/// difference. Fewer: errors are up to a tenth larger than with the best motions.
const MOTION_STEPS: usize = 10;

/// The error with which given weights can reproduce examples, with the best motions for them: the
/// root mean square distance as a fraction of the mesh's diagonal, as in [`FittedWeights::rms`].
///
/// # Errors
/// If an example does not fit the mesh.
pub fn reproduced(
    geometry: &MeshGeometry,
    weights: &Weights,
    examples: &[Vec<Vec3>],
) -> Result<f64, ExampleError> {
    check_examples(geometry, examples)?;
    let mut fit =
        prepared(geometry, &[], examples, weights, &ExampleFit { rigidity: 0.0, ..ExampleFit::default() });
    fit.begin();
    (0..MOTION_STEPS).for_each(|_| fit.step_motions());
    Ok(fit.rms())
}

/// Checks that examples fit the mesh.
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
    fixed: &[(u32, u32)],
    examples: &[Vec<Vec3>],
    weights: &Weights,
    options: &ExampleFit,
) -> Fit {
    let mesh = geometry.mesh();
    let (low, high) = mesh.bounds();
    let centre = (0.5 * (low + high)).as_dvec3();
    let size = f64::from(mesh.diagonal());
    let unit = if size > 0.0 { size.recip() } else { 1.0 };
    let scaled =
        |places: &[Vec3]| -> Vec<DVec3> { places.iter().map(|p| (p.as_dvec3() - centre) * unit).collect() };
    let columns = weights.columns();
    let mut dense = vec![0.0; weights.vertices() * columns];
    for (vertex, row) in weights.rows().enumerate() {
        row.iter().for_each(|i| dense[vertex * columns + i.column as usize] = f64::from(i.weight));
    }
    let mut is_fixed = vec![false; weights.vertices()];
    for &(vertex, handle) in fixed {
        is_fixed[vertex as usize] = true;
        dense[vertex as usize * columns..(vertex as usize + 1) * columns].fill(0.0);
        dense[vertex as usize * columns + handle as usize] = 1.0;
    }
    let targets = examples.iter().map(|example| scaled(example)).collect();
    let stiffness = Quadratic::of(geometry.laplacian().stiffness());
    Fit::new(scaled(mesh.positions()), stiffness, targets, dense, is_fixed, *options)
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
