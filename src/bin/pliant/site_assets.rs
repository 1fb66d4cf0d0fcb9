//! `pliant site-assets`: what the site needs from the library at build time, as files.

use std::path::Path;

use pliant::io::gltf;
use pliant::samples::{self, SampleCharacter};
use pliant::web::options::Options;

use crate::Failure;
use crate::args::SiteAssetsArgs;
use crate::files;

/// Writes `options.json` (defaults and choices of all parameters) and `samples/NAME.glb` (every
/// sample character, with skeleton and clips, without weights).
pub fn run(args: &SiteAssetsArgs) -> Result<(), Failure> {
    let samples = args.folder.join("samples");
    std::fs::create_dir_all(&samples)?;
    write_if_changed(&args.folder.join("options.json"), &serde_json::to_vec(&Options::all())?)?;
    for member in SampleCharacter::ALL {
        let asset = samples::make(member, member.site_vertices())?.into_asset(member.name());
        let options = gltf::ExportOptions { skeleton: asset.skeleton.as_ref(), ..Default::default() };
        let glb = gltf::write_glb(&asset, &options)?;
        write_if_changed(&samples.join(format!("{}.glb", member.name())), &glb)?;
        println!("{:>9} bytes, {:>6} vertices: {}", glb.len(), asset.render.positions.len(), member.name());
    }
    Ok(())
}

/// A file that is the same keeps its time, so that nothing is built again because of it.
fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if files::read(path).is_ok_and(|file| file.bytes == bytes) { Ok(()) } else { files::write(path, bytes) }
}
