//! `pliant info`

use pliant::io;
use pliant::model::skeleton::Evidence;
use pliant::model::{Asset, Part, Topology};
use pliant::pipeline::ModelInfo;
use pliant::report::Report;
use serde::Serialize;

use crate::Failure;
use crate::args::InfoArgs;
use crate::files;

pub fn run(args: &InfoArgs) -> Result<(), Failure> {
    let files = files::read_with_references(&args.model)?;
    let mut report = Report::default();
    let asset = match io::read_model(&files, &mut report) {
        Ok(asset) => asset,
        // Files with a skeleton alone are described as well.
        Err(error) => {
            report = Report::default();
            let read =
                io::read_skeleton(&files, &mut report).map_err(|_| files::about(&args.model)(error))?;
            Asset { skeleton: Some(read.skeleton), clips: read.clips, ..Asset::default() }
        }
    };
    let summary = Summary::of(asset, report);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&summary)?);
    } else {
        print!("{}", summary.to_text(&args.model.display().to_string()));
    }
    Ok(())
}

/// The description of a model, and its topology.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    #[serde(flatten)]
    model: ModelInfo,
    closed: bool,
    border_edges: usize,
    non_manifold_edges: usize,
    loose_parts: usize,
    parts: Vec<PartInfo>,
    bones: usize,
}

/// One mesh of the file.
#[derive(Serialize)]
struct PartInfo {
    name: String,
    vertices: usize,
    triangles: usize,
}

impl Summary {
    fn of(mut asset: Asset, mut report: Report) -> Self {
        let topology = Topology::of(&asset.mesh);
        if let Some(mut skeleton) = asset.skeleton.take() {
            let mesh = Some(&asset.mesh).filter(|mesh| !mesh.triangles().is_empty());
            let (stored_weights, unweighted) = (asset.stored_weights.as_ref(), &asset.unweighted);
            let evidence = Evidence { mesh, stored_weights, unweighted, overrides: None };
            skeleton.classify_joints(&evidence, &mut report);
            asset.skeleton = Some(skeleton);
        }
        Self {
            closed: topology.is_closed(),
            border_edges: topology.border_edges(),
            non_manifold_edges: topology.non_manifold_edges(),
            loose_parts: topology.components(),
            parts: asset.render.parts.iter().map(PartInfo::of).collect(),
            bones: asset.skeleton.as_ref().map_or(0, |skeleton| skeleton.bones().len()),
            model: ModelInfo::of(&asset, &report),
        }
    }

    fn to_text(&self, name: &str) -> String {
        let model = &self.model;
        let joints = model.joints.iter().filter(|joint| joint.in_skin);
        let deforming = joints.clone().filter(|joint| joint.deforms).count();
        let surface = match (self.closed, model.triangles) {
            (_, 0) => "none".to_owned(),
            (true, _) => "closed".to_owned(),
            (false, _) => {
                format!("{} border edges, {} non-manifold", self.border_edges, self.non_manifold_edges)
            }
        };
        let [x, y, z] = model.size;
        let mut text = format!(
            "{name}\n  mesh      {} vertices ({} welded), {} triangles, {} loose parts\n  surface   {surface}\n  \
             size      {x:.3} × {y:.3} × {z:.3}\n  looks     {} materials, {} textures\n  skeleton  {} joints, \
             {deforming} deform, {} bones\n",
            model.vertices,
            model.solve_vertices,
            model.triangles,
            self.loose_parts,
            model.materials,
            model.textures,
            joints.count(),
            self.bones,
        );
        let human = model.joints.iter().filter(|joint| joint.human_bone.is_some()).count();
        let secondary = model.joints.iter().filter(|joint| joint.is_secondary).count();
        let avatar = model.vrm.as_ref().map(|version| format!("VRM {version}, "));
        if avatar.is_some() || human > 0 {
            let avatar = avatar.unwrap_or_default();
            text.push_str(&format!(
                "  humanoid  {avatar}{human} standard bones, {secondary} secondary joints\n"
            ));
        }
        for joint in &model.joints {
            if let Some(bone) = &joint.human_bone {
                text.push_str(&format!("  bone      {bone}: {}\n", joint.name));
            }
        }
        if let Some(most) = model.stored_influences {
            text.push_str(&format!("  weights   stored, at most {most} influences a vertex\n"));
        }
        for clip in &model.clips {
            text.push_str(&format!(
                "  clip      {} ({:.2} s, {} tracks)\n",
                clip.name, clip.duration, clip.tracks
            ));
        }
        for warning in &model.warnings {
            text.push_str(&format!("  note      {}\n", warning.message));
        }
        text
    }
}

impl PartInfo {
    fn of(part: &Part) -> Self {
        Self { name: part.name.clone(), vertices: part.vertices.len(), triangles: part.triangles.len() }
    }
}
