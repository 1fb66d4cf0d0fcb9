//! `pliant make`

use pliant::io::{self, gltf};
use pliant::samples::{self, SampleCharacter};

use crate::Failure;
use crate::args::MakeArgs;
use crate::files::{self, Output};

pub fn run(args: &MakeArgs) -> Result<(), Failure> {
    let kind = files::output_kind(&args.output, &[Output::Glb, Output::Obj])?;
    let member = SampleCharacter::from_name(&args.member).ok_or_else(|| {
        let names: Vec<&str> = SampleCharacter::ALL.iter().map(|member| member.name()).collect();
        format!("there is no '{}' in the cast; there are {}", args.member, names.join(", "))
    })?;
    let vertices = args.vertices.unwrap_or(member.default_vertices());
    let asset = samples::make(member, vertices)?.into_asset(member.name());
    let bytes = match kind {
        Output::Glb => {
            let options = gltf::ExportOptions { skeleton: asset.skeleton.as_ref(), ..Default::default() };
            gltf::write_glb(&asset, &options)?
        }
        Output::Obj => io::write_obj(&asset.render).into_bytes(),
    };
    files::write(&args.output, &bytes)
}
