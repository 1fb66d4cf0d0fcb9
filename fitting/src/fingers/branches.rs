//! Branches of a shape, by the merge tree of a distance on it.
//!
//! Nodes are visited from the farthest to the nearest. Each local maximum starts a component;
//! components grow and meet. Where two or more meet that are long for their thickness, each of them
//! is a branch, and the level where they meet is its base. Cost: linear in the number of nodes,
//! after they are ordered.

/// A shape made of nodes, with a distance on it.
pub trait Shape {
    /// The number of nodes.
    fn len(&self) -> usize;
    /// The nodes that belong to the shape, from the farthest to the nearest.
    fn order(&self) -> Vec<u32>;
    /// The distance of a node.
    fn level(&self, node: u32) -> f32;
    /// The volume or area of a node.
    fn measure(&self, node: u32) -> f32;
    /// Whether the shape goes on beyond this node.
    fn is_open(&self, node: u32) -> bool;
    /// Visits the neighbours of a node that belong to the shape.
    fn neighbours(&self, node: u32, visit: impl FnMut(u32));
    /// The thickness of a part with this measure and length.
    fn thickness(&self, measure: f32, length: f32) -> f32;
}

/// What counts as a branch.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The least length, in thicknesses.
    pub slenderness: f32,
    /// The least length.
    pub length: f32,
    /// The least thickness.
    pub thickness: f32,
    /// The lowest level of a base.
    pub base: f32,
}

/// A branch: a finger, if the shape is a hand.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The level of its tip.
    pub tip: f32,
    /// The level where it meets the others.
    pub base: f32,
    /// Length in thicknesses.
    pub slenderness: f32,
    /// Its nodes, tip and base included.
    pub nodes: Vec<u32>,
}

impl Branch {
    /// From base to tip.
    pub fn length(&self) -> f32 {
        self.tip - self.base
    }

    /// The mean thickness.
    pub fn thickness(&self) -> f32 {
        self.length() / self.slenderness
    }
}

/// A connected set of nodes above the current level.
struct Component {
    tip: f32,
    measure: f32,
    is_open: bool,
    has_branches: bool,
    nodes: Vec<u32>,
}

/// Not visited yet.
const NONE: u32 = u32::MAX;

/// The branches of each connected part of a shape. Parts without branches are left out.
pub fn branches(shape: &impl Shape, limits: &Limits) -> Vec<Vec<Branch>> {
    // The component of each visited node; components point to what they merged into.
    let mut component_of = vec![NONE; shape.len()];
    let mut parents: Vec<u32> = Vec::new();
    let mut components: Vec<Component> = Vec::new();
    let mut found: Vec<(u32, Branch)> = Vec::new();
    let mut met: Vec<u32> = Vec::new();
    for node in shape.order() {
        let level = shape.level(node);
        met.clear();
        shape.neighbours(node, |neighbour| {
            let component = component_of[neighbour as usize];
            if component != NONE {
                let root = root(&mut parents, component);
                if !met.contains(&root) {
                    met.push(root);
                }
            }
        });
        if met.len() > 1 {
            separate(shape, limits, level, &met, &mut components, &mut found);
        }
        // The largest takes in the others.
        let into = met.iter().copied().max_by_key(|&c| (components[c as usize].nodes.len(), c));
        let into = into.unwrap_or_else(|| {
            parents.push(parents.len() as u32);
            components.push(Component {
                tip: level,
                measure: 0.0,
                is_open: false,
                has_branches: false,
                nodes: Vec::new(),
            });
            parents.len() as u32 - 1
        });
        for &other in met.iter().filter(|&&other| other != into) {
            parents[other as usize] = into;
            let nodes = std::mem::take(&mut components[other as usize].nodes);
            let Component { tip, measure, is_open, has_branches, .. } = components[other as usize];
            let target = &mut components[into as usize];
            target.tip = target.tip.max(tip);
            target.measure += measure;
            target.is_open |= is_open;
            target.has_branches |= has_branches;
            target.nodes.extend(nodes);
        }
        let target = &mut components[into as usize];
        target.measure += shape.measure(node);
        target.is_open |= shape.is_open(node);
        target.nodes.push(node);
        component_of[node as usize] = into;
    }
    let mut parts: Vec<(u32, Vec<Branch>)> = Vec::new();
    for (component, branch) in found {
        let root = root(&mut parents, component);
        match parts.iter_mut().find(|(part, _)| *part == root) {
            Some((_, branches)) => branches.push(branch),
            None => parts.push((root, vec![branch])),
        }
    }
    parts.into_iter().map(|(_, branches)| branches).collect()
}

/// Records the branches among components that meet.
fn separate(
    shape: &impl Shape,
    limits: &Limits,
    level: f32,
    met: &[u32],
    components: &mut [Component],
    found: &mut Vec<(u32, Branch)>,
) {
    let slenderness = |component: &Component| {
        let length = component.tip - level;
        length / shape.thickness(component.measure, length).max(f32::MIN_POSITIVE)
    };
    let is_branch = |component: &Component| {
        let (length, slenderness) = (component.tip - level, slenderness(component));
        length >= limits.length
            && slenderness >= limits.slenderness
            && length >= limits.thickness * slenderness
            && !component.is_open
    };
    let counts = |&&c: &&u32| components[c as usize].has_branches || is_branch(&components[c as usize]);
    if level < limits.base || met.iter().filter(counts).count() < 2 {
        return;
    }
    for &c in met {
        let component = &mut components[c as usize];
        if !component.has_branches && is_branch(component) {
            let branch = Branch {
                tip: component.tip,
                base: level,
                slenderness: slenderness(component),
                nodes: component.nodes.clone(),
            };
            component.has_branches = true;
            found.push((c, branch));
        }
    }
}

fn root(parents: &mut [u32], mut component: u32) -> u32 {
    while parents[component as usize] != component {
        parents[component as usize] = parents[parents[component as usize] as usize];
        component = parents[component as usize];
    }
    component
}
