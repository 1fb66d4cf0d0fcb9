//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use pliant::io::gltf::WeightFormat;
use pliant_fitting::names::Names;
use pliant_fitting::plans::BodyPlan;

use crate::parameters::{ParameterArgs, PostSkinning, Rig, Skinning};

/// Computes skinning weights for a mesh and a skeleton, and poses the result
///
/// Reads GLB, VRM, glTF, FBX, OBJ, PLY and STL, also in a ZIP, recognised by content. Writes GLB
/// that adds a skin to the source document: materials, textures, extensions and vertex order stay
/// as they were.
#[derive(Parser)]
#[command(name = "pliant", version, max_term_width = 110, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  pliant make mannequin -o mannequin.glb
  pliant rig mannequin.glb -o rigged.glb --report report.json
  pliant rig person.obj --skeleton auto --names mixamo -o person.glb
  pliant rig horse.obj --skeleton rig-horse.glb --atlas-k 0.3 -o horse.glb
  pliant rig mannequin.glb --method bbw --bbw-domain volume -o smooth.glb
  pliant retarget dance.bvh rigged.glb -o dancing.glb
  pliant retarget rigged.glb --clip walk --clip wave -o walking.glb
  pliant pose rigged.glb --rotate upper_arm.L=0,0,40 --rotate forearm.L=0,60,0 -o bent.obj
  pliant pose rigged.glb --clip walk --time 0.4 --deformer dqs -o walking.glb
  pliant pose rigged.glb --rotate forearm.L=0,110,0 --volume local --fold-guard -o bent.obj --report bent.json")]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Print mesh, skeleton, deforming joints and clips of a file
    Info(InfoArgs),
    /// Write a sample character with skeleton and clips
    Make(MakeArgs),
    /// Fit a skeleton to a bare mesh, and write the skeleton alone
    Fit(FitArgs),
    /// Compute weights for a mesh and its skeleton, one from another file, or a fitted one
    Rig(RigArgs),
    /// Pose a rigged character and write the result
    Pose(PoseArgs),
    /// Write the volume correction of clips as morph targets, for engines that only skin
    Bake(BakeArgs),
    /// Move a rigged character by a clip of another one, or by one of the library
    Retarget(RetargetArgs),
    /// Write what the site needs at build time: options.json and samples/NAME.glb
    #[command(hide = true)]
    SiteAssets(SiteAssetsArgs),
}

#[derive(Args)]
pub struct SiteAssetsArgs {
    /// An existing or new folder
    pub folder: PathBuf,
}

#[derive(Args)]
pub struct InfoArgs {
    /// GLB, VRM, glTF, FBX, OBJ, PLY or STL, or a ZIP with one; or a skeleton
    pub model: PathBuf,
    /// Print JSON with stable names instead of text
    #[arg(long)]
    pub json: bool,
}

/// How a GLB is written.
#[derive(Args)]
pub struct GlbArgs {
    /// Compress the GLB with meshopt, without loss; other software must know
    /// EXT_meshopt_compression to read it
    #[arg(long)]
    pub compress: bool,
}

#[derive(Args)]
pub struct MakeArgs {
    /// cylinder, cylinder-off-centre, arm, hand, mannequin, elephant or giraffe
    #[arg(value_name = "NAME")]
    pub character: String,
    /// About how many vertices, from 200 to 1000000 (the result is within 10 %)
    #[arg(long, value_name = "N")]
    pub vertices: Option<usize>,
    #[command(flatten)]
    pub glb: GlbArgs,
    /// .glb (with skeleton and clips) or .obj (the mesh alone)
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// How a skeleton is fitted.
#[derive(Args)]
pub struct FittingArgs {
    /// Kind of body: humanoid, quadruped, bird, fish, snake, spider or generic [default: found by
    /// its shape]
    #[arg(long, value_name = "PLAN", value_parser = plan)]
    pub plan: Option<BodyPlan>,
    /// A joint at a known position in rest space, by its plain name (upper_arm.L, shin.R, …), or
    /// chin or groin; repeatable
    #[arg(long, value_name = "JOINT=X,Y,Z", allow_hyphen_values = true)]
    pub marker: Vec<String>,
    /// Up and front of the body, for example +Y,+Z [default: found by its shape]
    #[arg(long, value_name = "UP,FRONT", allow_hyphen_values = true)]
    pub orientation: Option<String>,
    /// Fingers of each hand, from 0 to 5 [default: found by their shape]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=5))]
    pub fingers: Option<u8>,
    /// Names of the joints: plain (default), mixamo, vrm, unity, unreal or rigify
    #[arg(long, value_name = "CONVENTION", value_parser = names)]
    pub names: Option<Names>,
}

#[derive(Args)]
pub struct FitArgs {
    /// GLB, VRM, glTF, FBX, OBJ, PLY or STL, or a ZIP with one; a skeleton in it is ignored
    pub model: PathBuf,
    #[command(flatten)]
    pub fitting: FittingArgs,
    /// A .json with joints, confidences and warnings, which --skeleton reads
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

#[derive(Args)]
pub struct RigArgs {
    /// GLB, VRM, glTF, FBX, OBJ, PLY or STL, or a ZIP with one
    pub model: PathBuf,
    /// Take the skeleton (and its clips) from this file: GLB, VRM, VRMA, glTF, FBX, BVH, .tgf, or
    /// JSON with heads and tails; or `auto`: fit one to the mesh
    #[arg(long, value_name = "FILE|auto")]
    pub skeleton: Option<PathBuf>,
    #[command(flatten)]
    pub fitting: FittingArgs,
    #[command(flatten)]
    pub parameters: ParameterArgs<Rig>,
    /// A point handle at the vertex nearest to a position in rest space; becomes a joint of that
    /// name. For the methods bbw and examples, with bones or without any; repeatable
    #[arg(long, value_name = "NAME=X,Y,Z", allow_hyphen_values = true)]
    pub point: Vec<String>,
    /// With the method examples: a pose of the same mesh, or a GLB of it with morph targets or
    /// clips; repeatable
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub example: Vec<PathBuf>,
    /// With the method examples: how many poses to take from each clip of an example file
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub example_frames: usize,
    /// With the method atlas: take the regions from this file instead of cutting the mesh. A joint
    /// per vertex or per triangle, by name or number: a JSON list, or text with one per line. Or a
    /// JSON object from vertex colours to joints: {"#ff0000": "head"}
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    /// Let this joint deform the skin although it would be excluded; repeatable
    #[arg(long, value_name = "JOINT")]
    pub include: Vec<String>,
    /// Do not let this joint deform the skin; repeatable
    #[arg(long, value_name = "JOINT")]
    pub exclude: Vec<String>,
    /// How a loose part moves: its index in the report or the name of its mesh, and `rigid`, `soft`
    /// or `method`; repeatable
    #[arg(long, value_name = "NAME=MOTION")]
    pub loose_part: Vec<String>,
    /// Start with the parameters in this file; other options override them
    #[arg(long, value_name = "R.json")]
    pub recipe: Option<PathBuf>,
    /// Number format of the weights in the file: float (exact), u16 (half the size) or u8 (a
    /// quarter)
    #[arg(long, value_name = "FORMAT", default_value = "float", value_parser = weight_format)]
    pub weights: WeightFormat,
    #[command(flatten)]
    pub glb: GlbArgs,
    /// A file that ends in .glb, or in .vrm if the model is a VRM avatar
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Write a report as JSON
    #[arg(long, value_name = "REPORT.json")]
    pub report: Option<PathBuf>,
}

#[derive(Args)]
pub struct PoseArgs {
    /// A rigged GLB, VRM, glTF or FBX
    pub model: PathBuf,
    /// Rotate a joint by degrees about its local X, Y and Z axes, on top of the clip; repeatable
    #[arg(long, value_name = "JOINT=X,Y,Z", allow_hyphen_values = true)]
    pub rotate: Vec<String>,
    /// Start from this clip instead of the rest pose
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,
    /// Seconds into the clip
    #[arg(long, value_name = "T", default_value_t = 0.0, requires = "clip", allow_hyphen_values = true)]
    pub time: f32,
    #[command(flatten)]
    pub skinning: ParameterArgs<Skinning>,
    #[command(flatten)]
    pub post_skinning: ParameterArgs<PostSkinning>,
    /// Factors of the correction map: a JSON array with one number per vertex of the file, in its
    /// order
    #[arg(long, value_name = "FACTORS.json")]
    pub volume_paint: Option<PathBuf>,
    /// .obj (the posed mesh), .glb (the rig in the pose), or .vrm if the model is a VRM avatar
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Write a report as JSON
    #[arg(long, value_name = "REPORT.json")]
    pub report: Option<PathBuf>,
}

#[derive(Args)]
pub struct BakeArgs {
    /// A rigged GLB, VRM, glTF or FBX
    pub model: PathBuf,
    /// Only this clip; repeatable [default: all of them]
    #[arg(long, value_name = "NAME")]
    pub clip: Vec<String>,
    /// Only the vertices around this joint; repeatable [default: all of them]
    #[arg(long, value_name = "NAME")]
    pub joint: Vec<String>,
    /// Morph targets per clip, evenly spaced in time, from 2 to 64 [default: as many as the
    /// tolerance needs]
    #[arg(long, value_name = "N", conflicts_with = "tolerance")]
    pub keys: Option<usize>,
    /// Largest error between keys, in percent of the largest correction
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0)]
    pub tolerance: f32,
    #[command(flatten)]
    pub skinning: ParameterArgs<Skinning>,
    #[command(flatten)]
    pub post_skinning: ParameterArgs<PostSkinning>,
    /// Factors of the correction map: a JSON array with one number per vertex of the file, in its
    /// order
    #[arg(long, value_name = "FACTORS.json")]
    pub volume_paint: Option<PathBuf>,
    #[command(flatten)]
    pub glb: GlbArgs,
    /// A file that ends in .glb, or in .vrm if the model is a VRM avatar
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

#[derive(Args)]
pub struct RetargetArgs {
    /// The motion (GLB, VRM, VRMA, glTF, FBX or BVH), and the rigged character that it shall move;
    /// the character alone for clips of the library
    #[arg(value_name = "FILE", num_args = 1..=2, required = true)]
    pub files: Vec<PathBuf>,
    /// Only this clip of the motion, or a clip of the library; repeatable [default: all clips of
    /// the motion]
    #[arg(long, value_name = "NAME")]
    pub clip: Vec<String>,
    /// Print the clips of the library that fit the character, and write nothing
    #[arg(long)]
    pub list: bool,
    /// Remove the travel along the ground
    #[arg(long)]
    pub in_place: bool,
    #[command(flatten)]
    pub glb: GlbArgs,
    /// A file that ends in .glb, or in .vrm if the character is a VRM avatar
    #[arg(short, long, value_name = "FILE", required_unless_present = "list")]
    pub output: Option<PathBuf>,
}

/// The value that one of some words chooses.
fn chosen<T: Copy>(text: &str, all: &[(&str, T)]) -> Result<T, String> {
    let found = all.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let words: Vec<&str> = all.iter().map(|(word, _)| *word).collect();
        format!("expected one of {}", words.join(", "))
    })
}

fn plan(text: &str) -> Result<BodyPlan, String> {
    chosen(text, &BodyPlan::ALL)
}

fn names(text: &str) -> Result<Names, String> {
    chosen(text, &Names::ALL)
}

fn weight_format(text: &str) -> Result<WeightFormat, String> {
    match text {
        "float" => Ok(WeightFormat::Float),
        "u16" => Ok(WeightFormat::U16),
        "u8" => Ok(WeightFormat::U8),
        _ => Err("expected float, u16 or u8".to_owned()),
    }
}
