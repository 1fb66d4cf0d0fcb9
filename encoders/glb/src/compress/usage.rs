//! What the buffer views of a document contain.

use crate::json::Object;

/// A buffer view.
#[derive(Default)]
pub(super) struct View {
    pub offset: usize,
    pub length: usize,
    pub stride: Option<usize>,
    /// The accessors in the view.
    pub accessors: Vec<Accessor>,
    /// Whether the view is also used in another way.
    pub is_pinned: bool,
}

/// The elements of an accessor in its view.
pub(super) struct Accessor {
    pub offset: usize,
    pub count: usize,
    /// Bytes per element. `None` for types that are not known.
    pub size: Option<usize>,
    pub role: Role,
}

/// What an accessor is used for.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Role {
    /// Anything but indices of primitives.
    #[default]
    Values,
    /// Indices of triangle lists only, whose triangles may begin with any corner.
    Triangles,
    /// Indices whose order matters.
    Indices,
}

/// The buffer views with what uses them.
pub(super) fn views(root: &Object, items: &[Object]) -> Vec<View> {
    let view = |item: &Object| View {
        offset: item.get("byteOffset").unwrap_or(0),
        length: item.get("byteLength").unwrap_or(0),
        stride: item.get("byteStride"),
        accessors: Vec::new(),
        is_pinned: false,
    };
    let mut views: Vec<View> = items.iter().map(view).collect();
    let accessors: Vec<Object> = root.get("accessors").unwrap_or_default();
    let roles = roles(root, accessors.len());
    for (accessor, role) in accessors.iter().zip(roles) {
        if let Some(view) = view_of(accessor, &mut views) {
            view.accessors.push(Accessor {
                offset: accessor.get("byteOffset").unwrap_or(0),
                count: accessor.get("count").unwrap_or(0),
                size: element_size(accessor),
                role,
            });
        }
        let sparse: Object = accessor.get("sparse").unwrap_or_default();
        let parts = ["indices", "values"].map(|part| sparse.get::<Object>(part));
        parts.into_iter().flatten().for_each(|part| pin(&part, &mut views));
    }
    let images: Vec<Object> = root.get("images").unwrap_or_default();
    images.iter().for_each(|image| pin(image, &mut views));
    views
}

/// The view that the member `bufferView` refers to.
fn view_of<'a>(object: &Object, views: &'a mut [View]) -> Option<&'a mut View> {
    views.get_mut(object.get::<usize>("bufferView")?)
}

fn pin(object: &Object, views: &mut [View]) {
    if let Some(view) = view_of(object, views) {
        view.is_pinned = true;
    }
}

/// What each accessor is used for.
fn roles(root: &Object, accessors: usize) -> Vec<Role> {
    let mut roles = vec![Role::default(); accessors];
    let meshes: Vec<Object> = root.get("meshes").unwrap_or_default();
    let primitives = meshes.iter().flat_map(|mesh| mesh.get::<Vec<Object>>("primitives").unwrap_or_default());
    for primitive in primitives {
        let Some(role) = primitive.get("indices").and_then(|index: usize| roles.get_mut(index)) else {
            continue;
        };
        let is_list = matches!(primitive.get("mode"), None | Some(4u32));
        // An extension may refer to corners by their number.
        let has_extensions = primitive.keys().any(|key| key == "extensions");
        if !is_list || has_extensions {
            *role = Role::Indices;
        } else if *role == Role::Values {
            *role = Role::Triangles;
        }
    }
    roles
}

/// Bytes per element.
fn element_size(accessor: &Object) -> Option<usize> {
    let component = match accessor.get::<u32>("componentType")? {
        5120 | 5121 => 1,
        5122 | 5123 => 2,
        5125 | 5126 => 4,
        _ => return None,
    };
    let shape: String = accessor.get("type")?;
    let components = match shape.as_str() {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        _ => return None,
    };
    Some(component * components)
}
