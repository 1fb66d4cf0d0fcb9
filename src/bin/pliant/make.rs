//! `pliant make`

use pliant::io::{self, gltf};
use pliant::samples::{self, SampleCharacter};

use crate::Failure;
use crate::args::MakeArgs;
use crate::files::{self, Output};

pub fn run(args: &MakeArgs) -> Result<(), Failure> {
    let kind = files::output_kind(&args.output, &[Output::Glb, Output::Obj])?;
    let character = SampleCharacter::from_name(&args.character).ok_or_else(|| {
        let names: Vec<&str> = SampleCharacter::ALL.iter().map(|each| each.name()).collect();
        format!("there is no sample character '{}'; there are {}", args.character, names.join(", "))
    })?;
    let vertices = args.vertices.unwrap_or(character.default_vertices());
    let asset = samples::make(character, vertices)?.into_asset(character.name());
    match kind {
        Output::Glb | Output::Vrm => {
            let options = gltf::ExportOptions { skeleton: asset.skeleton.as_ref(), ..Default::default() };
            files::write_glb(&args.output, &gltf::write_glb(&asset, &options)?, &args.glb)
        }
        Output::Obj if args.glb.compress => Err("--compress: only a .glb can be compressed".into()),
        Output::Obj => files::write(&args.output, io::write_obj(&asset.render).as_bytes()),
    }
}
