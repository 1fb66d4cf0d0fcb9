//! What several pointers together mean: orbit, pan, pinch or click.
//!
//! One pointer orbits (or pans with the right or middle button, or with Shift); two fingers pan and
//! pinch. A pointer that goes up where it came down is a click.

use glam::Vec2;

use super::input::Pointer;

/// A pointer that moved less than this is still clicking, in CSS pixels. Less: shaky hands cannot
/// click. More: small orbits are swallowed.
const CLICK_SLACK: f32 = 4.0;
/// The same for fingers.
const TAP_SLACK: f32 = 10.0;

/// How pointers move the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gesture {
    /// Turn, by pixels.
    Orbit(Vec2),
    /// Move sideways, by pixels.
    Pan(Vec2),
    /// Two fingers moved: sideways by pixels, and the distance by a factor towards a pixel.
    Pinch {
        /// How far their middle moved.
        pan: Vec2,
        /// How much nearer they came to each other.
        factor: f32,
        /// Their middle.
        middle: Vec2,
    },
}

/// The pointers that are down.
#[derive(Clone, Debug, Default)]
pub struct Controls {
    down: Vec<Held>,
    /// Set once the pointers have done more than click.
    is_dragging: bool,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    id: i32,
    start: Vec2,
    last: Vec2,
    pans: bool,
}

impl Controls {
    /// Whether any pointer is down.
    pub fn is_held(&self) -> bool {
        !self.down.is_empty()
    }

    /// A pointer comes down.
    pub fn down(&mut self, pointer: &Pointer) {
        self.down.retain(|held| held.id != pointer.id);
        // A third finger means nothing; it waits until another one is lifted.
        self.down.push(Held {
            id: pointer.id,
            start: pointer.position,
            last: pointer.position,
            pans: pointer.buttons.pans() || pointer.modifiers.shift,
        });
        if self.down.len() == 1 {
            self.is_dragging = false;
        }
        self.is_dragging |= self.down.len() > 1;
    }

    /// A pointer moves.
    pub fn moved(&mut self, pointer: &Pointer) -> Option<Gesture> {
        let index = self.down.iter().position(|held| held.id == pointer.id)?;
        let Held { start, last, pans, .. } = self.down[index];
        if !self.is_dragging {
            let slack = if pointer.is_touch { TAP_SLACK } else { CLICK_SLACK };
            if pointer.position.distance(start) < slack {
                return None;
            }
            self.is_dragging = true;
        }
        self.down[index].last = pointer.position;
        let delta = pointer.position - last;
        match self.down.len() {
            1 if pans => Some(Gesture::Pan(delta)),
            1 => Some(Gesture::Orbit(delta)),
            _ if index > 1 => None,
            _ => Some(pinch(last, pointer.position, self.down[1 - index].last)),
        }
    }

    /// A pointer goes up; whether that makes a click.
    pub fn up(&mut self, pointer: &Pointer) -> bool {
        let was_held = self.down.iter().any(|held| held.id == pointer.id && !held.pans);
        self.down.retain(|held| held.id != pointer.id);
        was_held && self.down.is_empty() && !self.is_dragging
    }

    /// The system cancels a pointer.
    pub fn cancel(&mut self, id: i32) {
        self.down.retain(|held| held.id != id);
        self.is_dragging = true;
    }
}

fn pinch(from: Vec2, to: Vec2, other: Vec2) -> Gesture {
    // Fingers on the same pixel have no ratio.
    let (before, after) = (from.distance(other).max(1.0), to.distance(other).max(1.0));
    Gesture::Pinch { pan: (to - from) * 0.5, factor: before / after, middle: to.midpoint(other) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::input::{Buttons, Modifiers};

    fn finger(id: i32, x: f32, y: f32) -> Pointer {
        Pointer {
            id,
            position: Vec2::new(x, y),
            buttons: Buttons::PRIMARY,
            modifiers: Modifiers::default(),
            is_touch: true,
        }
    }

    #[test]
    fn a_shaky_tap_is_a_click_and_a_drag_is_not() {
        let mut controls = Controls::default();
        controls.down(&finger(1, 10.0, 10.0));
        assert_eq!(controls.moved(&finger(1, 14.0, 12.0)), None);
        assert!(controls.up(&finger(1, 14.0, 12.0)));

        controls.down(&finger(1, 10.0, 10.0));
        assert!(matches!(controls.moved(&finger(1, 40.0, 10.0)), Some(Gesture::Orbit(_))));
        assert!(!controls.up(&finger(1, 10.0, 10.0)));
    }

    #[test]
    fn two_fingers_apart_come_nearer_and_never_click() {
        let mut controls = Controls::default();
        controls.down(&finger(1, 100.0, 100.0));
        controls.down(&finger(2, 200.0, 100.0));
        let Some(Gesture::Pinch { pan, factor, middle }) = controls.moved(&finger(2, 300.0, 100.0)) else {
            panic!("no pinch");
        };
        assert_eq!((pan, factor, middle), (Vec2::new(50.0, 0.0), 0.5, Vec2::new(200.0, 100.0)));
        assert!(!controls.up(&finger(2, 300.0, 100.0)));
        assert!(!controls.up(&finger(1, 100.0, 100.0)));
    }

    #[test]
    fn lifting_one_of_two_fingers_goes_on_orbiting_without_a_jump() {
        let mut controls = Controls::default();
        controls.down(&finger(1, 100.0, 100.0));
        controls.down(&finger(2, 200.0, 100.0));
        controls.up(&finger(1, 100.0, 100.0));
        assert_eq!(controls.moved(&finger(2, 203.0, 100.0)), Some(Gesture::Orbit(Vec2::new(3.0, 0.0))));
    }

    #[test]
    fn shift_and_the_right_button_pan_and_do_not_click() {
        for (buttons, shift) in [(Buttons(2), false), (Buttons(4), false), (Buttons::PRIMARY, true)] {
            let modifiers = Modifiers { shift, ..Modifiers::default() };
            let at = |x| Pointer { buttons, modifiers, is_touch: false, ..finger(1, x, 0.0) };
            let mut controls = Controls::default();
            controls.down(&at(0.0));
            assert_eq!(controls.moved(&at(20.0)), Some(Gesture::Pan(Vec2::new(20.0, 0.0))));
            controls.up(&at(20.0));
            controls.down(&at(0.0));
            assert!(!controls.up(&at(0.0)));
        }
    }
}
