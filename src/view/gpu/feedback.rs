//! Reads back where the vertex shader puts vertices, so that tests can compare it with the CPU.
//!
//! Transform feedback needs a program linked for it, which three-d does not offer, so this is plain
//! WebGL2: the same shader and the same data, uploaded once more. Not for every frame.
// Every call of glow is unsafe; all of them are here.
#![allow(unsafe_code)]

use glam::Vec3;
use three_d::context as gl;
use three_d::{Context, HasContext};

use super::skinned::Variant;
use crate::view::joints::{Influences, JOINTS_PER_ROW, TEXELS, joint_texels};
use crate::view::views::ShownView;

const HEADER: &str = "#version 300 es\nprecision highp float;\nprecision highp int;\n";
const FRAGMENT: &str = "out vec4 outColor; void main() { outColor = vec4(0.0); }";

/// Every vertex as the vertex shader moves it, or as it was given; at rest without weights.
pub(super) fn skinned_positions(context: &Context, shown: ShownView<'_>) -> Result<Vec<Vec3>, String> {
    let rest = shown.character.rest().positions;
    let skinning = shown.view.skinning();
    if let Some(deformed) = shown.view.deformed() {
        return Ok(deformed.positions.clone());
    }
    let Some((rig, skeleton)) = shown.view.rig().zip(shown.skeleton()) else { return Ok(rest.to_vec()) };
    let influences = Influences::new(rig.weights());
    let heads: Vec<Vec3> = skeleton.joints().iter().map(|joint| joint.head()).collect();
    let texels = joint_texels(&shown.posed_from_rest(), &heads, skinning);
    let variant = Variant { skinning: Some(skinning), has_more: influences.more.is_some() };
    let mut positions = vec![Vec3::ZERO; rest.len()];
    unsafe {
        let program = link(context, &variant.source())?;
        let vertex_array = context.create_vertex_array()?;
        context.bind_vertex_array(Some(vertex_array));
        let mut buffers = Vec::new();
        let mut attribute = |name: &str, bytes: &[u8], kind: u32| -> Result<(), String> {
            let buffer = context.create_buffer()?;
            buffers.push(buffer);
            context.bind_buffer(gl::ARRAY_BUFFER, Some(buffer));
            context.buffer_data_u8_slice(gl::ARRAY_BUFFER, bytes, gl::STATIC_DRAW);
            let Some(place) = context.get_attrib_location(program, name) else { return Ok(()) };
            context.enable_vertex_attrib_array(place);
            match kind {
                gl::UNSIGNED_SHORT => context.vertex_attrib_pointer_i32(place, 4, kind, 0, 0),
                _ if name == "position" => context.vertex_attrib_pointer_f32(place, 3, kind, false, 0, 0),
                _ => context.vertex_attrib_pointer_f32(place, 4, kind, false, 0, 0),
            }
            Ok(())
        };
        attribute("position", bytemuck::cast_slice(rest), gl::FLOAT)?;
        attribute("joints", bytemuck::cast_slice(&influences.first.joints), gl::UNSIGNED_SHORT)?;
        attribute("weights", bytemuck::cast_slice(&influences.first.weights), gl::FLOAT)?;
        if let Some(more) = &influences.more {
            attribute("moreJoints", bytemuck::cast_slice(&more.joints), gl::UNSIGNED_SHORT)?;
            attribute("moreWeights", bytemuck::cast_slice(&more.weights), gl::FLOAT)?;
        }
        let texture = upload(context, texels)?;
        let written = context.create_buffer()?;
        context.bind_buffer(gl::ARRAY_BUFFER, None);
        context.bind_buffer(gl::TRANSFORM_FEEDBACK_BUFFER, Some(written));
        let bytes = size_of_val(&positions[..]) as i32;
        context.buffer_data_size(gl::TRANSFORM_FEEDBACK_BUFFER, bytes, gl::STATIC_READ);
        context.bind_buffer_base(gl::TRANSFORM_FEEDBACK_BUFFER, 0, Some(written));

        context.use_program(Some(program));
        context.uniform_1_i32(context.get_uniform_location(program, "jointTexels").as_ref(), 0);
        context.enable(gl::RASTERIZER_DISCARD);
        context.begin_transform_feedback(gl::POINTS);
        context.draw_arrays(gl::POINTS, 0, rest.len() as i32);
        context.end_transform_feedback();
        context.disable(gl::RASTERIZER_DISCARD);
        context.use_program(None);

        let out = bytemuck::cast_slice_mut(&mut positions);
        context.get_buffer_sub_data(gl::TRANSFORM_FEEDBACK_BUFFER, 0, out);
        context.bind_buffer_base(gl::TRANSFORM_FEEDBACK_BUFFER, 0, None);
        context.bind_buffer(gl::TRANSFORM_FEEDBACK_BUFFER, None);
        context.bind_vertex_array(None);
        context.delete_vertex_array(vertex_array);
        context.delete_texture(texture);
        context.delete_program(program);
        buffers.into_iter().chain([written]).for_each(|buffer| context.delete_buffer(buffer));
    }
    Ok(positions)
}

unsafe fn link(context: &Context, vertex: &str) -> Result<gl::Program, String> {
    unsafe {
        let program = context.create_program()?;
        for (kind, source) in [(gl::VERTEX_SHADER, vertex), (gl::FRAGMENT_SHADER, FRAGMENT)] {
            let shader = context.create_shader(kind)?;
            context.shader_source(shader, &format!("{HEADER}{source}"));
            context.compile_shader(shader);
            context.attach_shader(program, shader);
            context.delete_shader(shader);
        }
        context.transform_feedback_varyings(program, &["pos"], gl::INTERLEAVED_ATTRIBS);
        context.link_program(program);
        if context.get_program_link_status(program) {
            Ok(program)
        } else {
            Err(context.get_program_info_log(program))
        }
    }
}

unsafe fn upload(context: &Context, mut texels: Vec<[f32; 4]>) -> Result<gl::Texture, String> {
    let width = JOINTS_PER_ROW * TEXELS;
    let height = texels.len().div_ceil(width).max(1);
    texels.resize(width * height, [0.0; 4]);
    unsafe {
        let texture = context.create_texture()?;
        context.active_texture(gl::TEXTURE0);
        context.bind_texture(gl::TEXTURE_2D, Some(texture));
        for filter in [gl::TEXTURE_MIN_FILTER, gl::TEXTURE_MAG_FILTER] {
            context.tex_parameter_i32(gl::TEXTURE_2D, filter, gl::NEAREST as i32);
        }
        context.tex_image_2d(
            gl::TEXTURE_2D,
            0,
            gl::RGBA32F as i32,
            width as i32,
            height as i32,
            0,
            gl::RGBA,
            gl::FLOAT,
            gl::PixelUnpackData::Slice(Some(bytemuck::cast_slice(&texels))),
        );
        Ok(texture)
    }
}
