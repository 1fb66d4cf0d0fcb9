//! The queues of recent edges and vertices of a triangle list.

/// The last 16 items.
#[derive(Default)]
pub(crate) struct Recent<T> {
    items: [Option<T>; 16],
    next: usize,
}

impl<T: Copy + PartialEq> Recent<T> {
    /// Adds an item and drops the oldest one.
    pub fn push(&mut self, item: T) {
        self.items[self.next & 15] = Some(item);
        self.next = self.next.wrapping_add(1);
    }

    /// The item that was pushed `age` pushes before the last one.
    pub fn get(&self, age: u8) -> Option<T> {
        let slot = self.next.wrapping_sub(1 + usize::from(age)) & 15;
        self.items[slot]
    }

    /// The smallest age of an item, if it is less than `end`.
    pub fn age_of(&self, item: T, end: u8) -> Option<u8> {
        (0..end).find(|&age| self.get(age) == Some(item))
    }
}
