//! Evaluates a shape efficiently at many points.
//!
//! Input: a [`Shape`] and its clip plane. Output: [`Sample`]s at any point, equal to those of the
//! whole tree. A shape is a short program: push a solid, unite the last two. Space is divided into
//! coarse and fine cells. The first sample in a cell removes from the program of its coarse cell
//! what cannot affect this cell; further samples run the remaining program. Cost: about ten solids
//! per sample instead of a hundred.

use glam::Vec3;

use super::sdf::{ClipPlane, Join, Shape, unite};
use super::solid::{Sample, Solid};

/// Fine cells along a coarse one.
const FINE_PER_COARSE: f32 = 4.0;

/// Bound on the slope of the field. Stretched solids exceed 1. If smaller, a solid is removed that
/// still matters, and the surface has a step. If larger, fewer solids are removed.
const MAX_SLOPE: f32 = 1.1;

/// Margin around the bounding box relative to its longest side, because smooth unions bulge.
const MARGIN: f32 = 0.03;

/// Largest height of the stack: twice the deepest nesting of groups in a character.
const MAX_STACK: usize = 16;

const NOT_COMPILED: u32 = u32::MAX;

/// Factor on the bounding spheres of solids, because stretched solids underestimate distances. If
/// smaller, skipping a solid leaves a faint step. If larger, fewer solids are skipped.
const BOUND_FACTOR: f32 = 1.15;

/// A step of a program, on a stack of samples.
#[derive(Clone, Copy, Debug)]
enum Step {
    Push(u32),
    /// Unites the top with a solid: the usual case, and cheap if the solid is far away.
    Add(u32, Join),
    /// Unites the two on top.
    Unite(Join),
}

/// A solid and its bounding sphere.
#[derive(Clone, Copy, Debug)]
struct Element {
    solid: Solid,
    centre: Vec3,
    radius: f32,
}

impl Element {
    /// Whether the solid is certainly farther than `distance` from `point`.
    fn is_beyond(&self, point: Vec3, distance: f32) -> bool {
        let reach = distance + self.radius;
        reach < 0.0 || point.distance_squared(self.centre) > reach * reach
    }
}

/// A grid of cells, with the range of steps of the program of each.
#[derive(Debug)]
struct Cells {
    low: Vec3,
    size: f32,
    along: [usize; 3],
    programs: Vec<(u32, u32)>,
}

impl Cells {
    fn new(low: Vec3, high: Vec3, size: f32) -> Self {
        let along = ((high - low) / size).to_array().map(|count| count as usize + 1);
        Self { low, size, along, programs: vec![(NOT_COMPILED, 0); along.iter().product()] }
    }

    fn coord(&self, point: Vec3) -> [usize; 3] {
        let coord = ((point - self.low) / self.size).to_array();
        [0, 1, 2].map(|axis| (coord[axis].max(0.0) as usize).min(self.along[axis] - 1))
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.along[1] + y) * self.along[0] + x
    }

    fn centre(&self, coord: [usize; 3]) -> Vec3 {
        self.low + (Vec3::from_array(coord.map(|i| i as f32)) + 0.5) * self.size
    }

    /// The radius of the bounding sphere of a cell.
    fn radius(&self) -> f32 {
        0.5 * 3f32.sqrt() * self.size
    }
}

/// A shape and the programs compiled so far.
#[derive(Debug)]
pub struct ShapeField {
    members: Vec<Element>,
    clip_plane: ClipPlane,
    low: Vec3,
    high: Vec3,
    steps: Vec<Step>,
    /// End of the program of the whole shape, which starts at step 0.
    whole: u32,
    coarse: Cells,
    fine: Cells,
}

impl ShapeField {
    /// Compiles the program of the clipped shape. Nothing is evaluated yet.
    ///
    /// `cells` is the number of fine cells along the longest side. With fewer, each sample
    /// evaluates more solids. With more, compiling their programs takes longer than it saves,
    /// unless there are many samples.
    pub fn new(shape: &Shape, clip_plane: ClipPlane, cells: f32) -> Self {
        let (low, high) = shape.bounds();
        let margin = MARGIN * (high - low).max_element();
        let (low, high) = (low - margin, high + margin);
        let size = (high - low).max_element() / cells;
        let (mut members, mut steps) = (Vec::new(), Vec::new());
        write_program(shape, &mut members, &mut steps);
        let whole = steps.len() as u32;
        let (coarse, fine) = (Cells::new(low, high, FINE_PER_COARSE * size), Cells::new(low, high, size));
        Self { members, clip_plane, low, high, steps, whole, coarse, fine }
    }

    /// The bounding box of the surface.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        (self.low, self.high)
    }

    /// The field at a point.
    pub fn sample(&mut self, point: Vec3) -> Sample {
        let coord = self.fine.coord(point);
        let index = self.fine.index(coord);
        if self.fine.programs[index].0 == NOT_COMPILED {
            let parent = self.coarse_program(point);
            self.fine.programs[index] = self.prune(parent, self.fine.centre(coord), self.fine.radius());
        }
        let (first, end) = self.fine.programs[index];
        let mut stack = [Sample { distance: f32::INFINITY, gradient: Vec3::Y, limb_radius: 0.0 }; MAX_STACK];
        let mut depth = 0;
        for step in &self.steps[first as usize..end as usize] {
            match step {
                Step::Push(index) => {
                    stack[depth] = self.members[*index as usize].solid.sample(point);
                    depth += 1;
                }
                Step::Add(index, join) => {
                    let top = &mut stack[depth - 1];
                    let member = &self.members[*index as usize];
                    if !member.is_beyond(point, top.distance + join.radius) {
                        *top = unite(*top, member.solid.sample(point), join.radius_at(point));
                    }
                }
                Step::Unite(join) => {
                    depth -= 1;
                    stack[depth - 1] = unite(stack[depth - 1], stack[depth], join.radius_at(point));
                }
            }
        }
        self.clip_plane.apply(point, stack[0])
    }

    fn coarse_program(&mut self, point: Vec3) -> (u32, u32) {
        let coord = self.coarse.coord(point);
        let index = self.coarse.index(coord);
        if self.coarse.programs[index].0 == NOT_COMPILED {
            // A fine cell may extend beyond its coarse cell.
            let radius = self.coarse.radius() + 2.0 * self.fine.radius();
            self.coarse.programs[index] = self.prune((0, self.whole), self.coarse.centre(coord), radius);
        }
        self.coarse.programs[index]
    }

    /// Appends the steps of a program that matter in a sphere.
    fn prune(&mut self, (first, end): (u32, u32), centre: Vec3, radius: f32) -> (u32, u32) {
        let slope_margin = 2.0 * MAX_SLOPE * radius;
        let start = self.steps.len();
        // For each value on the stack: where its steps begin, and its sample at the centre.
        let mut stack: Vec<(usize, Sample)> = Vec::with_capacity(MAX_STACK);
        for i in first as usize..end as usize {
            let step = self.steps[i];
            match step {
                Step::Push(index) => {
                    let sample = self.members[index as usize].solid.sample(centre);
                    stack.push((self.steps.len(), sample));
                    self.steps.push(step);
                }
                Step::Add(index, join) => {
                    let Some((begin, a)) = stack.pop() else { break };
                    let reach = max_radius(&join, centre, radius) + slope_margin;
                    let member = &self.members[index as usize];
                    if member.is_beyond(centre, a.distance + reach) {
                        stack.push((begin, a));
                        continue;
                    }
                    let b = member.solid.sample(centre);
                    if a.distance - b.distance > reach {
                        self.steps.truncate(begin);
                        self.steps.push(Step::Push(index));
                        stack.push((begin, b));
                    } else if b.distance - a.distance > reach {
                        stack.push((begin, a));
                    } else {
                        self.steps.push(step);
                        stack.push((begin, unite(a, b, join.radius_at(centre))));
                    }
                }
                Step::Unite(join) => {
                    let (Some((second, b)), Some((begin, a))) = (stack.pop(), stack.pop()) else { break };
                    let reach = max_radius(&join, centre, radius) + slope_margin;
                    if a.distance - b.distance > reach {
                        self.steps.drain(begin..second);
                        stack.push((begin, b));
                    } else if b.distance - a.distance > reach {
                        self.steps.truncate(second);
                        stack.push((begin, a));
                    } else {
                        self.steps.push(step);
                        stack.push((begin, unite(a, b, join.radius_at(centre))));
                    }
                }
            }
        }
        (start as u32, self.steps.len() as u32)
    }
}

/// Writes the steps that evaluate a shape.
fn write_program(shape: &Shape, members: &mut Vec<Element>, steps: &mut Vec<Step>) {
    match shape {
        Shape::Solid(solid) => steps.push(Step::Push(add_member(*solid, members))),
        Shape::Group(group) => {
            for (i, (shape, join)) in group.iter().enumerate() {
                match shape {
                    Shape::Solid(solid) if i > 0 => {
                        steps.push(Step::Add(add_member(*solid, members), *join));
                    }
                    _ => write_program(shape, members, steps),
                }
                if i > 0 && matches!(shape, Shape::Group(_)) {
                    steps.push(Step::Unite(*join));
                }
            }
        }
    }
}

fn add_member(solid: Solid, members: &mut Vec<Element>) -> u32 {
    let (centre, radius) = solid.ball();
    members.push(Element { solid, centre, radius: BOUND_FACTOR * radius });
    members.len() as u32 - 1
}

/// The largest radius of a join anywhere in a sphere.
fn max_radius(join: &Join, centre: Vec3, radius: f32) -> f32 {
    match join.within {
        Some((coord, reach)) if centre.distance(coord) - radius > reach => 0.0,
        _ => join.radius,
    }
}
