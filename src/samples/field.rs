//! A shape made ready for many questions.
//!
//! In: a [`Shape`] and where it is cut. Out: [`Sample`]s at any point, the same as the whole tree would
//! give. A shape is a short program: push a solid, unite the last two. Space is cut into coarse and fine
//! cells; the first question in a cell strikes out of the program what cannot be seen there, starting from
//! the coarse cell's program, and the others run what is left. Cost: about ten solids per question instead
//! of a hundred.

use glam::Vec3;

use super::sdf::{Cut, Join, Shape, unite};
use super::solid::{Sample, Solid};

/// Fine cells along a coarse one.
const COARSER: f32 = 4.0;

/// How much faster than the distance itself a field may change; stretched solids do. Smaller: a solid is
/// struck out that still matters, and a step shows. Larger: fewer are struck out.
const STEEPEST: f32 = 1.1;

/// Room around the box, as a share of its longest side: smooth unions bulge a little.
const MARGIN: f32 = 0.03;

/// Groups within groups within groups: the deepest a character nests, doubled.
const DEEPEST: usize = 16;

const UNASKED: u32 = u32::MAX;

/// Solids reach this much farther than the balls around them say: stretched ones underrate distances.
/// Smaller: a faint step where one is passed over. Larger: fewer are passed over.
const WARY: f32 = 1.15;

/// A step of a program, on a stack of samples.
#[derive(Clone, Copy, Debug)]
enum Step {
    Push(u32),
    /// Unites the top with a solid: the usual case, and cheap when the solid is far.
    Add(u32, Join),
    /// Unites the two on top.
    Unite(Join),
}

/// A solid and a ball around it.
#[derive(Clone, Copy, Debug)]
struct Element {
    solid: Solid,
    centre: Vec3,
    radius: f32,
}

impl Element {
    /// Whether all of it is sure to be farther than `distance` from `point`.
    fn is_beyond(&self, point: Vec3, distance: f32) -> bool {
        let reach = distance + self.radius;
        reach < 0.0 || point.distance_squared(self.centre) > reach * reach
    }
}

/// A grid of cells, and where in the list of steps the program of each begins and ends.
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
        Self { low, size, along, programs: vec![(UNASKED, 0); along.iter().product()] }
    }

    fn place(&self, point: Vec3) -> [usize; 3] {
        let place = ((point - self.low) / self.size).to_array();
        [0, 1, 2].map(|axis| (place[axis].max(0.0) as usize).min(self.along[axis] - 1))
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.along[1] + y) * self.along[0] + x
    }

    fn centre(&self, place: [usize; 3]) -> Vec3 {
        self.low + (Vec3::from_array(place.map(|i| i as f32)) + 0.5) * self.size
    }

    /// The radius of the ball around a cell.
    fn radius(&self) -> f32 {
        0.5 * 3f32.sqrt() * self.size
    }
}

/// A shape and the programs made so far.
#[derive(Debug)]
pub struct Field {
    members: Vec<Element>,
    cut: Cut,
    low: Vec3,
    high: Vec3,
    steps: Vec<Step>,
    /// The program of the whole shape is the first of the steps, up to here.
    whole: u32,
    coarse: Cells,
    fine: Cells,
}

impl Field {
    /// Takes over what the cut leaves of the shape; nothing is evaluated yet.
    ///
    /// `cells` are the fine cells along the longest side. Fewer: more solids per question. More: making
    /// their programs takes longer than they save, unless questions are many.
    pub fn new(shape: &Shape, cut: Cut, cells: f32) -> Self {
        let (low, high) = shape.bounds();
        let margin = MARGIN * (high - low).max_element();
        let (low, high) = (low - margin, high + margin);
        let size = (high - low).max_element() / cells;
        let (mut members, mut steps) = (Vec::new(), Vec::new());
        write_program(shape, &mut members, &mut steps);
        let whole = steps.len() as u32;
        let (coarse, fine) = (Cells::new(low, high, COARSER * size), Cells::new(low, high, size));
        Self { members, cut, low, high, steps, whole, coarse, fine }
    }

    /// A box around the surface.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        (self.low, self.high)
    }

    /// The field at a point.
    pub fn sample(&mut self, point: Vec3) -> Sample {
        let place = self.fine.place(point);
        let index = self.fine.index(place);
        if self.fine.programs[index].0 == UNASKED {
            let parent = self.coarse_program(point);
            self.fine.programs[index] = self.strike_out(parent, self.fine.centre(place), self.fine.radius());
        }
        let (first, end) = self.fine.programs[index];
        let mut stack = [Sample { distance: f32::INFINITY, gradient: Vec3::Y, girth: 0.0 }; DEEPEST];
        let mut height = 0;
        for step in &self.steps[first as usize..end as usize] {
            match step {
                Step::Push(index) => {
                    stack[height] = self.members[*index as usize].solid.sample(point);
                    height += 1;
                }
                Step::Add(index, join) => {
                    let top = &mut stack[height - 1];
                    let member = &self.members[*index as usize];
                    if !member.is_beyond(point, top.distance + join.radius) {
                        *top = unite(*top, member.solid.sample(point), join.radius_at(point));
                    }
                }
                Step::Unite(join) => {
                    height -= 1;
                    stack[height - 1] = unite(stack[height - 1], stack[height], join.radius_at(point));
                }
            }
        }
        self.cut.apply(point, stack[0])
    }

    fn coarse_program(&mut self, point: Vec3) -> (u32, u32) {
        let place = self.coarse.place(point);
        let index = self.coarse.index(place);
        if self.coarse.programs[index].0 == UNASKED {
            // A fine cell may reach over the edge of its coarse one.
            let radius = self.coarse.radius() + 2.0 * self.fine.radius();
            self.coarse.programs[index] = self.strike_out((0, self.whole), self.coarse.centre(place), radius);
        }
        self.coarse.programs[index]
    }

    /// Appends the part of a program that matters in a ball.
    fn strike_out(&mut self, (first, end): (u32, u32), centre: Vec3, radius: f32) -> (u32, u32) {
        let slack = 2.0 * STEEPEST * radius;
        let start = self.steps.len();
        // Per value on the stack: where its steps begin, and its sample at the centre.
        let mut stack: Vec<(usize, Sample)> = Vec::with_capacity(DEEPEST);
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
                    let reach = strongest(&join, centre, radius) + slack;
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
                    let reach = strongest(&join, centre, radius) + slack;
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
        Shape::Solid(solid) => steps.push(Step::Push(enlist(*solid, members))),
        Shape::Group(group) => {
            for (i, (shape, join)) in group.iter().enumerate() {
                match shape {
                    Shape::Solid(solid) if i > 0 => {
                        steps.push(Step::Add(enlist(*solid, members), *join));
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

fn enlist(solid: Solid, members: &mut Vec<Element>) -> u32 {
    let (centre, radius) = solid.ball();
    members.push(Element { solid, centre, radius: WARY * radius });
    members.len() as u32 - 1
}

/// The largest radius a join has anywhere in a ball.
fn strongest(join: &Join, centre: Vec3, radius: f32) -> f32 {
    match join.within {
        Some((place, reach)) if centre.distance(place) - radius > reach => 0.0,
        _ => join.radius,
    }
}
