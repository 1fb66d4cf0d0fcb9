//! What the colours of the skin show: materials, a number per vertex, or a category per vertex.

use std::collections::BTreeMap;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::colors::{ColorMap, joint_colors, quiet};
use super::graph_coloring::{CHANNELS, channels};
use super::painting::MOST_PAINT;
use super::region_geometry::ViewRegions;
use crate::model::{Asset, Influence, Rig, Weights};

/// What is shown on the skin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Show {
    /// The source's colours and textures, or clay.
    #[default]
    Shaded,
    /// How much every vertex follows the selected joint.
    Weights,
    /// Which joint's region every vertex lies in, and the curves between regions; where a method
    /// has none, which joint it follows most.
    Regions,
    /// Where regions overlap, dark over quiet colours.
    Overlaps,
    /// The correction map: how much every vertex is moved to preserve volume; while it is painted,
    /// the painted factors.
    Gamma,
    /// Where the skin passes through itself, in red.
    Folds,
    /// An example as fitted weights reproduce it, with the error of each vertex; see
    /// [`super::FitPreview`].
    Fit,
    /// The difference between the weights of the two views, at most [`MOST_DIFFERENCE`].
    Difference,
    /// What [`super::Scene::set_field`] was given.
    Field,
}

/// Values of every render vertex, with their colours.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// A number per vertex; not-a-number is shown in grey.
    Scalar {
        /// One per render vertex.
        values: Vec<f32>,
        /// The numbers at the ends of the colour map.
        range: (f32, f32),
        /// From numbers to colours.
        map: ColorMap,
    },
    /// A category per vertex.
    Categorical(Categories),
    /// A category per vertex, with some vertices covered by a dark band.
    Banded {
        /// Below the bands.
        categories: Categories,
        /// Which render vertices the bands cover.
        covered: Vec<bool>,
    },
}

/// The category of every vertex, and where categories meet.
#[derive(Clone, Debug, PartialEq)]
pub struct Categories {
    /// One per render vertex: index into `colors` and `channels`.
    pub of_vertex: Vec<u32>,
    /// sRGB per category; vertices beyond the end are grey.
    pub colors: Vec<Vec3>,
    /// See [`super::graph_coloring`].
    pub channels: Vec<u8>,
    /// How far each render vertex is from where its category ends; see
    /// [`super::boundary_interpolants`].
    pub margins: Vec<f32>,
}

/// The difference of weights at the end of the colour map. Larger: differences along overlaps are
/// hardly visible. Smaller: all of them look alike.
pub const MOST_DIFFERENCE: f32 = 0.5;

/// sRGB where nothing is known.
pub const UNKNOWN: Vec3 = Vec3::splat(0.62);

impl Field {
    /// How much every vertex follows `joint`; nothing at all without a joint.
    pub fn weights(weights: &Weights, joint: Option<usize>) -> Self {
        let values = match joint {
            Some(joint) => weights.column(joint as u32),
            None => vec![0.0; weights.vertices()],
        };
        Self::Scalar { values, range: (0.0, 1.0), map: ColorMap::Sequential }
    }

    /// The joint of every vertex's region; without regions, the joint with the largest weight.
    pub fn regions(rig: &Rig, regions: Option<&ViewRegions>) -> Self {
        Self::Categorical(Categories::of(rig, regions))
    }

    /// Regions in pale colours, with dark bands where they overlap; no bands without regions.
    pub fn overlaps(rig: &Rig, regions: Option<&ViewRegions>) -> Self {
        let mut categories = Categories::of(rig, regions);
        categories.colors.iter_mut().for_each(|color| *color = quiet(*color));
        let covered = regions.map(|regions| regions.overlapped(&rig.asset));
        Self::Banded { categories, covered: covered.unwrap_or_else(|| vec![false; rig.weights().vertices()]) }
    }

    /// The correction map as a share of its maximum without paint. Painted vertices may exceed it.
    pub fn gamma(values: Vec<f32>, is_painted: bool) -> Self {
        let most = if is_painted { 2.0 } else { 1.0 };
        Self::Scalar { values, range: (0.0, most), map: ColorMap::Sequential }
    }

    /// The painted factors: blue below one, red above.
    pub fn painted(asset: &Asset, painted: &[f32]) -> Self {
        let place = |factor: f32| match factor {
            _ if factor < 1.0 => 0.5 * factor,
            _ => 0.5 + 0.5 * (factor - 1.0) / (MOST_PAINT - 1.0),
        };
        let value = |vertex: usize| painted.get(vertex).map_or(0.5, |&factor| place(factor));
        let values = (0..asset.render.positions.len()).map(value).collect();
        Self::Scalar { values, range: (0.0, 1.0), map: ColorMap::Diverging }
    }

    /// Vertices of self-intersections; none where they are unknown.
    pub fn folds(asset: &Asset, folded: &[bool]) -> Self {
        let value = |vertex: usize| f32::from(u8::from(folded.get(vertex).copied().unwrap_or_default()));
        let values = (0..asset.render.positions.len()).map(value).collect();
        Self::Scalar { values, range: (0.0, 1.0), map: ColorMap::Alarm }
    }

    /// Half the sum of absolute differences of two sets of weights per vertex: 0 where they are
    /// equal, 1 where no joint has a weight in both. Joints are the same if their names are.
    pub fn difference(first: &Rig, second: &Rig) -> Self {
        let joints: BTreeMap<&str, u32> =
            first.skeleton.joints().iter().map(|joint| joint.name.as_str()).zip(0..).collect();
        let names = |column: u32| second.skeleton.joints()[column as usize].name.as_str();
        let is_same = |column: u32| {
            first.skeleton.joints().get(column as usize).is_some_and(|joint| joint.name == names(column))
        };
        let column = |column: u32| match is_same(column) {
            true => Some(column),
            false => joints.get(names(column)).copied(),
        };
        let columns: Vec<Option<u32>> = (0..second.weights().columns() as u32).map(column).collect();
        let value = |(a, b): (&[Influence], &[Influence])| {
            let weight = |joint: u32| a.iter().find(|i| i.column == joint).map_or(0.0, |i| i.weight);
            // What both have in common; the rest of either sum is the difference.
            let common = b.iter().filter_map(|i| Some(weight(columns[i.column as usize]?).min(i.weight)));
            (1.0 - common.sum::<f32>()).clamp(0.0, 1.0)
        };
        let values = first.weights().rows().zip(second.weights().rows()).map(value).collect();
        Self::Scalar { values, range: (0.0, MOST_DIFFERENCE), map: ColorMap::Sequential }
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        match self {
            Self::Scalar { values, .. } => values.len(),
            Self::Categorical(categories) | Self::Banded { categories, .. } => categories.of_vertex.len(),
        }
    }

    /// Places on the colour map, 0 to 1, −1 where unknown; for bands 1 where they cover; none for
    /// categories.
    pub fn places(&self) -> Option<Vec<f32>> {
        let (values, (low, high)) = match self {
            Self::Scalar { values, range, .. } => (values, range),
            Self::Banded { covered, .. } => {
                return Some(covered.iter().map(|&covered| f32::from(u8::from(covered))).collect());
            }
            Self::Categorical(_) => return None,
        };
        let width = high - low;
        let place = |&value: &f32| {
            let place = if width == 0.0 { 0.5 } else { (value - low) / width };
            if place.is_nan() { -1.0 } else { place.clamp(0.0, 1.0) }
        };
        Some(values.iter().map(place).collect())
    }

    /// The categories, where there are any: numbers have none, their colours are found per pixel.
    pub fn categories(&self) -> Option<&Categories> {
        match self {
            Self::Scalar { .. } => None,
            Self::Categorical(categories) | Self::Banded { categories, .. } => Some(categories),
        }
    }
}

impl Categories {
    fn of(rig: &Rig, regions: Option<&ViewRegions>) -> Self {
        let weights = rig.weights();
        let geometry = regions.map(|regions| regions.geometry(&rig.asset));
        let borders = geometry.map_or(&[][..], |geometry| &geometry.borders);
        let colors = joint_colors(&rig.skeleton, borders);
        let (of_vertex, margins) = match geometry {
            Some(geometry) => (geometry.joints.clone(), geometry.margins.clone()),
            None => (
                (0..weights.vertices()).map(|v| weights.dominant(v)).collect(),
                vec![1.0; weights.vertices()],
            ),
        };
        let corners = rig.asset.render.triangles.iter().map(|corners| corners.map(|v| of_vertex[v as usize]));
        let channels = channels(colors.len(), corners);
        Self { of_vertex, colors, channels, margins }
    }

    /// sRGB per vertex.
    pub fn vertex_colors(&self) -> Vec<Vec3> {
        let color = |&category: &u32| self.colors.get(category as usize).copied().unwrap_or(UNKNOWN);
        self.of_vertex.iter().map(color).collect()
    }

    /// Every vertex's margin in its channel. Interpolated, the largest channel is the category of a
    /// pixel.
    pub fn channel_margins(&self) -> Vec<[f32; CHANNELS]> {
        let channel = |category: u32| self.channels.get(category as usize).copied().unwrap_or_default();
        let channel_margin = |(&category, &margin): (&u32, &f32)| {
            let mut channel_margins = [0.0; CHANNELS];
            channel_margins[usize::from(channel(category))] = margin;
            channel_margins
        };
        self.of_vertex.iter().zip(&self.margins).map(channel_margin).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_run_over_the_range_and_mark_what_is_unknown() {
        let field = Field::Scalar {
            values: vec![-1.0, 1.0, 3.0, 9.0, f32::NAN],
            range: (-1.0, 3.0),
            map: ColorMap::Diverging,
        };
        assert_eq!(field.places().unwrap(), [0.0, 0.5, 1.0, 1.0, -1.0]);
        assert_eq!(field.categories(), None);
    }

    #[test]
    fn a_range_without_width_is_the_middle() {
        let field = Field::Scalar { values: vec![2.0], range: (2.0, 2.0), map: ColorMap::Sequential };
        assert_eq!(field.places().unwrap(), [0.5]);
    }

    fn two_categories() -> Categories {
        let (colors, channels) = (vec![Vec3::X], vec![2]);
        Categories { of_vertex: vec![0, 7], colors, channels, margins: vec![0.5, 1.0] }
    }

    #[test]
    fn categories_without_a_colour_are_grey() {
        assert_eq!(two_categories().vertex_colors(), [Vec3::X, UNKNOWN]);
    }

    #[test]
    fn margins_lie_in_the_lanes_of_suits() {
        assert_eq!(two_categories().channel_margins(), [[0.0, 0.0, 0.5, 0.0], [1.0, 0.0, 0.0, 0.0]]);
    }

    #[test]
    fn bands_have_places_where_they_cover() {
        let field = Field::Banded { categories: two_categories(), covered: vec![false, true] };
        assert_eq!(field.places().unwrap(), [0.0, 1.0]);
        assert_eq!(field.categories(), Some(&two_categories()));
    }

    #[test]
    fn weights_of_no_joint_are_nothing() {
        let weights = Weights::new(2, [[Influence { column: 1, weight: 1.0 }]]).unwrap();
        assert_eq!(Field::weights(&weights, None).places().unwrap(), [0.0]);
        assert_eq!(Field::weights(&weights, Some(1)).places().unwrap(), [1.0]);
    }
}
