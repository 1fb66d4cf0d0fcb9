//! In which order to eliminate unknowns, once for all parts that will be cut out of a quadratic.
//!
//! In: rows of a [`Quadratic`]. Out: its unknowns in the order of elimination. Method: nested dissection (George 1973) by levels: the
//! unknowns at one distance from one end divide the rest in two, and are eliminated after both. Limbs are long and thin, so such
//! levels are small. Cost: a few passes over the entries for every halving. What an order fills in a part is no more than
//! what it fills in the whole, so it serves every part: ordering each by itself took a quarter of the time.

use super::Quadratic;

/// Parts up to this size are not divided. Larger: more fill. Smaller: blocks too narrow to be quick.
const WHOLE: usize = 80;

/// Of a part, how much at least is wanted on either side of what divides it.
const LEAST_SIDE: f64 = 0.3;

/// The unknowns in the order to eliminate them in.
pub(super) fn elimination_order(quadratic: &Quadratic) -> Vec<u32> {
    let size = quadratic.size();
    let mut walk = Walk { quadratic, part_of: vec![0; size], seen: vec![0; size], parts: 0, walks: 0 };
    let mut order = Vec::with_capacity(size);
    // Filled from the end, and turned round: what divides comes after what it divides.
    let mut waiting = vec![(0..size as u32).collect::<Vec<u32>>()];
    while let Some(part) = waiting.pop() {
        walk.parts += 1;
        part.iter().for_each(|&i| walk.part_of[i as usize] = walk.parts);
        walk.divide(&part, &mut order, &mut waiting);
    }
    order.reverse();
    order
}

struct Walk<'q> {
    quadratic: &'q Quadratic,
    /// Which part each unknown is in; walks do not leave theirs.
    part_of: Vec<u32>,
    seen: Vec<u32>,
    parts: u32,
    walks: u32,
}

impl Walk<'_> {
    /// Puts what divides a part into `order`, and what it divides into `waiting`.
    fn divide(&mut self, part: &[u32], order: &mut Vec<u32>, waiting: &mut Vec<Vec<u32>>) {
        let Some(&first) = part.first() else { return };
        let (reached, _) = self.levels(first);
        let (reached, ends) = self.levels(reached[reached.len() - 1]);
        if reached.len() < part.len() {
            // Not connected: each piece by itself.
            let walk = self.walks;
            let rest = part.iter().copied().filter(|&i| self.seen[i as usize] != walk).collect();
            waiting.extend([rest, reached]);
        } else if reached.len() <= WHOLE || ends.len() < 3 {
            order.extend(reached.iter().rev());
        } else {
            let least = (LEAST_SIDE * reached.len() as f64) as usize;
            let start = |level: usize| if level == 0 { 0 } else { ends[level - 1] };
            // The thinnest one in the middle.
            let beyond = |level: usize| {
                let smaller = start(level).min(reached.len() - ends[level]);
                (ends[level] - start(level)) + 4 * least.saturating_sub(smaller)
            };
            let thinnest = (1..ends.len() - 1).min_by_key(|&level| beyond(level)).unwrap_or(1);
            let (low, high) = (start(thinnest), ends[thinnest]);
            order.extend(reached[low..high].iter().rev());
            waiting.extend([reached[..low].to_vec(), reached[high..].to_vec()]);
        }
    }

    /// What can be reached from `first` within its part, by distance, and where each distance ends.
    fn levels(&mut self, first: u32) -> (Vec<u32>, Vec<usize>) {
        self.walks += 1;
        let (walk, part) = (self.walks, self.part_of[first as usize]);
        self.seen[first as usize] = walk;
        let (mut reached, mut ends, mut from) = (vec![first], Vec::new(), 0);
        while from < reached.len() {
            let end = reached.len();
            ends.push(end);
            for at in from..end {
                for (j, _) in self.quadratic.row(reached[at] as usize) {
                    if self.part_of[j] == part && self.seen[j] != walk {
                        self.seen[j] = walk;
                        reached.push(j as u32);
                    }
                }
            }
            from = end;
        }
        (reached, ends)
    }
}
