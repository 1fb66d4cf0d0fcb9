//! What has to be copied to the GPU before the next picture.

/// The number of views of a scene.
pub const VIEWS: usize = 2;

/// Changes of what all views share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharedChanges {
    /// Vertices, triangles, parts and materials.
    pub mesh: bool,
    /// Transforms of the joints.
    pub pose: bool,
    /// Decoded images.
    pub textures: bool,
    /// Anything that is visible; set by every change.
    pub picture: bool,
}

/// Changes of one view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewChanges {
    /// Joints and weights per vertex.
    pub influences: bool,
    /// How transforms of joints are blended.
    pub skinning: bool,
    /// Vertices deformed on the CPU.
    pub deformed: bool,
    /// Colours per vertex.
    pub colors: bool,
}

/// Everything that changed since the last picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Of what all views share.
    pub shared: SharedChanges,
    /// By view.
    pub views: [ViewChanges; VIEWS],
}

impl SharedChanges {
    /// Everything, as after a lost context.
    pub const ALL: Self = Self { mesh: true, pose: true, textures: true, picture: true };

    /// Adds other changes to these.
    pub fn add(&mut self, other: Self) {
        self.mesh |= other.mesh;
        self.pose |= other.pose;
        self.textures |= other.textures;
        self.picture |= other.picture;
    }
}

impl ViewChanges {
    /// Everything, as after a lost context.
    pub const ALL: Self = Self { influences: true, skinning: true, deformed: true, colors: true };

    /// Other colours only.
    pub const COLORS: Self = Self { influences: false, skinning: false, deformed: false, colors: true };

    /// Adds other changes to these.
    pub fn add(&mut self, other: Self) {
        self.influences |= other.influences;
        self.skinning |= other.skinning;
        self.deformed |= other.deformed;
        self.colors |= other.colors;
    }

    /// Whether vertices may be elsewhere than before.
    pub fn moves_vertices(&self) -> bool {
        self.influences || self.skinning || self.deformed
    }
}
