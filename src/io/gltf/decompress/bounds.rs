//! Bounds of accessors after decoding. Filters and quantisation change values a little, and bounds
//! must be exact.

use super::super::accessor::{Component, components};
use super::super::editor::Editor;
use super::super::json::Object;
use super::super::schema::Document;

/// Least and largest value of each component of elements at a stride, as stored. `None` without
/// elements.
pub(super) fn of<'a>(
    elements: impl Iterator<Item = &'a [u8]>,
    component: Component,
    components: usize,
) -> Option<[Vec<f32>; 2]> {
    let mut bounds: Option<[Vec<f32>; 2]> = None;
    for element in elements {
        let values = element.chunks_exact(component.size()).map(|bytes| component.float(bytes, false));
        let values: Vec<f32> = values.take(components).collect();
        let [least, largest] = bounds.get_or_insert_with(|| [values.clone(), values.clone()]);
        for (at, &value) in values.iter().enumerate() {
            least[at] = least[at].min(value);
            largest[at] = largest[at].max(value);
        }
    }
    bounds
}

/// Sets the bounds of an accessor.
pub(super) fn set(object: &mut Object, [least, largest]: &[Vec<f32>; 2]) -> serde_json::Result<()> {
    if least.iter().chain(largest).all(|value| value.is_finite()) {
        object.set("min", least)?;
        object.set("max", largest)?;
    }
    Ok(())
}

/// Updates the bounds of all accessors that have bounds and lie in a decoded buffer view.
pub(super) fn update(
    editor: &mut Editor,
    document: &Document,
    view: usize,
    decoded: &[u8],
) -> serde_json::Result<()> {
    for (index, accessor) in document.accessors.iter().enumerate() {
        let component = Component::new(accessor.component_type, "").ok();
        let Some((component, components)) = component.zip(components(&accessor.shape)) else { continue };
        if accessor.buffer_view != Some(view) || accessor.sparse.is_some() {
            continue;
        }
        let size = components * component.size();
        let stride = document.buffer_views[view].byte_stride.unwrap_or(size).max(1);
        let bytes = decoded.get(accessor.byte_offset..).unwrap_or_default();
        let elements = bytes.chunks(stride).filter_map(|element| element.get(..size)).take(accessor.count);
        let Some(bounds) = of(elements, component, components) else { continue };
        editor.edit("accessors", index, |object| {
            let has_bounds = object.keys().any(|key| key == "min" || key == "max");
            if has_bounds { set(object, &bounds) } else { Ok(()) }
        })?;
    }
    Ok(())
}
