//! The local transform of a node, from its many parts to one translation, rotation and scale.
//!
//! FBX composes T · Roff · Rp · Rpre · R · Rpost⁻¹ · Rp⁻¹ · Soff · Sp · S · Sp⁻¹, applied from the
//! right. The inherit type says how the scale of the parent is passed on.

use glam::{DMat3, DMat4, DQuat, DVec3};

use crate::properties::Properties;

/// A translation, a rotation and a scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Local {
    pub translation: DVec3,
    pub rotation: DQuat,
    pub scale: DVec3,
}

/// The order in which the rotations about the axes are applied, the first one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RotationOrder {
    Xyz,
    Xzy,
    Yzx,
    Yxz,
    Zxy,
    Zyx,
}

impl RotationOrder {
    fn from_int(order: i64) -> Self {
        match order {
            1 => Self::Xzy,
            2 => Self::Yzx,
            3 => Self::Yxz,
            4 => Self::Zxy,
            5 => Self::Zyx,
            // 6 is "spheric XYZ", which differs in interpolation only.
            _ => Self::Xyz,
        }
    }

    /// The rotation of angles in degrees.
    pub(crate) fn rotation(self, degrees: DVec3) -> DQuat {
        let radians = degrees * (std::f64::consts::PI / 180.0);
        let x = DQuat::from_rotation_x(radians.x);
        let y = DQuat::from_rotation_y(radians.y);
        let z = DQuat::from_rotation_z(radians.z);
        match self {
            Self::Xyz => z * y * x,
            Self::Xzy => y * z * x,
            Self::Yzx => x * z * y,
            Self::Yxz => z * x * y,
            Self::Zxy => y * x * z,
            Self::Zyx => x * y * z,
        }
    }
}

/// How the scale of the parent is passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inherit {
    /// RrSs: the scale of the parent is applied along the axes of the child.
    Componentwise,
    /// RSrs: the product of matrices.
    Matrix,
    /// Rrs: the local scale of the parent is not passed on (segment scale compensation).
    WithoutParentScale,
}

/// The transform properties of a model.
#[derive(Clone, Debug)]
pub(crate) struct Transform {
    pub translation: DVec3,
    /// Euler angles in degrees.
    pub rotation: DVec3,
    pub scaling: DVec3,
    pub order: RotationOrder,
    pub inherit: Inherit,
    pre_rotation: DQuat,
    inverse_post_rotation: DQuat,
    rotation_offset: DVec3,
    rotation_pivot: DVec3,
    scaling_offset: DVec3,
    scaling_pivot: DVec3,
    /// Applied to the mesh of the node only.
    pub geometric: DMat4,
}

impl Transform {
    pub(crate) fn read(properties: &Properties<'_>) -> Self {
        let vec3 = |name| properties.vec3(name).unwrap_or(DVec3::ZERO);
        let xyz = |name| RotationOrder::Xyz.rotation(vec3(name));
        let is_active = uses_rotation_properties(properties);
        let rotation_if_active = |name| if is_active { xyz(name) } else { DQuat::IDENTITY };
        Self {
            translation: vec3("Lcl Translation"),
            rotation: vec3("Lcl Rotation"),
            scaling: properties.vec3("Lcl Scaling").unwrap_or(DVec3::ONE),
            order: RotationOrder::from_int(
                properties.int("RotationOrder").filter(|_| is_active).unwrap_or(0),
            ),
            inherit: match properties.int("InheritType") {
                Some(1) => Inherit::Matrix,
                Some(2) => Inherit::WithoutParentScale,
                _ => Inherit::Componentwise,
            },
            pre_rotation: rotation_if_active("PreRotation"),
            inverse_post_rotation: rotation_if_active("PostRotation").conjugate(),
            rotation_offset: vec3("RotationOffset"),
            rotation_pivot: vec3("RotationPivot"),
            scaling_offset: vec3("ScalingOffset"),
            scaling_pivot: vec3("ScalingPivot"),
            geometric: DMat4::from_scale_rotation_translation(
                properties.vec3("GeometricScaling").unwrap_or(DVec3::ONE),
                xyz("GeometricRotation"),
                vec3("GeometricTranslation"),
            ),
        }
    }

    /// The rotation of `R`, from Euler angles in degrees.
    pub(crate) fn euler(&self, degrees: DVec3) -> DQuat {
        self.order.rotation(degrees)
    }

    /// Translation and rotation of the product, and the scale, before inheritance.
    pub(crate) fn local(&self, translation: DVec3, rotation: DQuat, scale: DVec3) -> Local {
        let rotation = self.pre_rotation * rotation * self.inverse_post_rotation;
        let scaled = self.scaling_offset + self.scaling_pivot - scale * self.scaling_pivot;
        let rotated = rotation * (scaled - self.rotation_pivot);
        let translation = translation + self.rotation_offset + self.rotation_pivot + rotated;
        Local { translation, rotation, scale }
    }

    /// The local transform at rest.
    pub(crate) fn rest(&self) -> Local {
        self.local(self.translation, self.euler(self.rotation), self.scaling)
    }
}

/// Whether pre-rotation, post-rotation and rotation order apply. Without the property, they do.
fn uses_rotation_properties(properties: &Properties<'_>) -> bool {
    properties.int("RotationActive").is_none_or(|active| active != 0)
}

/// Largest shear, relative to the scale, that is ignored. If larger, posed vertices are visibly
/// displaced. If smaller, rounding in the file counts as shear.
const SHEAR_TOLERANCE: f64 = 1e-6;

/// The scale and shear that a node passes on: its global linear part without its global rotation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScaleState {
    matrix: DMat3,
    /// The local scale of the node.
    local_scale: DVec3,
}

impl ScaleState {
    /// The state above the roots.
    pub(crate) const IDENTITY: Self = Self { matrix: DMat3::IDENTITY, local_scale: DVec3::ONE };

    /// What the child multiplies its scale with.
    fn inherited(&self, inherit: Inherit) -> DMat3 {
        match inherit {
            Inherit::Componentwise | Inherit::Matrix => self.matrix,
            Inherit::WithoutParentScale => {
                self.matrix * DMat3::from_diagonal(inverse_scale(self.local_scale))
            }
        }
    }

    /// The state of a child with the local transform given.
    pub(crate) fn child(&self, inherit: Inherit, local: &Local) -> Self {
        let scale = DMat3::from_diagonal(local.scale);
        let matrix = match inherit {
            Inherit::Matrix => {
                let rotation = DMat3::from_quat(local.rotation);
                rotation.transpose() * self.matrix * rotation * scale
            }
            Inherit::Componentwise | Inherit::WithoutParentScale => self.inherited(inherit) * scale,
        };
        Self { matrix, local_scale: local.scale }
    }

    /// Whether children are independent of this state.
    pub(crate) fn is_identity(&self) -> bool {
        self.matrix.abs_diff_eq(DMat3::IDENTITY, 1e-9) && self.local_scale.abs_diff_eq(DVec3::ONE, 1e-9)
    }

    /// Whether the state is the same along all axes, so that rotations commute with it.
    pub(crate) fn is_uniform(&self) -> bool {
        let scale = self.matrix.x_axis.x;
        self.matrix.abs_diff_eq(DMat3::from_diagonal(DVec3::splat(scale)), 1e-9 * scale.abs().max(1.0))
    }

    /// The linear part of a child relative to its parent's global matrix. It may have shear.
    fn child_linear(&self, inherit: Inherit, local: &Local) -> DMat3 {
        let rotation = DMat3::from_quat(local.rotation);
        let scale = DMat3::from_diagonal(local.scale);
        if inherit == Inherit::Matrix || self.is_identity() {
            return rotation * scale;
        }
        inverse_or_identity(self.matrix) * rotation * self.inherited(inherit) * scale
    }

    /// The matrix of a child relative to its parent's global matrix.
    pub(crate) fn child_matrix(&self, inherit: Inherit, local: &Local) -> DMat4 {
        let mut matrix = DMat4::from_mat3(self.child_linear(inherit, local));
        matrix.w_axis = local.translation.extend(1.0);
        matrix
    }

    /// The same as translation, rotation and scale. False if there is shear, which they cannot
    /// hold.
    pub(crate) fn child_local(&self, inherit: Inherit, local: &Local) -> (Local, bool) {
        if inherit == Inherit::Matrix || self.is_identity() {
            return (*local, true);
        }
        let linear = self.child_linear(inherit, local);
        let (scale, is_diagonal) = diagonal(DMat3::from_quat(local.rotation).transpose() * linear);
        if is_diagonal {
            return (Local { scale, ..*local }, true);
        }
        let (rotation, scale) = nearest_rotation_and_scale(linear, local.rotation);
        (Local { translation: local.translation, rotation, scale }, false)
    }

    /// The scale of a node between parent and child that cancels what the parent passes on.
    pub(crate) fn compensation(&self) -> DVec3 {
        inverse_scale(diagonal(self.matrix).0)
    }

    /// The transform of a child below such a node. False if there is shear even so.
    pub(crate) fn compensated_child(&self, inherit: Inherit, local: &Local) -> (Local, bool) {
        let (scale, is_diagonal) = diagonal(self.inherited(inherit) * DMat3::from_diagonal(local.scale));
        (Local { translation: self.matrix * local.translation, rotation: local.rotation, scale }, is_diagonal)
    }
}

/// The diagonal of a matrix, and whether the rest is zero.
fn diagonal(matrix: DMat3) -> (DVec3, bool) {
    let scale = DVec3::new(matrix.x_axis.x, matrix.y_axis.y, matrix.z_axis.z);
    let tolerance = SHEAR_TOLERANCE * scale.abs().max_element();
    (scale, matrix.abs_diff_eq(DMat3::from_diagonal(scale), tolerance))
}

/// Orthonormalises the columns of a matrix. The second value is their lengths.
fn nearest_rotation_and_scale(linear: DMat3, fallback: DQuat) -> (DQuat, DVec3) {
    let lengths = DVec3::new(linear.x_axis.length(), linear.y_axis.length(), linear.z_axis.length());
    let x = linear.x_axis.normalize_or_zero();
    let y = (linear.y_axis - x * x.dot(linear.y_axis)).normalize_or_zero();
    let z = x.cross(y);
    if z.length_squared() < 0.5 {
        return (fallback, lengths);
    }
    let is_flipped = z.dot(linear.z_axis) < 0.0;
    let scale = if is_flipped { lengths * DVec3::new(1.0, 1.0, -1.0) } else { lengths };
    (DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize(), scale)
}

fn inverse_scale(scale: DVec3) -> DVec3 {
    let invert = |value: f64| if value.abs() > 1e-12 { 1.0 / value } else { 1.0 };
    DVec3::new(invert(scale.x), invert(scale.y), invert(scale.z))
}

fn inverse_or_identity(matrix: DMat3) -> DMat3 {
    if matrix.determinant().abs() > 1e-18 { matrix.inverse() } else { DMat3::IDENTITY }
}
