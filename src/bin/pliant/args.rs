//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Turns a mesh and a skeleton into a character that bends well.
///
/// Reads GLB, glTF, OBJ, PLY and STL by content, whatever the file is called, and writes GLB that adds a skin to the
/// file you gave: materials, textures, vertex order and everything else in it stay as they are.
#[derive(Parser)]
#[command(name = "pliant", version, max_term_width = 110, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  pliant make mannequin -o mannequin.glb
  pliant rig mannequin.glb -o rigged.glb --report report.json
  pliant rig horse.obj --skeleton rig-horse.glb -o horse.glb
  pliant pose rigged.glb --rotate upper_arm.L=0,0,40 --rotate forearm.L=0,60,0 -o bent.obj
  pliant pose rigged.glb --clip walk --time 0.4 --deformer dqs -o walking.glb
  pliant pose rigged.glb --rotate forearm.L=0,110,0 --volume local --fold-guard -o bent.obj --report bent.json")]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Say what is in a file: mesh, skeleton, which joints deform, clips
    Info(InfoArgs),
    /// Make one of the demo characters, with skeleton and clips
    Make(MakeArgs),
    /// Bind a mesh to its skeleton, or to one from another file
    Rig(RigArgs),
    /// Pose a rigged character and write what comes out
    Pose(PoseArgs),
    /// Write what volume and fold guard do to clips as morph targets, for engines that only skin
    Bake(BakeArgs),
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
    /// GLB, glTF, OBJ, PLY or STL
    pub model: PathBuf,
    /// Print JSON with stable names instead of text
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct MakeArgs {
    /// Who: cylinder, cylinder-off-centre, arm, hand, mannequin, elephant or giraffe
    pub member: String,
    /// About how many vertices, from 200 to 1000000 (the result is within 10 %)
    #[arg(long, value_name = "N")]
    pub vertices: Option<usize>,
    /// Where to: .glb (with skeleton and clips) or .obj (the mesh alone)
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

#[derive(Args)]
pub struct RigArgs {
    /// GLB, glTF, OBJ, PLY or STL
    pub model: PathBuf,
    /// Take the skeleton (and its clips) from this file: GLB, glTF, .tgf, or JSON with heads and tails
    #[arg(long, value_name = "FILE")]
    pub skeleton: Option<PathBuf>,
    /// How weights are found: atlas, distance, heat, glow, bbw or examples [default: atlas]
    #[arg(long)]
    pub method: Option<String>,
    /// With the atlas method: how wide joints bend, from 0 (rigid) over 0.5 to 2 (very soft) [default: 0.5]
    #[arg(long, value_name = "K")]
    pub k: Option<f64>,
    /// With the atlas method: another width at one joint; repeatable
    #[arg(long, value_name = "NAME=K")]
    pub k_joint: Vec<String>,
    /// With the atlas method: how distances are measured [default: smooth]
    #[arg(long)]
    pub distance: Option<MetricArg>,
    /// With the atlas method: how distances are measured for the overlaps [default: as --distance]
    #[arg(long)]
    pub overlap_distance: Option<MetricArg>,
    /// With the atlas method: how weights fade: cubic, quintic, linear, or points of a curve such as 0.3,0.1;0.7,0.9
    /// [default: cubic]
    #[arg(long, value_name = "CURVE")]
    pub transition: Option<String>,
    /// The most joints a vertex may follow, 1 to 8; more than 4 need an engine that reads JOINTS_1 [default: 4]
    #[arg(long, value_name = "N")]
    pub max_influences: Option<usize>,
    /// With the distance method: how fast influence falls with distance; higher is stiffer [default: 4]
    #[arg(long, value_name = "A")]
    pub falloff: Option<f64>,
    /// With the distance method: which bones a vertex can see [default: exact]
    #[arg(long)]
    pub visibility: Option<VisibilityArg>,
    /// With the heat and glow methods: how strongly bones hold the skin; higher is stiffer [default: 4, which is 1 in Blender]
    #[arg(long, value_name = "C")]
    pub conductance: Option<f64>,
    /// With the glow method: whether light spreads over the skin [default: on]
    #[arg(long)]
    pub diffusion: Option<DiffusionArg>,
    /// With the bbw method: whether weights are smooth on the skin or in the flesh [default: in the flesh of closed meshes]
    #[arg(long)]
    pub domain: Option<DomainArg>,
    /// With the bbw and examples methods: a handle on the skin nearest to a place, beside the bones or without any; it becomes a joint of
    /// that name; repeatable
    #[arg(long, value_name = "NAME=X,Y,Z", allow_hyphen_values = true)]
    pub point: Vec<String>,
    /// With the examples method: a pose of the same mesh to learn from, or a GLB of it with morph targets or clips; repeatable
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub example: Vec<PathBuf>,
    /// With the examples method: how many poses to take from each clip of an example file that stands in the rest pose
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub example_frames: usize,
    /// Let this joint deform the skin although it would be left out; repeatable
    #[arg(long, value_name = "JOINT")]
    pub include: Vec<String>,
    /// Leave this joint out of the skin; repeatable
    #[arg(long, value_name = "JOINT")]
    pub exclude: Vec<String>,
    /// Start from the parameters in this file; the options above override it
    #[arg(long, value_name = "R.json")]
    pub recipe: Option<PathBuf>,
    /// How weights are stored in the file
    #[arg(long, value_enum, default_value_t = FormatArg::Float)]
    pub weights: FormatArg,
    /// Where to: .glb
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Write what was done, measured and noticed as JSON
    #[arg(long, value_name = "REPORT.json")]
    pub report: Option<PathBuf>,
}

#[derive(Args)]
pub struct PoseArgs {
    /// A rigged GLB or glTF
    pub model: PathBuf,
    /// Turn a joint by degrees about the X, Y and Z axes of its own frame, on top of the clip; repeatable
    #[arg(long, value_name = "JOINT=X,Y,Z", allow_hyphen_values = true)]
    pub rotate: Vec<String>,
    /// Start from this clip instead of the rest pose
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,
    /// Seconds into the clip
    #[arg(long, value_name = "T", default_value_t = 0.0, requires = "clip", allow_hyphen_values = true)]
    pub time: f32,
    /// Linear blend skinning, or dual quaternions
    #[arg(long, value_enum, default_value_t = DeformerArg::Lbs)]
    pub deformer: DeformerArg,
    #[command(flatten)]
    pub post_skinning: PostSkinningArgs,
    /// Where to: .obj (the posed mesh) or .glb (the rig standing in the pose)
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Write what was measured as JSON
    #[arg(long, value_name = "REPORT.json")]
    pub report: Option<PathBuf>,
}

/// What is done about volume and folds.
#[derive(Args)]
pub struct PostSkinningArgs {
    /// Whether and where flesh gives so that volume is kept
    #[arg(long, value_enum, default_value_t = VolumeArg::Off)]
    pub volume: VolumeArg,
    /// As published, or to the last digit
    #[arg(long, value_enum, default_value_t = VolumeModeArg::Exact)]
    pub volume_mode: VolumeModeArg,
    /// How strongly the correction gathers at the joints, 0 to 8
    #[arg(long, value_name = "A", default_value_t = 1.0)]
    pub volume_alpha: f64,
    /// How strongly it gathers away from the bones, 0 to 8
    #[arg(long, value_name = "B", default_value_t = 1.0)]
    pub volume_beta: f64,
    /// Do not count this joint's bones for that distance; repeatable
    #[arg(long, value_name = "JOINT")]
    pub volume_exclude: Vec<String>,
    /// Keep flesh in bent joints from passing through itself
    #[arg(long)]
    pub fold_guard: bool,
}

#[derive(Args)]
pub struct BakeArgs {
    /// A rigged GLB or glTF
    pub model: PathBuf,
    /// Only this clip; repeatable [default: all of them]
    #[arg(long, value_name = "NAME")]
    pub clip: Vec<String>,
    /// Only the flesh around this joint; repeatable [default: all of it]
    #[arg(long, value_name = "NAME")]
    pub joint: Vec<String>,
    /// Shapes per clip, evenly spaced in time, from 2 to 64
    #[arg(long, value_name = "N", default_value_t = 9)]
    pub keys: usize,
    #[command(flatten)]
    pub post_skinning: PostSkinningArgs,
    /// Where to: .glb
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum VisibilityArg {
    /// A ray through the flesh decides
    Exact,
    /// The angle to the surface decides
    Cheap,
    /// Every bone counts
    Off,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum MetricArg {
    /// Straight through space
    Euclidean,
    /// Along the edges of the mesh
    Dijkstra,
    /// Along the surface
    Smooth,
    /// By Laplace's equation
    Harmonic,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum DiffusionArg {
    /// It does, as in the paper
    On,
    /// Weights are the shares of light as received
    Off,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum DomainArg {
    /// In the flesh of closed meshes, else on the skin
    Auto,
    /// On the skin
    Surface,
    /// In the flesh
    Volume,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum DeformerArg {
    /// Linear blend skinning: what every engine does
    Lbs,
    /// Dual quaternions: twists keep their thickness
    Dqs,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum VolumeArg {
    /// As skinned
    Off,
    /// Everywhere alike
    Uniform,
    /// At the joints
    Rubber,
    /// At the joints, away from the bones
    Organic,
    /// The same, and every bone's flesh keeps its own volume
    Local,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum VolumeModeArg {
    /// One linear step, as in the paper
    Paper,
    /// Until the volume is what it was
    Exact,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum FormatArg {
    /// 32-bit numbers: exact
    Float,
    /// 16-bit shares: half the size
    U16,
    /// 8-bit shares: a quarter of the size
    U8,
}
