//! The command line: files and reports it writes, options, and error messages.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use glam::Vec3;
use pliant::io;
use pliant::pipeline::{
    PARAMETERS, Parameter, ParameterGroup, ParameterKind, Recipe, post_skinning_options, set_value_at,
};
use pliant::report::Report;
use pliant::samples::SampleCharacter;
use serde_json::{Value, json};

/// A folder of its own for each test, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&read(&self.0.join(name))).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[expect(clippy::disallowed_methods, reason = "tests read files")]
fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "tests write files")]
fn write(path: &str, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
}

fn pliant(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pliant")).args(args).output().unwrap()
}

fn succeed(args: &[&str]) -> String {
    let output = pliant(args);
    assert!(output.status.success(), "pliant {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Exit code 1 and one clear line; returns it.
fn fail(args: &[&str]) -> String {
    let output = pliant(args);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "pliant {args:?}: {message}");
    assert_eq!(message.lines().count(), 1, "one line, not: {message}");
    assert!(message.starts_with("pliant: ") && !message.contains("panicked"), "{message}");
    message
}

#[test]
fn a_file_keeps_its_weights_unless_a_method_or_a_parameter_of_one_is_given() {
    let folder = Folder::new("source");
    let (made, rigged) = (folder.file("made.glb"), folder.file("rigged.glb"));
    let (again, report) = (folder.file("again.glb"), folder.file("rig.json"));
    succeed(&["make", "arm", "--vertices", "300", "-o", &made]);
    succeed(&["rig", &made, "-o", &rigged]);
    let method = |options: &[&str]| {
        succeed(&[&["rig", &rigged, "-o", &again, "--report", &report], options].concat());
        folder.json("rig.json")["method"].as_str().unwrap().to_owned()
    };
    assert_eq!(method(&[]), "source");
    assert!(read(Path::new(&rigged)) == read(Path::new(&again)));
    assert_eq!(method(&["--atlas-k", "1"]), "atlas");
    assert_eq!(method(&["--method", "heat", "--atlas-k", "1"]), "heat");
}

#[test]
fn biharmonic_weights_say_how_far_they_converged() {
    let folder = Folder::new("bbw");
    let (made, rigged) = (folder.file("made.glb"), folder.file("rigged.glb"));
    succeed(&["make", "arm", "--vertices", "600", "-o", &made]);
    for domain in ["surface", "volume"] {
        let report = folder.file("rig.json");
        succeed(&[
            "rig",
            &made,
            "--method",
            "bbw",
            "--bbw-domain",
            domain,
            "-o",
            &rigged,
            "--report",
            &report,
        ]);
        let report = folder.json("rig.json");
        let found = &report["convergence"];
        assert_eq!((&report["method"], &found["converged"]), (&"bbw".into(), &true.into()), "{domain}");
        assert!(found["iterations"].as_u64().unwrap() >= 1 && found["residual"].as_f64().unwrap() < 1e-3);
        assert!(report["maxSumError"].as_f64().unwrap() < 1e-5);
    }
}

#[test]
fn compression_makes_a_glb_smaller_and_says_by_how_much() {
    let folder = Folder::new("compress");
    let [plain, smaller, posed] = ["plain.glb", "smaller.glb", "posed.obj"].map(|name| folder.file(name));
    succeed(&["make", "arm", "--vertices", "600", "-o", &plain]);
    let made = pliant(&["make", "arm", "--vertices", "600", "--compress", "-o", &smaller]);
    let sizes = [&plain, &smaller].map(|path| read(Path::new(path)).len());
    assert!(sizes[1] < sizes[0] * 9 / 10, "{sizes:?}");
    let note = format!("pliant: note: compressed from {} to {} bytes\n", sizes[0], sizes[1]);
    assert_eq!((made.status.code(), String::from_utf8(made.stderr).unwrap()), (Some(0), note));
    // What is compressed is read like any other file.
    succeed(&["rig", &smaller, "--compress", "-o", &smaller]);
    succeed(&["bake", &smaller, "--volume", "local", "--keys", "3", "--compress", "-o", &smaller]);
    succeed(&["pose", &smaller, "-o", &posed]);
    let error = fail(&["make", "arm", "--compress", "-o", &posed]);
    assert!(error.contains("--compress"), "{error}");
}

#[test]
fn point_handles_become_joints_of_a_mesh_without_skeleton() {
    let folder = Folder::new("points");
    let (mesh, rigged) = (folder.file("sheet.obj"), folder.file("sheet.glb"));
    let mut text = String::new();
    for (y, x) in (0..6).flat_map(|y| (0..11).map(move |x| (y, x))) {
        text += &format!("v {x} {y} 0\n");
    }
    for (y, x) in (0..5).flat_map(|y| (0..10).map(move |x| (y, x))) {
        let corner = 11 * y + x + 1;
        text += &format!("f {} {} {} {}\n", corner, corner + 1, corner + 12, corner + 11);
    }
    write(&mesh, text.as_bytes());
    let points = ["--point", "left=0,2.5,0", "--point", "right=10,2.5,0"];
    succeed(&[&["rig", &mesh, "--method", "bbw", "-o", &rigged], &points[..]].concat());
    let info = succeed(&["info", &rigged]);
    assert!(info.contains("left") && info.contains("right"), "{info}");
    let error = fail(&["rig", &mesh, "--method", "bbw", "--point", "left=0,2", "-o", &rigged]);
    assert!(error.contains("NAME=X,Y,Z"), "{error}");
    let error = fail(&["rig", &mesh, "--method", "heat", "--point", "left=0,2,0", "-o", &rigged]);
    assert!(error.contains("no skeleton"), "{error}");
}

#[test]
fn weights_are_fitted_to_the_clips_of_a_rigged_file() {
    let folder = Folder::new("examples");
    let file = |name: &str| folder.file(name);
    let (made, rigged, learned) = (file("made.glb"), file("rigged.glb"), file("learned.glb"));
    succeed(&["make", "cylinder", "--vertices", "400", "-o", &made]);
    succeed(&["rig", &made, "-o", &rigged]);
    let report = file("rig.json");
    let rig =
        ["rig", &made, "--method", "examples", "--example-frames", "4", "-o", &learned, "--report", &report];
    succeed(&[&rig[..], &["--example", &rigged]].concat());
    let report = folder.json("rig.json");
    let fit = &report["exampleFit"];
    let energy = fit["energy"].as_array().unwrap();
    let total = |at: usize| energy[at]["total"].as_f64().unwrap();
    assert!(
        energy.len() as u64 == fit["iterations"].as_u64().unwrap() + 1 && total(energy.len() - 1) < total(0)
    );
    assert!(["data", "sparsity", "arap"].iter().all(|term| energy[0][term].is_f64()), "{energy:?}");
    assert!(fit["converged"].is_boolean());
    let rms = &fit["rms"];
    assert!(rms[1].as_f64().unwrap() < 0.5 * rms[0].as_f64().unwrap(), "{rms}");
    // Without examples, and with those of somebody else.
    assert!(fail(&rig).contains("--example FILE"));
    succeed(&["make", "cylinder", "--vertices", "900", "-o", &file("other.glb")]);
    let message = fail(&[&rig[..], &["--example", &file("other.glb")]].concat());
    assert!(
        message.contains("is no pose of") && message.contains("vertices, but the character has"),
        "{message}"
    );
}

#[test]
fn every_sample_character_is_made_rigged_and_posed() {
    let folder = Folder::new("samples");
    for member in SampleCharacter::ALL {
        let (made, rigged) = (folder.file("made.glb"), folder.file("rigged.glb"));
        succeed(&["make", member.name(), "--vertices", "600", "-o", &made]);
        succeed(&["rig", &made, "--method", "distance", "-o", &rigged, "--report", &folder.file("rig.json")]);
        let report = folder.json("rig.json");
        assert_eq!(report["method"], "distance");
        for count in ["vertices", "solveVertices", "triangles", "bones"] {
            assert!(report[count].as_u64().unwrap() > 0, "{count} of {}", member.name());
        }
        let stages = report["stages"].as_array().unwrap();
        assert!(stages.iter().any(|stage| stage["stage"] == "weights" && stage["seconds"].is_f64()));
        let total = report["totalSeconds"].as_f64().unwrap();
        assert!(total >= report["readSeconds"].as_f64().unwrap() + report["seconds"].as_f64().unwrap());
        assert!(report["maxSumError"].as_f64().unwrap() < 1e-5);
        assert!(report["maxInfluences"].as_u64().unwrap() <= 4);
        assert!(report["minWeight"].as_f64().unwrap() > 0.0 && report["maxWeight"].as_f64().unwrap() <= 1.0);
        assert!(report["meanInfluences"].as_f64().unwrap() >= 1.0);
        assert!(report["warnings"].is_array());

        let info: Value = serde_json::from_str(&succeed(&["info", &rigged, "--json"])).unwrap();
        for count in ["vertices", "solveVertices", "triangles"] {
            assert_eq!(info[count], report[count], "{count}");
        }
        let in_skin = |of: &Value| {
            let joints = of["joints"].as_array().unwrap().iter();
            joints.filter(|joint| joint["inSkin"] == true).count()
        };
        assert_eq!(in_skin(&info), in_skin(&report));
        let clip = info["clips"][0]["name"].as_str().unwrap().to_owned();
        for deformer in ["lbs", "dqs"] {
            let posed = folder.file("posed.obj");
            let (report, args) = (folder.file("pose.json"), ["--time", "0.4", "--deformer", deformer]);
            let command = ["pose", &rigged, "--clip", &clip, "-o", &posed, "--report", &report];
            succeed(&[&command[..], &args[..]].concat());
            let report = folder.json("pose.json");
            assert_eq!(report["deformer"], deformer);
            assert!(report["volume"]["rest"].as_f64().unwrap() > 0.0);
            assert!(
                report["volume"]["skinnedErrorPercent"].as_f64().unwrap() < 20.0,
                "{} {report}",
                member.name()
            );
        }
    }
}

#[test]
fn a_bent_arm_keeps_its_volume_and_the_report_says_so() {
    let folder = Folder::new("volume");
    let (made, rigged) = (folder.file("made.glb"), folder.file("rigged.glb"));
    succeed(&["make", "arm", "--vertices", "1500", "-o", &made]);
    succeed(&["rig", &made, "-o", &rigged]);
    let (posed, report) = (folder.file("posed.obj"), folder.file("pose.json"));
    let pose = |options: &[&str]| {
        let command = ["pose", &rigged, "--rotate", "forearm=0,110,0", "-o", &posed, "--report", &report];
        succeed(&[&command[..], options].concat());
        folder.json("pose.json")
    };
    let percent = |value: &Value| value.as_f64().unwrap();
    let off = pose(&[]);
    let lost = percent(&off["volume"]["skinnedErrorPercent"]);
    assert!(lost > 0.3, "{off}");
    assert_eq!(off["volume"]["corrected"], off["volume"]["skinned"]);
    assert_eq!(off["folds"]["before"], off["folds"]["after"]);
    for map in ["uniform", "rubber", "organic", "local"] {
        let exact = pose(&["--volume", map, "--volume-alpha", "1.5", "--volume-beta", "0.5"]);
        let allowed = if map == "local" { 0.1 } else { 0.01 };
        assert!(percent(&exact["volume"]["correctedErrorPercent"]) <= allowed, "{map}: {exact}");
        let paper = pose(&["--volume", map, "--volume-mode", "paper"]);
        let left = percent(&paper["volume"]["correctedErrorPercent"]);
        assert!(left < lost && left > 0.0, "{map}: {paper}");
    }
    let local = pose(&["--volume", "local", "--fold-guard"]);
    let segments = local["volume"]["segments"].as_array().unwrap();
    assert!(segments.iter().any(|s| percent(&s["skinnedErrorPercent"]) > 1.0), "{local}");
    for segment in segments {
        // Raw volumes, with what segments exchange.
        assert!(percent(&segment["correctedErrorPercent"]) <= 3.0, "{segment}");
        assert!(!segment["bone"].as_str().unwrap().is_empty());
    }
    assert!(local["folds"]["before"].as_u64().unwrap() >= local["folds"]["after"].as_u64().unwrap());
}

#[test]
fn baked_corrections_are_morph_targets_driven_by_the_clip() {
    let folder = Folder::new("bake");
    let (made, rigged, baked) =
        (folder.file("made.glb"), folder.file("rigged.glb"), folder.file("baked.glb"));
    succeed(&["make", "arm", "--vertices", "500", "-o", &made]);
    succeed(&["rig", &made, "-o", &rigged]);
    succeed(&["bake", &rigged, "--volume", "local", "--keys", "5", "-o", &baked]);
    let bytes = read(Path::new(&baked));
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let clips = json["animations"].as_array().unwrap();
    let targets = json["meshes"][0]["primitives"][0]["targets"].as_array().unwrap();
    assert_eq!(targets.len(), 5 * clips.len());
    for clip in clips {
        let channels = clip["channels"].as_array().unwrap();
        let drives = channels.iter().filter(|channel| channel["target"]["path"] == "weights").count();
        assert_eq!(drives, 1, "{clip}");
    }
    // What was baked is still the same rig.
    succeed(&["pose", &baked, "-o", &folder.file("rest.obj")]);
    let message = fail(&["bake", &rigged, "-o", &baked]);
    assert!(message.contains("--volume"), "{message}");
    let message = fail(&["bake", &rigged, "--volume", "local", "--keys", "1", "-o", &baked]);
    assert!(message.contains("2 to 64"), "{message}");
    let message = fail(&["bake", &baked, "--volume", "local", "-o", &folder.file("twice.glb")]);
    assert!(message.contains("morph targets of its own"), "{message}");
    let message = fail(&["bake", &rigged, "--volume", "local", "--joint", "knee", "-o", &baked]);
    assert!(message.contains("--joint knee"), "{message}");
}

/// What the library says of a value of a parameter.
fn refused_by_library(parameter: &'static Parameter, value: Value) -> String {
    match parameter.group {
        ParameterGroup::Rig => {
            let mut recipe = json!({});
            set_value_at(&mut recipe, &parameter.path, value);
            Recipe::from_json(&recipe.to_string()).unwrap_err().to_string()
        }
        ParameterGroup::Skinning => parameter.check(&value).unwrap_err().to_string(),
        ParameterGroup::PostSkinning => post_skinning_options(&[(parameter, value)]).unwrap_err().to_string(),
    }
}

#[test]
fn numbers_outside_their_range_are_refused_by_recipe_and_shell_with_the_same_words() {
    for parameter in PARAMETERS.iter() {
        let (number, is_map) = match &parameter.kind {
            ParameterKind::Number(number) => (number, false),
            ParameterKind::NumberByJoint(number) => (number, true),
            _ => continue,
        };
        let command = if parameter.group == ParameterGroup::Rig { "rig" } else { "pose" };
        let mut wrong = vec![number.min - number.max - 1.0, number.max * 2.0 + 1.0];
        if number.is_integer {
            wrong.push(number.max - 0.5);
        }
        for value in wrong {
            let json = if is_map { json!({ "hip": value }) } else { json!(value) };
            let expected = refused_by_library(parameter, json);
            let path = if is_map { format!("{}.hip", parameter.path) } else { parameter.path.clone() };
            let kind = if number.is_integer { "an integer" } else { "a number" };
            let range = format!("{path} is {value}; expected {kind} from {} to {}", number.min, number.max);
            assert!(expected.starts_with(&range), "{expected}");
            let option = format!("--{}", parameter.option_name());
            let text = if is_map { format!("hip={value}") } else { value.to_string() };
            let message = fail(&[command, "nowhere.glb", &option, &text, "-o", "out.glb"]);
            assert_eq!(message.trim_end(), format!("pliant: {expected}"));
        }
    }
}

#[test]
fn options_of_parameters_change_the_recipe() {
    let folder = Folder::new("parameters");
    let (made, rigged, report) =
        (folder.file("made.glb"), folder.file("rigged.glb"), folder.file("rig.json"));
    succeed(&["make", "arm", "--vertices", "400", "-o", &made]);
    let overlap = |options: &[&str]| {
        let rig = ["rig", &made, "-o", &rigged, "--report", &report];
        succeed(&[&rig[..], options].concat());
        let report = folder.json("rig.json");
        report["overlapVertices"].as_u64().unwrap()
    };
    let usual = overlap(&[]);
    assert!(overlap(&["--atlas-k", "0"]) < usual && overlap(&["--atlas-k", "1.5"]) > usual);
    assert!(overlap(&["--atlas-k-joints", "forearm=1.5"]) > usual);
    let curve = ["--atlas-transition", "0.3,0.1 0.7,0.9", "--atlas-overlap-distance", "same"];
    assert_eq!(overlap(&curve), usual);
    // The options override the recipe, and the recipe the defaults.
    write(&folder.file("recipe.json"), br#"{"atlas": {"k": 0}}"#);
    let recipe = ["--recipe", &folder.file("recipe.json")];
    assert!(overlap(&recipe) < usual);
    assert_eq!(overlap(&[&recipe[..], &["--atlas-k", "0.5"]].concat()), usual);
    let message = fail(&["rig", &made, "--atlas-transition", "0.7,0.1 0.3,0.9", "-o", &rigged]);
    assert!(message.contains("atlas.transition: point 1"), "{message}");
    let message = fail(&["rig", &made, "--bbw-domain", "flesh", "-o", &rigged]);
    assert!(message.contains("bbw.domain is 'flesh'; expected one of auto, surface, volume"), "{message}");
}

#[test]
fn regions_are_taken_from_a_file_of_labels() {
    let folder = Folder::new("labels");
    let (made, labels, out) = (folder.file("made.glb"), folder.file("labels.txt"), folder.file("out.glb"));
    succeed(&["make", "arm", "--vertices", "300", "-o", &made]);
    let model = io::read_model(
        &[io::File { name: made.clone(), bytes: read(Path::new(&made)) }],
        &mut Report::default(),
    );
    let vertices = model.unwrap().render.positions.len();
    write(&labels, "forearm\n".repeat(vertices).as_bytes());
    let report = folder.file("report.json");
    succeed(&["rig", &made, "--labels", &labels, "-o", &out, "--report", &report]);
    let report = folder.json("report.json");
    assert_eq!(report["method"], "atlas");
    let regions = report["regions"].as_array().unwrap();
    assert_eq!(regions.len(), 1, "{regions:?}");
    assert_eq!(regions[0]["joint"], "forearm");
}

#[test]
fn the_same_command_writes_the_same_bytes() {
    let folder = Folder::new("same");
    let made = folder.file("made.glb");
    succeed(&["make", "arm", "--vertices", "500", "-o", &made]);
    for name in ["a.glb", "b.glb"] {
        succeed(&["rig", &made, "-o", &folder.file(name)]);
    }
    assert_eq!(read(&folder.0.join("a.glb")), read(&folder.0.join("b.glb")));
}

#[test]
fn the_rest_pose_is_the_mesh_of_the_source() {
    let folder = Folder::new("rest");
    let (made, rigged) = (folder.file("made.glb"), folder.file("rigged.glb"));
    succeed(&["make", "hand", "--vertices", "600", "-o", &made]);
    succeed(&["make", "hand", "--vertices", "600", "-o", &folder.file("made.obj")]);
    succeed(&["rig", &made, "-o", &rigged]);
    succeed(&["pose", &rigged, "-o", &folder.file("rest.obj")]);
    let coordinates = |name: &str| -> Vec<f32> {
        let text = String::from_utf8(read(&folder.0.join(name))).unwrap();
        let lines = text.lines().filter_map(|line| line.strip_prefix("v "));
        lines.flat_map(|line| line.split(' ').map(|n| n.parse().unwrap()).collect::<Vec<f32>>()).collect()
    };
    let (made, posed) = (coordinates("made.obj"), coordinates("rest.obj"));
    assert_eq!(made.len(), posed.len());
    assert!(made.iter().zip(&posed).all(|(a, b)| (a - b).abs() < 1e-5));
}

#[test]
fn a_posed_glb_has_the_pose_in_its_nodes() {
    let folder = Folder::new("standing");
    let (made, rigged, standing) =
        (folder.file("made.glb"), folder.file("rigged.glb"), folder.file("standing.glb"));
    succeed(&["make", "arm", "--vertices", "500", "-o", &made]);
    succeed(&["rig", &made, "-o", &rigged]);
    let info: Value = serde_json::from_str(&succeed(&["info", &rigged, "--json"])).unwrap();
    let joint = info["joints"][1]["name"].as_str().unwrap().to_owned();
    let turn = format!("{joint}=0,0,-30");
    succeed(&["pose", &rigged, "--rotate", &turn, "-o", &standing]);
    let nodes = |path: &str| {
        let bytes = read(Path::new(path));
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let json: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
        json["nodes"].as_array().unwrap().clone()
    };
    let turned = nodes(&standing).into_iter().find(|node| node["name"] == joint.as_str()).unwrap();
    let z = turned["rotation"][2].as_f64().unwrap();
    assert!((z + (15f64).to_radians().sin()).abs() < 1e-6, "{turned}");
}

#[test]
fn a_mesh_is_bound_to_a_skeleton_from_another_file() {
    let folder = Folder::new("elsewhere");
    succeed(&["make", "arm", "--vertices", "500", "-o", &folder.file("arm.glb")]);
    succeed(&["make", "arm", "--vertices", "500", "-o", &folder.file("arm.obj")]);
    let message = fail(&["rig", &folder.file("arm.obj"), "-o", &folder.file("out.glb")]);
    assert!(message.contains("no skeleton") && message.contains("--skeleton"), "{message}");
    let command = ["rig", &folder.file("arm.obj"), "--skeleton", &folder.file("arm.glb"), "-o"];
    succeed(&[&command[..], &[&folder.file("out.glb")[..]]].concat());
    let info = succeed(&["info", &folder.file("out.glb")]);
    assert!(info.contains("clip") && info.contains("weights"), "{info}");
}

#[test]
fn a_bare_mesh_gets_a_skeleton_that_moves_and_keeps_its_tips() {
    let folder = Folder::new("auto");
    let (mesh, rigged) = (folder.file("bare.obj"), folder.file("out.glb"));
    succeed(&["make", "mannequin", "--vertices", "2000", "-o", &mesh]);
    let report = folder.file("rig.json");
    let options = ["--skeleton", "auto", "--plan", "humanoid", "--fingers", "0", "--names", "mixamo"];
    let marker = ["--marker", "forearm.L=0.29,1.13,-0.03", "--orientation", "y,+Z"];
    succeed(&[&["rig", &mesh, "-o", &rigged, "--report", &report], &options[..], &marker[..]].concat());

    let report = folder.json("rig.json");
    let fitted = &report["fittedSkeleton"];
    assert_eq!(fitted["plan"], "humanoid");
    assert_eq!(fitted["orientation"], json!({ "up": [0.0, 1.0, 0.0], "front": [0.0, 0.0, 1.0] }));
    let bones = fitted["bones"].as_array().unwrap();
    assert!(bones.iter().all(|bone| bone["confidence"].is_number()));
    let forearm = bones.iter().find(|bone| bone["label"] == "forearm.L").unwrap();
    assert_eq!(forearm["name"], "mixamorig:LeftForeArm");
    assert!((forearm["head"][0].as_f64().unwrap() - 0.29).abs() < 1e-5);

    // Read again, the file has these joints, tails of leaves, and a clip that ends at rest.
    let file = io::File { name: String::new(), bytes: read(Path::new(&rigged)) };
    let asset = io::read_model(&[file], &mut Report::default()).unwrap();
    asset.assert_well_formed();
    let skeleton = asset.skeleton.as_ref().unwrap();
    assert_eq!(skeleton.joints().len(), bones.len());
    let is_parent = |joint| skeleton.joints().iter().any(|other| other.parent == Some(joint));
    for (index, (joint, bone)) in skeleton.joints().iter().zip(bones).enumerate() {
        assert_eq!(bone["name"], joint.name.as_str());
        let point = |name: &str| Vec3::from([0, 1, 2].map(|i| bone[name][i].as_f64().unwrap() as f32));
        assert!(joint.head().distance(point("head")) < 1e-4, "{}", joint.name);
        if !is_parent(index) {
            assert!(joint.tail.unwrap().distance(point("tail")) < 1e-4, "{}", joint.name);
        }
    }
    assert_eq!(asset.clips.iter().map(|clip| clip.name.as_str()).collect::<Vec<_>>(), ["range of motion"]);
    let posed = folder.file("posed.obj");
    succeed(&["pose", &rigged, "--clip", "range of motion", "--time", "1.6", "-o", &posed]);
}

#[test]
fn a_fitted_skeleton_is_written_and_read_again() {
    let folder = Folder::new("fit");
    let (mesh, fitted) = (folder.file("bare.obj"), folder.file("fitted.json"));
    succeed(&["make", "mannequin", "--vertices", "2000", "-o", &mesh]);
    succeed(&["fit", &mesh, "-o", &fitted]);
    let bones = folder.json("fitted.json")["bones"].as_array().unwrap().len();
    succeed(&["rig", &mesh, "--skeleton", &fitted, "-o", &folder.file("out.glb")]);
    let info: Value = serde_json::from_str(&succeed(&["info", "--json", &folder.file("out.glb")])).unwrap();
    assert_eq!(info["joints"].as_array().map(Vec::len), Some(bones), "{info}");

    for (options, expected) in [
        (&["--marker", "elbow"][..], "JOINT=X,Y,Z"),
        (&["--marker", "forearm.L=1,2,nan"], "JOINT=X,Y,Z"),
        (&["--marker", "antenna=1,2,3"], "no joint called antenna"),
        (&["--orientation", "up,front"], "two axes"),
        (&["--orientation", "+Y,-Y"], "two axes"),
        (&["--plan", "table"], "humanoid"),
        (&["--fingers", "6"], "0..=5"),
        (&["--names", "latin"], "mixamo"),
    ] {
        let message = fail(&[&["fit", &mesh, "-o", &folder.file("none.json")], options].concat());
        assert!(message.contains(expected), "{message}");
    }
    let message = fail(&["rig", &mesh, "--names", "mixamo", "-o", &folder.file("none.glb")]);
    assert!(message.contains("--names") && message.contains("--skeleton auto"), "{message}");
    write(&folder.file("flat.obj"), b"v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n");
    let flat = ["fit", &folder.file("flat.obj"), "--plan", "humanoid", "--orientation", "+Y,+Z"];
    assert!(fail(&[&flat[..], &["-o", &folder.file("none.json")]].concat()).contains("is flat"));
    assert!(!folder.names().iter().any(|name| name.starts_with("none")));
}

#[test]
fn clips_of_the_library_and_of_others_are_added() {
    let folder = Folder::new("retarget");
    let [made, moving, again] = ["made.glb", "moving.glb", "again.glb"].map(|name| folder.file(name));
    succeed(&["make", "mannequin", "--vertices", "1000", "-o", &made]);
    let names = succeed(&["retarget", &made, "--list"]);
    let names: Vec<&str> = names.lines().collect();
    assert!(names.len() >= 12 && names.contains(&"walk"), "{names:?}");
    succeed(&["retarget", &made, "--clip", "dance", "--clip", "sit down", "-o", &moving]);
    let clips = |file: &str| -> Vec<String> {
        let info: Value = serde_json::from_str(&succeed(&["info", "--json", file])).unwrap();
        let clips = info["clips"].as_array().unwrap();
        clips.iter().map(|clip| clip["name"].as_str().unwrap().to_owned()).collect()
    };
    let own = clips(&made);
    let mut expected = own;
    expected.extend(["dance".to_owned(), "sit down".to_owned()]);
    assert_eq!(clips(&moving), expected);
    // A name that is taken gets a number.
    succeed(&["retarget", &moving, &moving, "--clip", "dance", "--in-place", "-o", &again]);
    assert_eq!(clips(&again).last().unwrap(), "dance 2");
    let unknown = fail(&["retarget", &made, "--clip", "moonwalk", "-o", &again]);
    assert!(unknown.contains("moonwalk") && unknown.contains("walk, run"), "{unknown}");
    assert!(fail(&["retarget", &made, "-o", &again]).contains("--clip"));
    let arm = folder.file("arm.glb");
    succeed(&["make", "arm", "--vertices", "300", "-o", &arm]);
    assert!(fail(&["retarget", &made, &arm, "-o", &again]).contains("neither a person nor an animal"));
}

#[test]
fn an_avatar_stays_one_and_other_models_do_not_become_one() {
    let folder = Folder::new("avatar");
    let (avatar, rigged, plain) = (folder.file("in.vrm"), folder.file("out.vrm"), folder.file("made.glb"));
    write(&avatar, &crate::vrm::avatar_1().glb());
    let info = succeed(&["info", &avatar]);
    assert!(info.contains("VRM 1.0, 3 standard bones, 1 secondary") && info.contains("hips: a"), "{info}");
    succeed(&["rig", &avatar, "-o", &rigged]);
    let info: Value = serde_json::from_str(&succeed(&["info", &rigged, "--json"])).unwrap();
    assert_eq!((&info["vrm"], &info["joints"][0]["humanBone"]), (&json!("1.0"), &json!("hips")));
    succeed(&["pose", &rigged, "--rotate", "b=0,0,10", "-o", &folder.file("posed.vrm")]);
    succeed(&["make", "arm", "--vertices", "400", "-o", &plain]);
    for command in [&["rig"][..], &["pose"], &["bake", "--fold-guard"]] {
        let (command, options) = (command[0], &command[1..]);
        let rigged = if command == "rig" { plain.clone() } else { folder.file("rigged.glb") };
        let message = fail(&[&[command, &rigged, "-o", &folder.file("arm.vrm")], options].concat());
        assert!(message.contains("not a VRM avatar"), "{message}");
        if command == "rig" {
            succeed(&["rig", &plain, "-o", &folder.file("rigged.glb")]);
        }
    }
    let message = fail(&["make", "arm", "-o", &folder.file("arm.vrm")]);
    assert!(message.contains("must end in .glb or .obj"), "{message}");
}

#[test]
fn a_mesh_in_an_archive_is_bound_to_the_skeleton_of_a_motion() {
    let folder = Folder::new("motion");
    let (mesh, motion, rigged) = (folder.file("cube.zip"), folder.file("nod.bvh"), folder.file("cube.glb"));
    write(&mesh, &crate::formats::archives::zip_of("cube/cube.obj", &crate::formats::samples::obj_cube()));
    let text = "HIERARCHY\nROOT low {\nOFFSET 0.5 0.1 0.5\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT high {\n\
                OFFSET 0 0.4 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site {\nOFFSET 0 0.4 0\n}\n}\n}\n\
                MOTION\nFrames: 2\nFrame Time: 0.5\n0 0 0 0 0 0\n0 0 0 90 0 0\n";
    write(&motion, text.as_bytes());
    assert!(succeed(&["info", &mesh]).contains("8 vertices"));
    assert!(succeed(&["info", &motion]).contains("nod (0.50 s, 2 tracks)"));
    succeed(&["rig", &mesh, "--skeleton", &motion, "-o", &rigged]);
    succeed(&["pose", &rigged, "--clip", "nod", "--time", "0.5", "-o", &folder.file("posed.obj")]);
    assert!(fail(&["rig", &motion, "-o", &rigged]).contains("skeleton but no mesh"));
}

#[test]
fn every_error_is_one_line_and_leaves_no_file() {
    let folder = Folder::new("wrong");
    let (made, rigged, out) = (folder.file("made.glb"), folder.file("rigged.glb"), folder.file("out.glb"));
    succeed(&["make", "arm", "--vertices", "300", "-o", &made]);
    succeed(&["rig", &made, "-o", &rigged]);
    write(&folder.file("garbage.glb"), b"glTF\x02\0\0\0\xff\xff\xff\xff garbage");
    write(&folder.file("recipe.json"), br#"{"max_influence": 2}"#);
    write(&folder.file("labels.txt"), b"forearm\nhand\n");
    let (garbage, labels) = (folder.file("garbage.glb"), folder.file("labels.txt"));
    let before = folder.names();
    let cases: &[(&[&str], &str)] = &[
        (&["rig", "nowhere.glb", "-o", &out], "nowhere.glb"),
        (&["rig", &garbage, "-o", &out], "garbage.glb"),
        (&["rig", &made, "--method", "magic", "-o", &out], "magic"),
        (&["rig", &made, "--max-influences", "9", "-o", &out], "from 1 to 8"),
        (&["rig", &made, "--distance-falloff", "nan", "-o", &out], "distance.falloff is 'nan'"),
        (&["rig", &made, "--exclude", "nobody", "-o", &out], "nobody"),
        (
            &["rig", &made, "--recipe", &folder.file("recipe.json"), "-o", &out],
            "did you mean 'max_influences'",
        ),
        (&["rig", &made, "--labels", &labels, "-o", &out], "there are 2 labels; expected"),
        (
            &["rig", &made, "--labels", &labels, "--method", "heat", "-o", &out],
            "--labels is for --method atlas",
        ),
        (&["rig", &made, "-o", &folder.file("out.fbx")], ".glb"),
        (&["rig", &made, "-o", "/nowhere/at/all.glb"], "/nowhere/at/all.glb"),
        (&["rig", &made], "--output"),
        (&["make", "unicorn", "-o", &out], "giraffe"),
        (&["make", "arm", "--vertices", "3", "-o", &out], "200"),
        (&["make", "arm", "--vertices", "2000000", "-o", &out], "1000000"),
        (&["pose", &made, "-o", &out], "pliant rig"),
        (&["pose", &rigged, "--clip", "moonwalk", "-o", &out], "moonwalk"),
        (&["pose", &rigged, "--rotate", "nobody=1,2,3", "-o", &out], "nobody"),
        (&["pose", &rigged, "--rotate", "elbow=1,2", "-o", &out], "JOINT=X,Y,Z"),
        (&["pose", &rigged, "--volume-alpha", "9", "--volume", "local", "-o", &out], "from 0 to 8"),
        (&["pose", &rigged, "--volume-excluded", "nobody", "-o", &out], "nobody"),
        (&["info", "nowhere.glb"], "nowhere.glb"),
        (&["frobnicate"], "frobnicate"),
    ];
    for (args, expected) in cases {
        let message = fail(args);
        assert!(message.contains(expected), "pliant {args:?} says: {message}");
    }
    assert_eq!(folder.names(), before, "nothing half-written stays behind");
}

#[test]
fn help_lists_commands_and_every_parameter() {
    let help = succeed(&["--help"]);
    for word in ["info", "make", "rig", "pose", "Examples:", "GLB"] {
        assert!(help.contains(word), "{word}");
    }
    let [rig, pose, bake] = ["rig", "pose", "bake"].map(|command| succeed(&[command, "--help"]));
    assert!(pose.contains("degrees"));
    for parameter in PARAMETERS.iter() {
        let option = format!("--{}", parameter.option_name());
        let helps: &[&String] = match parameter.group {
            ParameterGroup::Rig => &[&rig],
            ParameterGroup::Skinning => &[&pose],
            ParameterGroup::PostSkinning => &[&pose, &bake],
        };
        assert!(helps.iter().all(|help| help.contains(&option)), "{option}");
    }
}
