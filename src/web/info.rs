//! Descriptions and reports that the page receives. They are plain data of `pipeline` and `report`.

pub use crate::pipeline::{
    ClipInfo, ConvergenceInfo, ExampleFitReport, JointInfo, ModelInfo, RegionInfo, RigReport, StageInfo,
    joint_names,
};
pub use crate::report::WarningInfo as Warning;
