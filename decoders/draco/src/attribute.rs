//! Converts an attribute of a Draco mesh to the component type of an accessor.

use draco_core::Mesh;
use draco_core::draco_types::DataType;
use draco_core::geometry_attribute::PointAttribute;
use draco_core::geometry_indices::PointIndex;

use super::Attribute;

/// The values of an attribute for all vertices, without padding.
pub(crate) fn values(mesh: &Mesh, wanted: &Attribute, vertex_count: usize) -> Result<Vec<u8>, String> {
    let id = wanted.unique_id;
    let missing = || format!("the Draco data has no attribute {id}");
    let attribute = mesh.attribute_by_unique_id(id).ok_or_else(missing)?;
    let target = data_type(wanted.component_type)
        .ok_or_else(|| format!("attribute {id} has component type {}", wanted.component_type))?;
    let source = attribute.data_type();
    if usize::from(attribute.num_components()) != wanted.components {
        let (found, expected) = (attribute.num_components(), wanted.components);
        return Err(format!("attribute {id} of the Draco data has {found} components, not {expected}"));
    }
    let mut output = Vec::with_capacity(vertex_count * wanted.components * target.byte_length());
    for vertex in 0..vertex_count {
        let value = value(attribute, vertex, wanted.components * source.byte_length());
        let value = value.ok_or_else(|| format!("attribute {id} has no value for vertex {vertex}"))?;
        if source == target {
            output.extend_from_slice(value);
            continue;
        }
        for component in value.chunks_exact(source.byte_length().max(1)) {
            let converted = convert(component, source, target, &mut output);
            converted.ok_or_else(|| format!("attribute {id} cannot be converted to its accessor's type"))?;
        }
    }
    Ok(output)
}

/// The stored bytes of one vertex.
fn value(attribute: &PointAttribute, vertex: usize, size: usize) -> Option<&[u8]> {
    let index = attribute.mapped_index(PointIndex(vertex as u32)).0 as usize;
    let stride = usize::try_from(attribute.byte_stride()).ok()?;
    let start = index.checked_mul(stride)?;
    attribute.buffer().data().get(start..start.checked_add(size)?)
}

/// The Draco type of a component type of glTF.
fn data_type(component_type: u32) -> Option<DataType> {
    Some(match component_type {
        5120 => DataType::Int8,
        5121 => DataType::Uint8,
        5122 => DataType::Int16,
        5123 => DataType::Uint16,
        5125 => DataType::Uint32,
        5126 => DataType::Float32,
        _ => return None,
    })
}

/// Appends a number in another type. `None` if it does not fit or a type is not known.
fn convert(bytes: &[u8], source: DataType, target: DataType, output: &mut Vec<u8>) -> Option<()> {
    let number: f64 = match (source, bytes) {
        (DataType::Int8, &[a]) => f64::from(a as i8),
        (DataType::Uint8 | DataType::Bool, &[a]) => f64::from(a),
        (DataType::Int16, &[a, b]) => f64::from(i16::from_le_bytes([a, b])),
        (DataType::Uint16, &[a, b]) => f64::from(u16::from_le_bytes([a, b])),
        (DataType::Int32, &[a, b, c, d]) => f64::from(i32::from_le_bytes([a, b, c, d])),
        (DataType::Uint32, &[a, b, c, d]) => f64::from(u32::from_le_bytes([a, b, c, d])),
        (DataType::Float32, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
        _ => return None,
    };
    let (least, largest) = match target {
        DataType::Int8 => (f64::from(i8::MIN), f64::from(i8::MAX)),
        DataType::Uint8 => (0.0, f64::from(u8::MAX)),
        DataType::Int16 => (f64::from(i16::MIN), f64::from(i16::MAX)),
        DataType::Uint16 => (0.0, f64::from(u16::MAX)),
        DataType::Uint32 => (0.0, f64::from(u32::MAX)),
        DataType::Float32 => {
            output.extend_from_slice(&(number as f32).to_le_bytes());
            return Some(());
        }
        _ => return None,
    };
    let integer = (number.round() >= least && number.round() <= largest).then(|| number.round() as i64)?;
    // Two's complement: the lowest bytes of the integer are those of the smaller type.
    output.extend_from_slice(&integer.to_le_bytes()[..target.byte_length()]);
    Some(())
}
