//! Functions that `cargo xtask bench` times in a browser. They are in a module of their own
//! (feature `bench`).
//!
//! The page creates an object and times one call per frame. The call copies nothing between
//! JavaScript and WebAssembly.

use std::sync::Arc;

use glam::{Mat4, Vec3};
use js_sys::Float32Array;
use wasm_bindgen::prelude::*;

use super::error::PliantError;
use super::js::{Result, thrown};
use crate::deform::{
    CorrectionMap, Deformer, FastArap, Posed, PostSkinning, PostSkinningOptions, Rest, Scratch, Skin,
    VolumeOptions, deform,
};
use crate::model::{Bone, Influence, Mesh, Rig, Weights};
use crate::operators::MeshGeometry;
use crate::pipeline::{Method, Pipeline, Recipe, Silent};
use crate::progress::Progress;
use crate::report::Report;
use crate::samples::{self, SampleCharacter};
use crate::weights::{
    Biharmonic, Domain, ExampleFit, FitLimits, FitObserver, Handle, biharmonic_of, fit_examples,
};

/// A character and the buffers of its posed vertices.
#[wasm_bindgen]
pub struct Frames {
    skin: Skin,
    scratch: Scratch,
    matrices: Vec<Mat4>,
    rest: Shape,
    posed: Shape,
}

#[derive(Clone)]
struct Shape {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
}

#[wasm_bindgen]
impl Frames {
    /// Positions and normals have three numbers per vertex, `joints` and `weights` as many as there
    /// are influences, `matrices` sixteen per joint, by columns.
    #[wasm_bindgen(constructor)]
    pub fn new(
        positions: &[f32],
        normals: &[f32],
        joints: &[u32],
        weights: &[f32],
        matrices: &[f32],
    ) -> Result<Frames> {
        let influences = weights.len() / (positions.len() / 3).max(1);
        let matrices: Vec<Mat4> = matrices.chunks_exact(16).map(Mat4::from_cols_slice).collect();
        let rows = joints.chunks_exact(influences).zip(weights.chunks_exact(influences));
        let rows = rows.map(|(joints, weights)| -> Vec<Influence> {
            let pairs = joints.iter().zip(weights);
            pairs.map(|(&column, &weight)| Influence { column, weight }).collect()
        });
        let weights = Weights::new(matrices.len(), rows)
            .map_err(|error| thrown(PliantError::new("argument", &error.to_string())))?;
        let skin = Skin::new(&weights, &vec![Vec3::ZERO; matrices.len()]);
        let rest = Shape { positions: points(positions), normals: points(normals) };
        Ok(Self { scratch: Scratch::new(&skin), skin, matrices, posed: rest.clone(), rest })
    }

    /// Poses every vertex and every normal once.
    pub fn linear(&mut self) {
        self.pose(Deformer::Linear);
    }

    /// The same with dual quaternions.
    #[wasm_bindgen(js_name = dualQuaternion)]
    pub fn dual_quaternion(&mut self) {
        self.pose(Deformer::DualQuaternion);
    }

    /// The positions of the last frame, for comparison.
    #[must_use]
    pub fn positions(&self) -> Float32Array {
        Float32Array::from(bytemuck::cast_slice(&self.posed.positions))
    }
}

impl Frames {
    fn pose(&mut self, deformer: Deformer) {
        let rest = Rest { positions: &self.rest.positions, normals: &self.rest.normals };
        let posed = Posed { positions: &mut self.posed.positions, normals: &mut self.posed.normals };
        deform(deformer, &self.skin, &self.matrices, rest, posed, &mut self.scratch);
    }
}

fn points(numbers: &[f32]) -> Vec<Vec3> {
    numbers.chunks_exact(3).map(Vec3::from_slice).collect()
}

/// The mannequin in the middle of its first clip, with default weights, or with those of bone heat,
/// which leave no vertex rigid.
#[wasm_bindgen]
pub struct PostSkinningFrames {
    rig: Rig,
    skin: Skin,
    scratch: Scratch,
    matrices: Vec<Mat4>,
    posed: Shape,
    kept: PostSkinning,
    guarded: PostSkinning,
}

#[wasm_bindgen]
impl PostSkinningFrames {
    /// With about so many vertices.
    #[wasm_bindgen(constructor)]
    pub fn new(vertices: usize, soft: bool) -> Result<PostSkinningFrames> {
        let argument =
            |error: &dyn std::fmt::Display| thrown(PliantError::new("argument", &error.to_string()));
        let asset =
            samples::make(SampleCharacter::Mannequin, vertices).map_err(|e| argument(&e))?.into_asset("body");
        let method = if soft { Method::Heat } else { Method::Atlas };
        let recipe = Recipe { method, ..Recipe::default() };
        let rig = Pipeline::new(Arc::new(asset)).run(&recipe, &mut Silent).map_err(|e| argument(&e))?.rig;
        let clip = &rig.asset.clips[0];
        let matrices = clip.sample(&rig.skeleton, 0.3 * clip.duration()).skinning_matrices(&rig.skeleton);
        let volume = Some(VolumeOptions::of(CorrectionMap::Local));
        let [kept, guarded] = [false, true].map(|fold_guard| {
            let options = PostSkinningOptions { volume: volume.clone(), fold_guard };
            PostSkinning::new(&rig, &options, &[], &mut Report::default())
        });
        let render = &rig.asset.render;
        let posed = Shape { positions: render.positions.clone(), normals: render.normals.clone() };
        let skin = Skin::of_rig(&rig);
        Ok(Self { scratch: Scratch::new(&skin), skin, matrices, posed, kept, guarded, rig })
    }

    /// Poses every vertex and every normal by linear blending.
    pub fn linear(&mut self) {
        let render = &self.rig.asset.render;
        let rest = Rest { positions: &render.positions, normals: &render.normals };
        let posed = Posed { positions: &mut self.posed.positions, normals: &mut self.posed.normals };
        deform(Deformer::Linear, &self.skin, &self.matrices, rest, posed, &mut self.scratch);
    }

    /// The same with exact volume correction per segment.
    pub fn kept(&mut self) {
        self.linear();
        let posed = Posed { positions: &mut self.posed.positions, normals: &mut self.posed.normals };
        self.kept.correct(&self.matrices, posed);
    }

    /// The same with contacts.
    pub fn guarded(&mut self) {
        self.linear();
        let posed = Posed { positions: &mut self.posed.positions, normals: &mut self.posed.normals };
        self.guarded.correct(&self.matrices, posed);
    }
}

/// The mannequin and its longest bones, one per joint, for biharmonic weights.
#[wasm_bindgen]
pub struct BoundedWeights {
    mesh: Mesh,
    handles: Vec<Handle>,
}

#[wasm_bindgen]
impl BoundedWeights {
    /// With about so many vertices.
    #[wasm_bindgen(constructor)]
    pub fn new(vertices: usize, bones: usize) -> Result<BoundedWeights> {
        let made = samples::make(SampleCharacter::Mannequin, vertices)
            .map_err(|error| thrown(PliantError::new("argument", &error.to_string())))?;
        let mut longest: Vec<Bone> = made.skeleton.bones().to_vec();
        longest.sort_by(|a, b| b.head.distance(b.tail).total_cmp(&a.head.distance(a.tail)));
        // Bones of one joint are one handle.
        let mut joints = Vec::new();
        longest.retain(|bone| {
            !joints.contains(&bone.joint) && {
                joints.push(bone.joint);
                true
            }
        });
        longest.truncate(bones);
        Ok(Self { mesh: made.mesh, handles: longest.into_iter().map(Handle::Bone).collect() })
    }

    /// Computes weights, including the topology. Returns the number of handles with influence,
    /// whether it converged, and the KKT residual.
    pub fn weigh(&self, interior: bool) -> Result<Vec<f64>> {
        let domain = if interior { Domain::Volume } else { Domain::Surface };
        let options = Biharmonic { domain, ..Biharmonic::default() };
        let (report, progress) = (&mut Report::default(), &mut Progress::silent());
        let operators = MeshGeometry::of(&self.mesh);
        let found = biharmonic_of(&operators, &self.handles, &options, &|_| String::new(), report, progress)
            .map_err(|error| thrown(PliantError::new("cancelled", &error.to_string())))?;
        let held = self.handles.len() - found.idle.len();
        Ok(vec![held as f64, f64::from(found.convergence.converged), found.convergence.residual])
    }
}

/// The mannequin with point handles, whose weights were fitted to waving poses.
#[wasm_bindgen]
pub struct Drags {
    handles: FastArap,
    targets: Vec<Vec3>,
    drags: usize,
    frames: Frames,
}

#[wasm_bindgen]
impl Drags {
    /// With about so many vertices, so many points, and weights fitted to so many examples.
    #[wasm_bindgen(constructor)]
    pub fn new(vertices: usize, points: usize, examples: usize) -> Result<Drags> {
        let argument =
            |error: &dyn std::fmt::Display| thrown(PliantError::new("argument", &error.to_string()));
        let mesh = samples::make(SampleCharacter::Mannequin, vertices).map_err(|e| argument(&e))?.mesh;
        let operators = MeshGeometry::of(&mesh);
        let rest = mesh.positions();
        let points: Vec<u32> = (0..points).map(|i| (i * rest.len() / points) as u32).collect();
        let targets: Vec<Vec3> = points.iter().map(|&v| rest[v as usize]).collect();
        let handles: Vec<Handle> = targets.iter().copied().map(Handle::Point).collect();
        let wave =
            |k: usize| rest.iter().map(move |p| *p + Vec3::X * 0.1 * (3.0 * p.y + 0.3 * k as f32).sin());
        let poses: Vec<Vec<Vec3>> = (0..examples).map(|k| wave(k).collect()).collect();
        let (report, progress) = (&mut Report::default(), &mut Progress::silent());
        let watching = FitObserver { report, progress, on_iteration: &mut |_, _| true };
        // The time of a drag does not depend on the weights: one iteration suffices.
        let options = ExampleFit { iterations: 1, ..ExampleFit::default() };
        let weights = fit_examples(
            &operators,
            &handles,
            &poses,
            FitLimits::unlimited(&options),
            &|_| String::new(),
            watching,
        )
        .map_err(|e| argument(&e))?
        .weights;
        let skin = Skin::new(&weights, &targets);
        let rest = Shape { positions: rest.to_vec(), normals: operators.normals().to_vec() };
        Ok(Self {
            handles: FastArap::new(&operators, &weights, 0, &points),
            drags: 0,
            frames: Frames {
                scratch: Scratch::new(&skin),
                skin,
                matrices: vec![Mat4::IDENTITY; targets.len()],
                posed: rest.clone(),
                rest,
            },
            targets,
        })
    }

    /// Moves the target of the next point.
    pub fn drag(&mut self) {
        let at = self.drags % self.targets.len();
        self.drags += 1;
        self.targets[at] += Vec3::new(0.02, 0.01, -0.01);
        self.frames.matrices.copy_from_slice(self.handles.drag(&self.targets));
    }

    /// The same, and poses every vertex and every normal.
    #[wasm_bindgen(js_name = dragAndPose)]
    pub fn drag_and_pose(&mut self) {
        self.drag();
        self.frames.linear();
    }
}
