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
    let mut bounds = [vec![f32::INFINITY; components], vec![f32::NEG_INFINITY; components]];
    let mut is_empty = true;
    for element in elements {
        is_empty = false;
        let [least, largest] = &mut bounds;
        let values = element.chunks_exact(component.size()).map(|bytes| component.float(bytes, false));
        for ((least, largest), value) in least.iter_mut().zip(largest).zip(values) {
            *least = least.min(value);
            *largest = largest.max(value);
        }
    }
    (!is_empty).then_some(bounds)
}

/// Sets the bounds of an accessor.
pub(super) fn set(object: &mut Object, [least, largest]: &[Vec<f32>; 2]) -> serde_json::Result<()> {
    if least.iter().chain(largest).all(|value| value.is_finite()) {
        object.set("min", least)?;
        object.set("max", largest)?;
    }
    Ok(())
}

/// The accessors in each buffer view.
pub(super) struct AccessorsOfViews<'a> {
    document: &'a Document,
    accessors: Vec<Vec<usize>>,
}

impl<'a> AccessorsOfViews<'a> {
    pub fn of(document: &'a Document) -> Self {
        let mut accessors = vec![Vec::new(); document.buffer_views.len()];
        for (index, accessor) in document.accessors.iter().enumerate() {
            if let Some(of_view) = accessor.buffer_view.and_then(|view| accessors.get_mut(view)) {
                of_view.push(index);
            }
        }
        Self { document, accessors }
    }

    /// Updates the bounds of all accessors that have bounds and lie in a decoded buffer view. Those
    /// with sparse values keep theirs.
    pub fn update_bounds(&self, editor: &mut Editor, view: usize, decoded: &[u8]) -> serde_json::Result<()> {
        for &index in self.accessors.get(view).into_iter().flatten() {
            let accessor = &self.document.accessors[index];
            let component = Component::new(accessor.component_type, "").ok();
            let Some((component, components)) = component.zip(components(&accessor.shape)) else { continue };
            if accessor.sparse.is_some() {
                continue;
            }
            let size = components * component.size();
            let stride = self.document.buffer_views[view].byte_stride.unwrap_or(size).max(1);
            let bytes = decoded.get(accessor.byte_offset..).unwrap_or_default();
            let elements = bytes.chunks(stride).filter_map(|element| element.get(..size));
            let Some(bounds) = of(elements.take(accessor.count), component, components) else { continue };
            editor.edit("accessors", index, |object| {
                let has_bounds = object.keys().any(|key| key == "min" || key == "max");
                if has_bounds { set(object, &bounds) } else { Ok(()) }
            })?;
        }
        Ok(())
    }
}
