//! The constants of the segmentation. `cargo xtask quality --constants` varies each of them; what
//! they were chosen on is in docs/theory/atlas.md#constants.

/// What the segmentation compares with. Lengths are relative, so that nothing depends on units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// How much distances grow where the surface faces the bone: they are divided by `1 − facing`
    /// there, and by 1 where the surface faces away. Larger: heads and hips of artists' rigs lose
    /// vertices to their neighbours. Smaller: arms take the sides of the chest.
    pub facing: f64,
    /// Largest distance of a visible bone, as a multiple of the distance of the nearest bone, for
    /// which a hidden nearest bone is passed over. Larger: vertices in folds, and on parts without
    /// a bone inside, follow far bones. Smaller: fingers follow bones of other fingers.
    pub max_hidden_ratio: f64,
    /// Largest distance of a vertex from the bones of the region that a loop put it into, as a
    /// multiple of the distance from its nearest bone. Larger: a loop around a thigh takes the
    /// other one. Smaller: borders are as jagged as those of the nearest bones, and thighs
    /// intersect where a character sits.
    pub max_loop_ratio: f64,
    /// Largest disagreement of a loop with the nearest visible bones, as a fraction of the area of
    /// the smaller side. Larger: loops include neighbouring fingers. Smaller: coarse meshes are cut
    /// by nearest bones only.
    pub max_disagreement: f64,
    /// The same limit for vertices that project onto the interior of their nearest bone, where the
    /// nearest bone does not depend on where bones end.
    pub max_interior_disagreement: f64,
    /// Relative loop length that is worth one unit of disagreement. Larger: planes stay at the
    /// bisector. Smaller: a slightly shorter loop may run through the neighbouring region.
    pub disagreement_cost: f64,
    /// Loops up to this factor longer than the shortest count as equally short. Larger: creases are
    /// missed. Smaller: on a round limb the triangulation selects the plane.
    pub equal_length: f64,
    /// A loop with less than this fraction of its length in the region it cuts encloses more than
    /// one limb. Larger: legs that touch a neighbouring region are cut below the hip. Smaller:
    /// fingers are cut in the middle of the palm.
    pub min_fraction_within: f64,
    /// Largest distance of a joint from a loop that does not enclose it, as a fraction of the
    /// loop's length (0.16 is about its radius). Larger: joints cut unrelated eyeballs and buttons.
    /// Smaller: joints outside the skin cut nothing.
    pub max_loop_distance: f64,
    /// Number of planes per joint over half a turn. Larger: slower, and no loop gets noticeably
    /// shorter. Smaller: cuts miss the crease of an armpit, and jump where the best plane changes
    /// (if joints move by a twentieth, 4 % of a mannequin's labels change with 12 planes, 3 % with
    /// 24).
    pub planes: f64,
    /// Smallest cosine between the normal of a plane and the child bone. Smaller: limbs are cut
    /// lengthwise. Larger: slanted cuts, as through the groin, are not found.
    pub min_bone_cosine: f64,
    /// Sine of the angle between two bones below which they span no plane.
    pub collinear_sine: f64,
    /// Largest distance of a cut from the joint, as a fraction of the bone. Larger: fingers lose
    /// their first half. Smaller: thumbs begin inside the palm.
    pub max_offset: f64,
    /// Largest distance of a twist bone's head from its parent's bone, as a fraction of that bone.
    /// Larger: ribs and ears shorten bones that they only branch off. Smaller: twist bones slightly
    /// off the axis get an arbitrary region.
    pub twist_tolerance: f64,
    /// Smallest cosine between a twist bone and its parent's bone.
    pub twist_min_cosine: f64,
    /// Components smaller than this fraction of the largest one of their region are strays wherever
    /// they lie. Larger: backs of hands join the wrist. Smaller: specks remain where visibility
    /// changes from vertex to vertex.
    pub min_stray_area: f64,
    /// Fraction of the border with one neighbour above which a component counts as enclosed by that
    /// neighbour. Larger: the back of a coarse animal's hips joins a leg. Smaller: vertices of the
    /// shin that are cut off by the foot stay with the foot.
    pub enclosed_border: f64,
    /// Largest area of a loose part, as a fraction of the mesh. Larger: the torso of a robot
    /// follows one joint. Smaller: the boxes of a voxel character are split between joints.
    pub max_part_area: f64,
    /// The same for a part that follows the side leaf inside it. Larger: a head follows an eye.
    pub max_leaf_part_area: f64,
    /// Smallest fraction of a part without joints that one label must have to take all of it.
    /// Larger: plates between three joints are split.
    pub min_part_share: f64,
    /// Smallest fraction of an open part around a joint that one label must have to take all of it.
    /// Larger: open boxes of voxel characters are split. Smaller: skirts and sleeves become rigid.
    pub min_open_part_share: f64,
}

impl Constants {
    /// The constants in use.
    pub const CHOSEN: Self = Self {
        facing: 0.5,
        max_hidden_ratio: 1.1,
        max_loop_ratio: 1.25,
        max_disagreement: 0.1,
        max_interior_disagreement: 0.08,
        disagreement_cost: 1.0,
        equal_length: 1.02,
        min_fraction_within: 0.5,
        max_loop_distance: 0.16,
        planes: 24.0,
        min_bone_cosine: 0.25,
        collinear_sine: 0.2,
        max_offset: 0.5,
        twist_tolerance: 0.1,
        twist_min_cosine: 0.9,
        min_stray_area: 0.02,
        enclosed_border: 0.45,
        max_part_area: 0.3,
        max_leaf_part_area: 0.05,
        min_part_share: 0.5,
        min_open_part_share: 0.7,
    };
}
