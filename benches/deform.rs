//! Times of a frame on the CPU, natively, beside their budgets in the browser
//! (docs/budgets.md#frames).
//!
//! `cargo xtask bench`. The median of many frames. On a shared machine compare rows of one run
//! only.

use std::hint::black_box;

use std::sync::Arc;

use glam::{Mat4, Quat, Vec3};
use pliant::deform::{
    CorrectionMap, Deformer, MorphedRest, Posed, PostSkinning, PostSkinningOptions, Rest, Scratch, Skin,
    VolumeOptions, deform,
};
use pliant::model::{Influence, MorphDisplacement, MorphTarget, MorphTargets, Weights};
use pliant::pipeline::{Method, Pipeline, Recipe, Silent};
use pliant::report::Report;
use pliant::samples::{self, SampleCharacter};

/// Vertices, and the budget of linear blending in Chromium, in milliseconds
/// (docs/budgets.md#frames).
const SIZES: [(usize, Option<f64>); 3] = [(5_000, None), (20_000, None), (80_000, Some(1.3))];

/// Budget of dual quaternions, as a multiple of the time of linear blending.
const DUAL_QUATERNION_FACTOR: f64 = 2.0;

/// Vertices for the volume correction (those of the paper's Table 1, and 80k), and the budget of
/// skinning and correcting in Chromium, in milliseconds (docs/budgets.md#frames).
const VOLUME_SIZES: [(usize, Option<f64>); 4] =
    [(256, None), (1_677, None), (5_720, None), (80_000, Some(6.0))];

/// Joints of a full character with fingers.
const JOINTS: usize = 60;

/// Influences per vertex, as engines store them.
const INFLUENCES: usize = 4;

/// Frames per row. Larger: a run takes longer. Smaller: the median is noisy.
const FRAMES: usize = 301;

/// Bytes that a frame reads and writes per vertex: position and normal in and out, and influences.
const BYTES_PER_VERTEX: usize = 4 * size_of::<Vec3>() + INFLUENCES * size_of::<Influence>();

fn main() {
    println!("{INFLUENCES} influences, {JOINTS} joints, positions and normals; median of {FRAMES} frames");
    println!(" vertices  deformer                ms  ns/vertex     GB/s   budget");
    for (vertices, budget) in SIZES {
        let character = Character::new(vertices);
        let linear = character.median_ms(Deformer::Linear, &turned());
        let rigid = character.median_ms(Deformer::DualQuaternion, &turned());
        let scaled: Vec<Mat4> =
            turned().into_iter().map(|m| m * Mat4::from_scale(Vec3::new(1.0, 1.1, 0.9))).collect();
        let stretched = character.median_ms(Deformer::DualQuaternion, &scaled);
        let allowed = budget.map_or(String::new(), |ms| format!("≤ {ms} ms in Chromium"));
        print_row(vertices, "lbs", linear, &allowed);
        let factor = |ms: f64| format!("{:.2} × lbs, ≤ {DUAL_QUATERNION_FACTOR} ×", ms / linear);
        print_row(vertices, "dqs", rigid, &factor(rigid));
        print_row(vertices, "dqs, all scaled", stretched, &format!("{:.2} × lbs", stretched / linear));
    }
    post_skinning();
    morph_targets();
}

/// Times of the corrections: the mannequin in its first clip with bone heat weights, which have
/// several influences at every vertex, so that no vertex is rigid.
fn post_skinning() {
    println!();
    println!("skinning and corrections, mannequin; median of {FRAMES} frames, positions and normals");
    println!(" vertices  what                               ms   budget");
    for (vertices, budget) in VOLUME_SIZES {
        let asset = samples::make(SampleCharacter::Mannequin, vertices)
            .expect("a size that can be made")
            .into_asset("body");
        let recipe = Recipe { method: Method::Heat, ..Recipe::default() };
        let rig = Pipeline::new(Arc::new(asset)).run(&recipe, &mut Silent).expect("a rig").rig;
        let clip = &rig.asset.clips[0];
        let pose = clip.sample(&rig.skeleton, 0.3 * clip.duration());
        let matrices = pose.skinning_matrices(&rig.skeleton);
        let skin = Skin::of_rig(&rig);
        let render = &rig.asset.render;
        let mut scratch = Scratch::new(&skin);
        let mut out = (render.positions.clone(), render.normals.clone());
        let local = || Some(VolumeOptions::of(CorrectionMap::Local));
        let rows = [
            ("lbs", PostSkinningOptions::default()),
            ("lbs + exact local", PostSkinningOptions { volume: local(), fold_guard: false }),
            ("lbs + exact local + contacts", PostSkinningOptions { volume: local(), fold_guard: true }),
        ];
        for (name, options) in rows {
            let mut post_skinning = PostSkinning::new(&rig, &options, &[], &mut Report::default());
            let is_off = options == PostSkinningOptions::default();
            let ms = median_ms(|| {
                let rest = Rest { positions: &render.positions, normals: &render.normals };
                let posed = Posed { positions: &mut out.0, normals: &mut out.1 };
                deform(Deformer::Linear, &skin, black_box(&matrices), rest, posed, &mut scratch);
                if !is_off {
                    post_skinning.correct(&matrices, Posed { positions: &mut out.0, normals: &mut out.1 });
                }
                black_box(&mut out);
            });
            let allowed = match budget {
                Some(budget) if !is_off => format!("≤ {budget} ms in Chromium"),
                _ => format!("{:.0} fps", 1e3 / ms),
            };
            println!("{vertices:>9}  {name:<30} {ms:>7.3}   {allowed}");
        }
    }
}

/// Times of morph targets whose weights change in every frame. Every target displaces a tenth of
/// the vertices, as those of a face do.
fn morph_targets() {
    println!();
    println!("morph targets, mannequin, a tenth of the vertices each; median of {FRAMES} frames");
    println!(" vertices  active targets       ms  ns/displacement");
    for vertices in [20_000, 80_000] {
        let mut asset = samples::make(SampleCharacter::Mannequin, vertices)
            .expect("a size that can be made")
            .into_asset("body");
        let each = asset.render.positions.len() / 10;
        for active in [0, 1, 10] {
            let displacement = |i: usize| MorphDisplacement {
                vertex: (i % asset.render.positions.len()) as u32,
                position: Vec3::Y * 0.01,
                normal: Vec3::X * 0.1,
            };
            let target = |number: usize| MorphTarget {
                default_weight: 0.0,
                number: number as u32,
                end: ((number + 1) * each) as u32,
            };
            asset.morph_targets = MorphTargets {
                targets: (0..active).map(target).collect(),
                displacements: (0..active * each).map(displacement).collect(),
            };
            let mut morphed = MorphedRest::default();
            let mut frame = 0.0;
            let ms = median_ms(|| {
                frame += 0.01;
                black_box(morphed.set_weights(&asset, &vec![frame; active]));
            });
            let nanoseconds = ms * 1e6 / (active * each).max(1) as f64;
            println!("{vertices:>9}  {active:>14}  {ms:>7.4}  {nanoseconds:>15.2}");
        }
    }
}

fn print_row(vertices: usize, deformer: &str, ms: f64, budget: &str) {
    let nanoseconds = ms * 1e6 / vertices as f64;
    let gigabytes = BYTES_PER_VERTEX as f64 / nanoseconds;
    let row =
        format!("{vertices:>9}  {deformer:<16} {ms:>9.3} {nanoseconds:>10.1} {gigabytes:>8.1}   {budget}");
    println!("{}", row.trim_end());
}

struct Character {
    skin: Skin,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
}

impl Character {
    /// A column of vertices, each with weights of the joints around its height.
    fn new(vertices: usize) -> Self {
        let row = |vertex: usize| -> [Influence; INFLUENCES] {
            let lowest = vertex * (JOINTS - INFLUENCES) / vertices;
            // Unequal, and not in the order of the columns.
            let shares = [0.125, 0.5, 0.25, 0.125];
            std::array::from_fn(|i| Influence { column: (lowest + i) as u32, weight: shares[i] })
        };
        let weights = Weights::new(JOINTS, (0..vertices).map(row)).expect("rows that sum to one");
        let normals: Vec<Vec3> =
            (0..vertices).map(|v| Quat::from_rotation_y(v as f32 * 0.1) * Vec3::X).collect();
        let height = |v: usize| Vec3::Y * (v as f32 / vertices as f32);
        let positions = normals.iter().enumerate().map(|(v, n)| *n * 0.2 + height(v)).collect();
        Self { skin: Skin::new(&weights, &[Vec3::ZERO; JOINTS]), positions, normals }
    }

    fn median_ms(&self, deformer: Deformer, posed_from_rest: &[Mat4]) -> f64 {
        let mut out = (self.positions.clone(), self.normals.clone());
        let mut scratch = Scratch::new(&self.skin);
        median_ms(|| {
            let rest = Rest { positions: &self.positions, normals: &self.normals };
            let posed = Posed { positions: &mut out.0, normals: &mut out.1 };
            deform(deformer, &self.skin, black_box(posed_from_rest), rest, posed, &mut scratch);
            black_box(&mut out);
        })
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark runs natively and needs a clock")]
fn median_ms(mut frame: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..FRAMES)
        .map(|_| {
            let start = std::time::Instant::now();
            frame();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[FRAMES / 2]
}

/// Every joint rotated a little more than the one below.
fn turned() -> Vec<Mat4> {
    (0..JOINTS)
        .map(|j| Mat4::from_rotation_translation(Quat::from_rotation_z(j as f32 * 0.05), Vec3::X * 0.1))
        .collect()
}
