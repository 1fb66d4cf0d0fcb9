//! The joints of a quadruped that the cascade places.

use crate::cascade::{Plan, PlanJoint};

const fn joint(
    name: &'static str,
    kind: usize,
    mirror: usize,
    along: [usize; 2],
    neighbours: [usize; 2],
) -> PlanJoint {
    PlanJoint { name, kind, mirror, along, neighbours }
}

/// Spine, head and tail; then the left legs; then the right ones.
pub const QUADRUPED: Plan = Plan {
    joints: &[
        joint("hips", 0, 0, [0, 1], [12, 5]),
        joint("chest", 1, 1, [0, 1], [7, 2]),
        joint("neck", 2, 2, [1, 3], [1, 3]),
        joint("head", 3, 3, [2, 3], [2, 4]),
        joint("head_tip", 4, 4, [3, 4], [3, 2]),
        joint("tail_base", 5, 5, [0, 5], [0, 6]),
        joint("tail_tip", 6, 6, [5, 6], [5, 0]),
        joint("front_leg_top.L", 7, 17, [8, 7], [1, 8]),
        joint("front_elbow.L", 8, 18, [9, 7], [7, 9]),
        joint("front_wrist.L", 9, 19, [10, 8], [8, 10]),
        joint("front_foot.L", 10, 20, [10, 9], [9, 11]),
        joint("front_toe.L", 11, 21, [10, 9], [10, 9]),
        joint("hind_leg_top.L", 12, 22, [13, 12], [0, 13]),
        joint("hind_knee.L", 13, 23, [14, 12], [12, 14]),
        joint("hind_ankle.L", 14, 24, [15, 13], [13, 15]),
        joint("hind_foot.L", 15, 25, [15, 14], [14, 16]),
        joint("hind_toe.L", 16, 26, [15, 14], [15, 14]),
        joint("front_leg_top.R", 7, 7, [18, 17], [1, 18]),
        joint("front_elbow.R", 8, 8, [19, 17], [17, 19]),
        joint("front_wrist.R", 9, 9, [20, 18], [18, 20]),
        joint("front_foot.R", 10, 10, [20, 19], [19, 21]),
        joint("front_toe.R", 11, 11, [20, 19], [20, 19]),
        joint("hind_leg_top.R", 12, 12, [23, 22], [0, 23]),
        joint("hind_knee.R", 13, 13, [24, 22], [22, 24]),
        joint("hind_ankle.R", 14, 14, [25, 23], [23, 25]),
        joint("hind_foot.R", 15, 15, [25, 24], [24, 26]),
        joint("hind_toe.R", 16, 16, [25, 24], [25, 24]),
    ],
    kinds: 17,
};
