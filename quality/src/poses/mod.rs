//! `cargo xtask quality poses`: measures the corrections after skinning on the rigged models of a
//! folder, in clips and in a sweep over their joints.

mod measure;
mod sweep;
mod tables;

use measure::{PoseMeasures, WEIGHTS};

use crate::{docs, options::Options, rigs};

/// Joints of a model that are swept.
const JOINTS: usize = 3;

/// Measures what the options choose, and prints the tables.
pub fn run(options: &Options) -> Result<(), String> {
    let chosen: Vec<&'static str> = match &options.weights[..] {
        [] => WEIGHTS.to_vec(),
        names => names.iter().map(|name| known(name)).collect::<Result<_, _>>()?,
    };
    let mut measured: Vec<PoseMeasures> = Vec::new();
    let mut twins: Vec<(String, usize)> = Vec::new();
    for (phase, file) in options.files()?.iter().enumerate() {
        let Some(asset) = rigs::read(file) else { continue };
        let stem = file.name.rsplit('/').next().and_then(|name| name.split('.').next());
        let twin = (stem.unwrap_or_default().to_owned(), asset.mesh.positions().len());
        if twins.contains(&twin) {
            continue;
        }
        twins.push(twin);
        match measure::measure(file, &asset, &chosen, JOINTS, phase) {
            Ok(found) => {
                eprintln!("{}: {}", file.name, tables::one_line(&found));
                measured.extend(found);
            }
            Err(reason) => eprintln!("{}: {reason}", file.name),
        }
    }
    if measured.is_empty() {
        return Err(format!("no rigged model below {}", options.models.display()));
    }
    if options.is_json {
        println!("{}", serde_json::to_string(&measured).map_err(|error| error.to_string())?);
    } else {
        println!("{}", tables::all(&measured, &chosen));
    }
    if options.writes_docs {
        docs::write("docs/poses.md", &tables::all(&measured, &chosen))?;
    }
    Ok(())
}

fn known(name: &str) -> Result<&'static str, String> {
    let found = WEIGHTS.into_iter().find(|known| *known == name);
    found.ok_or_else(|| format!("'{name}' is none of {}", WEIGHTS.join(", ")))
}
