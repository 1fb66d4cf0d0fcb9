//! Baked morph targets on their way from the viewer module to the solver module, which exports
//! them.
//!
//! In: [`Morphs`]. Out: flat arrays, and back.

use glam::Vec3;

use super::rig_packet::PacketError;
use crate::model::Morphs;

/// [`Morphs`] as flat arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphsPacket {
    /// The name of the clip.
    pub clip: String,
    /// Key times in seconds, ascending.
    pub times: Vec<f32>,
    /// For each time three numbers per render vertex.
    pub displacements: Vec<f32>,
}

impl MorphsPacket {
    /// From one displacement per key and vertex.
    pub fn of(morphs: &Morphs) -> Self {
        let numbers = morphs.targets.iter().flat_map(|target| bytemuck::cast_slice(target));
        Self {
            clip: morphs.clip.clone(),
            times: morphs.times.clone(),
            displacements: numbers.copied().collect(),
        }
    }

    /// As morph targets of a mesh with this many render vertices.
    ///
    /// # Errors
    /// When they are for another number of vertices.
    pub fn into_morphs(self, vertices: usize) -> Result<Morphs, PacketError> {
        let (points, rest) = self.displacements.as_chunks::<3>();
        if !rest.is_empty() || points.len() != vertices * self.times.len() {
            return Err(PacketError::OtherMesh);
        }
        let target = |key: usize| -> Vec<Vec3> {
            points[key * vertices..][..vertices].iter().map(|&point| point.into()).collect()
        };
        let targets = (0..self.times.len()).map(target).collect();
        Ok(Morphs { clip: self.clip, times: self.times, targets })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_for_another_mesh_are_refused() {
        let target = |x: f32| vec![Vec3::splat(x), Vec3::NEG_Y];
        let morphs =
            Morphs { clip: "walk".into(), times: vec![0.0, 1.0], targets: vec![target(0.5), target(2.0)] };
        let packet = MorphsPacket::of(&morphs);
        assert_eq!(packet.clone().into_morphs(2), Ok(morphs));
        assert_eq!(packet.clone().into_morphs(3), Err(PacketError::OtherMesh));
        let displacements = packet.displacements[1..].to_vec();
        assert_eq!(MorphsPacket { displacements, ..packet }.into_morphs(2), Err(PacketError::OtherMesh));
    }
}
