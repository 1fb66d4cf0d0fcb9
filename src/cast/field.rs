//! A shape made ready for many questions.
//!
//! In: a [`Shape`]. Out: [`Sample`]s at any point, the same as the whole tree would give. Space is cut
//! into coarse cells; the first question in a cell finds out which solids matter there, the others
//! evaluate only those. Cost: about ten solids per question instead of a hundred.

use glam::Vec3;

use super::sdf::{Join, Sample, Shape, Solid, unite};

/// Cells along the longest side of the box. Fewer: more solids per question. More: the lists themselves
/// take longer to make than they save.
const CELLS: f32 = 64.0;

/// How much faster than the distance itself a field may change; stretched solids do. Smaller: a solid is
/// dropped that still matters, and a step shows. Larger: fewer are dropped.
const STEEPEST: f32 = 1.4;

/// Room around the box, as a share of its longest side: smooth unions bulge a little.
const MARGIN: f32 = 0.03;

/// Groups within groups within groups: the deepest a character nests, doubled.
const DEEPEST: usize = 16;

const UNASKED: u32 = u32::MAX;

/// A step of a cell's evaluation, last in first out.
#[derive(Clone, Copy, Debug)]
enum Step {
    Solid(u32),
    Unite(Join),
}

/// A shape tree with its solids in one list and a ball around every group.
#[derive(Debug)]
enum Branch {
    Solid(u32),
    Group { members: Vec<(Branch, Join)>, centre: Vec3, radius: f32 },
}

/// A shape and the short lists of solids found so far.
#[derive(Debug)]
pub struct Field {
    solids: Vec<Solid>,
    root: Branch,
    low: Vec3,
    high: Vec3,
    cell: f32,
    cells: [usize; 3],
    steps: Vec<Step>,
    /// The stretch of `steps` of each cell.
    lists: Vec<(u32, u32)>,
}

impl Field {
    /// Takes the shape over; nothing is evaluated yet.
    pub fn new(shape: &Shape) -> Self {
        let (low, high) = shape.bounds();
        let margin = MARGIN * (high - low).max_element();
        let (low, high) = (low - margin, high + margin);
        let cell = (high - low).max_element() / CELLS;
        let cells = ((high - low) / cell).to_array().map(|count| count as usize + 1);
        let mut solids = Vec::new();
        let root = branch(shape, &mut solids);
        let lists = vec![(UNASKED, 0); cells.iter().product()];
        Self { solids, root, low, high, cell, cells, steps: Vec::new(), lists }
    }

    /// A box around the surface.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        (self.low, self.high)
    }

    /// The field at a point.
    pub fn sample(&mut self, point: Vec3) -> Sample {
        let place = ((point - self.low) / self.cell).to_array();
        let [x, y, z] = [0, 1, 2].map(|axis| (place[axis].max(0.0) as usize).min(self.cells[axis] - 1));
        let index = (z * self.cells[1] + y) * self.cells[0] + x;
        if self.lists[index].0 == UNASKED {
            self.ask(index, Vec3::new(x as f32, y as f32, z as f32));
        }
        let (first, end) = self.lists[index];
        let mut stack = [Sample { distance: f32::INFINITY, gradient: Vec3::Y, girth: 0.0 }; DEEPEST];
        let mut height = 0;
        for step in &self.steps[first as usize..end as usize] {
            match step {
                Step::Solid(solid) => {
                    stack[height] = self.solids[*solid as usize].sample(point);
                    height += 1;
                }
                Step::Unite(join) => {
                    height -= 1;
                    stack[height - 1] = unite(stack[height - 1], stack[height], join.radius_at(point));
                }
            }
        }
        stack[0]
    }

    fn ask(&mut self, index: usize, place: Vec3) {
        let centre = self.low + (place + 0.5) * self.cell;
        let radius = 0.5 * self.cell * 3f32.sqrt();
        let first = self.steps.len() as u32;
        let mut asker = Asker { solids: &self.solids, centre, radius, steps: &mut self.steps };
        asker.collect(&self.root, f32::INFINITY);
        self.lists[index] = (first, self.steps.len() as u32);
    }
}

fn branch(shape: &Shape, solids: &mut Vec<Solid>) -> Branch {
    match shape {
        Shape::Solid(solid) => {
            solids.push(*solid);
            Branch::Solid(solids.len() as u32 - 1)
        }
        Shape::Group(members) => {
            let (low, high) = shape.bounds();
            let members = members.iter().map(|(member, join)| (branch(member, solids), *join)).collect();
            Branch::Group { members, centre: (low + high) * 0.5, radius: low.distance(high) * 0.5 }
        }
    }
}

/// Finds the solids that matter in a ball.
struct Asker<'a> {
    solids: &'a [Solid],
    centre: Vec3,
    radius: f32,
    steps: &'a mut Vec<Step>,
}

impl Asker<'_> {
    /// Appends the steps of `branch` and returns its distance at the centre; appends nothing and returns
    /// infinity when all of it is sure to be farther away than `limit`.
    fn collect(&mut self, branch: &Branch, limit: f32) -> f32 {
        let (members, centre, radius) = match branch {
            Branch::Solid(solid) => {
                self.steps.push(Step::Solid(*solid));
                return self.solids[*solid as usize].sample(self.centre).distance;
            }
            Branch::Group { members, centre, radius } => (members, centre, radius),
        };
        if self.centre.distance(*centre) - radius > limit {
            return f32::INFINITY;
        }
        let slack = 2.0 * STEEPEST * self.radius;
        let start = self.steps.len();
        let mut nearest = f32::INFINITY;
        for (member, join) in members {
            let before = self.steps.len();
            let reach = self.strongest(join) + slack;
            let distance = self.collect(member, (nearest + reach).min(limit));
            if before == start || nearest - distance > reach {
                // Nothing before this member can be seen past it.
                self.steps.drain(start..before);
                nearest = distance;
            } else if distance - nearest > reach {
                self.steps.truncate(before);
            } else {
                self.steps.push(Step::Unite(*join));
                let both =
                    [nearest, distance].map(|distance| Sample { distance, gradient: Vec3::ZERO, girth: 0.0 });
                nearest = unite(both[0], both[1], join.radius_at(self.centre)).distance;
            }
        }
        nearest
    }

    /// The largest radius a join has anywhere in the ball.
    fn strongest(&self, join: &Join) -> f32 {
        match join.within {
            Some((place, reach)) if self.centre.distance(place) - self.radius > reach => 0.0,
            _ => join.radius,
        }
    }
}
