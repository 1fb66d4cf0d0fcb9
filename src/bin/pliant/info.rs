//! `pliant info`

use pliant::io;
use pliant::model::skeleton::Evidence;
use pliant::model::{Asset, JointKind, Topology};
use pliant::report::Report;
use serde::Serialize;

use crate::Failure;
use crate::args::InfoArgs;
use crate::files;
use crate::rig::WarningSummary;

pub fn run(args: &InfoArgs) -> Result<(), Failure> {
    let files = files::read_with_neighbours(&args.model)?;
    let mut report = Report::default();
    let asset = match io::read_model(&files, &mut report) {
        Ok(asset) => asset,
        // A skeleton alone is worth describing too.
        Err(error) => {
            report = Report::default();
            let read =
                io::read_skeleton(&files, &mut report).map_err(|_| files::about(&args.model)(error))?;
            Asset { skeleton: Some(read.skeleton), clips: read.clips, ..Asset::default() }
        }
    };
    let summary = Summary::of(&asset, report);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&summary)?);
    } else {
        print!("{}", summary.to_text(&args.model.display().to_string()));
    }
    Ok(())
}

#[derive(Serialize)]
struct Summary {
    vertices: usize,
    solve_vertices: usize,
    triangles: usize,
    size: [f32; 3],
    closed: bool,
    border_edges: usize,
    non_manifold_edges: usize,
    loose_parts: usize,
    parts: Vec<PartSummary>,
    materials: usize,
    textures: usize,
    joints: Vec<JointSummary>,
    bones: usize,
    stored_influences: Option<usize>,
    clips: Vec<ClipSummary>,
    warnings: Vec<WarningSummary>,
}

#[derive(Serialize)]
struct PartSummary {
    name: String,
    vertices: usize,
    triangles: usize,
}

#[derive(Serialize)]
struct JointSummary {
    name: String,
    parent: Option<String>,
    deforms: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
}

#[derive(Serialize)]
struct ClipSummary {
    name: String,
    seconds: f32,
    tracks: usize,
}

impl Summary {
    fn of(asset: &Asset, mut report: Report) -> Self {
        let topology = Topology::of(&asset.mesh);
        let (low, high) = asset.mesh.bounds();
        let mut skeleton = asset.skeleton.clone();
        if let Some(skeleton) = &mut skeleton {
            let mesh = Some(&asset.mesh).filter(|mesh| !mesh.triangles().is_empty());
            let evidence = Evidence { mesh, stored_weights: asset.stored_weights.as_ref(), overrides: None };
            skeleton.classify_joints(&evidence, &mut report);
        }
        let joints = skeleton.iter().flat_map(|skeleton| {
            let listed = |&joint: &usize| skeleton.joints()[joint].kind == JointKind::Skin;
            (0..skeleton.joints().len()).filter(listed).map(|joint| JointSummary {
                name: skeleton.joints()[joint].name.clone(),
                parent: skeleton.joints()[joint].parent.map(|parent| skeleton.joints()[parent].name.clone()),
                deforms: skeleton.deforms(joint),
                because: skeleton.exclusion(joint).map(pliant::model::Exclusion::reason),
            })
        });
        Self {
            vertices: asset.render.positions.len(),
            solve_vertices: asset.mesh.positions().len(),
            triangles: asset.render.triangles.len(),
            size: (high - low).to_array(),
            closed: topology.is_closed(),
            border_edges: topology.border_edges(),
            non_manifold_edges: topology.non_manifold_edges(),
            loose_parts: topology.components(),
            parts: asset.render.parts.iter().map(PartSummary::of).collect(),
            materials: asset.materials.len(),
            textures: asset.textures.len(),
            joints: joints.collect(),
            bones: skeleton.as_ref().map_or(0, |skeleton| skeleton.bones().len()),
            stored_influences: asset.stored_weights.as_ref().map(pliant::model::Weights::max_influences),
            clips: asset.clips.iter().map(ClipSummary::of).collect(),
            warnings: report.warnings().iter().map(WarningSummary::of).collect(),
        }
    }

    fn to_text(&self, name: &str) -> String {
        let deforming = self.joints.iter().filter(|joint| joint.deforms).count();
        let surface = match (self.closed, self.triangles) {
            (_, 0) => "none".to_owned(),
            (true, _) => "closed".to_owned(),
            (false, _) => {
                format!("{} border edges, {} non-manifold", self.border_edges, self.non_manifold_edges)
            }
        };
        let [x, y, z] = self.size;
        let mut text = format!(
            "{name}\n  mesh      {} vertices ({} welded), {} triangles, {} loose parts\n  surface   {surface}\n  \
             size      {x:.3} × {y:.3} × {z:.3}\n  looks     {} materials, {} textures\n  skeleton  {} joints, \
             {deforming} deform, {} bones\n",
            self.vertices,
            self.solve_vertices,
            self.triangles,
            self.loose_parts,
            self.materials,
            self.textures,
            self.joints.len(),
            self.bones,
        );
        if let Some(most) = self.stored_influences {
            text.push_str(&format!("  weights   stored, at most {most} influences a vertex\n"));
        }
        for clip in &self.clips {
            text.push_str(&format!(
                "  clip      {} ({:.2} s, {} tracks)\n",
                clip.name, clip.seconds, clip.tracks
            ));
        }
        for warning in &self.warnings {
            text.push_str(&format!("  note      {}\n", warning.message()));
        }
        text
    }
}

impl PartSummary {
    fn of(part: &pliant::model::Part) -> Self {
        Self { name: part.name.clone(), vertices: part.vertices.len(), triangles: part.triangles.len() }
    }
}

impl ClipSummary {
    fn of(clip: &pliant::model::Clip) -> Self {
        Self { name: clip.name.clone(), seconds: clip.duration(), tracks: clip.tracks.len() }
    }
}
