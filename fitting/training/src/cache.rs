//! Keeps samples in a file, since making them takes most of the time of a run.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use glam::Vec3;
use pliant_fitting::body::Body;
use pliant_fitting::lattice::Lattice;

use crate::dataset::Sample;

/// Reads samples from `path`, or makes and writes them.
pub fn cached(path: &Path, make: impl FnOnce() -> Vec<Sample>) -> Vec<Sample> {
    if let Some(samples) = read(path) {
        return samples;
    }
    let samples = make();
    write(path, &samples).expect("the cache can be written");
    samples
}

fn write(path: &Path, samples: &[Sample]) -> std::io::Result<()> {
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let mut out = BufWriter::new(File::create(path)?);
    let number = |out: &mut BufWriter<File>, n: u64| out.write_all(&n.to_le_bytes());
    number(&mut out, samples.len() as u64)?;
    for sample in samples {
        let lattice = &sample.body.lattice;
        for size in lattice.size {
            number(&mut out, size as u64)?;
        }
        number(&mut out, sample.character as u64)?;
        number(&mut out, sample.pose as u64)?;
        number(&mut out, sample.joints.len() as u64)?;
        for value in lattice
            .origin
            .to_array()
            .into_iter()
            .chain([lattice.cell])
            .chain(sample.joints.iter().flat_map(|j| j.to_array()))
        {
            out.write_all(&value.to_le_bytes())?;
        }
        let bytes: Vec<u8> = sample.body.steps().iter().map(|&d| d as u8).collect();
        out.write_all(&bytes)?;
    }
    out.flush()
}

fn read(path: &Path) -> Option<Vec<Sample>> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(path).ok()?);
    let number = |file: &mut BufReader<File>| {
        let mut bytes = [0; 8];
        file.read_exact(&mut bytes).ok().map(|()| u64::from_le_bytes(bytes))
    };
    let real = |file: &mut BufReader<File>| {
        let mut bytes = [0; 4];
        file.read_exact(&mut bytes).ok().map(|()| f32::from_le_bytes(bytes))
    };
    let count = number(&mut file)? as usize;
    let mut samples = Vec::with_capacity(count);
    for _ in 0..count {
        let mut size = [0; 3];
        for s in &mut size {
            *s = number(&mut file)? as usize;
        }
        let (character, pose) = (number(&mut file)? as usize, number(&mut file)? as usize);
        let joints = number(&mut file)? as usize;
        let mut values = Vec::with_capacity(4 + 3 * joints);
        for _ in 0..4 + 3 * joints {
            values.push(real(&mut file)?);
        }
        let lattice = Lattice { origin: Vec3::new(values[0], values[1], values[2]), cell: values[3], size };
        let mut bytes = vec![0; lattice.len()];
        file.read_exact(&mut bytes).ok()?;
        let body = Body::of_steps(lattice, bytes.iter().map(|&b| b as i8).collect());
        let joints = values[4..].chunks_exact(3).map(|p| Vec3::new(p[0], p[1], p[2])).collect();
        samples.push((body, joints, character, pose));
    }
    let samples = std::sync::Mutex::new(samples.into_iter().map(Some).collect::<Vec<_>>());
    let indices: Vec<usize> = (0..count).collect();
    Some(crate::parallel::map(&indices, |&i| {
        let (body, joints, character, pose) = samples.lock().expect("no panic")[i].take().expect("once");
        Sample::new(body, joints, character, pose)
    }))
}
