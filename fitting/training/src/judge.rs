//! Errors of fitted joints against labels.

use std::fmt::Write;

use pliant_fitting::cascade::Cascade;
use pliant_fitting::ensemble::{self, Pin, Placed, STARTS};
use pliant_fitting::plans::humanoid::{DOUBTFUL, HUMANOID, doubts};

use crate::dataset::Sample;

/// The main joints of a humanoid, by index in the plan: all but the toes.
pub const MAIN: [usize; 15] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15];
/// Those whose place is not a convention of the rig.
pub const LIMB: [usize; 12] = [3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15];

/// Markers that users may place.
const MARKERS: usize = 2;

/// A fit and its errors.
pub struct Fit {
    /// In per cent of the height, by joint of the plan.
    pub errors: Vec<f32>,
    /// The same with one marker, two markers, where the fit was least sure.
    pub with_markers: Vec<Vec<f32>>,
    /// What the confidences follow from, by joint.
    pub doubts: Vec<f32>,
    /// In heights.
    pub spreads: Vec<f32>,
    /// How far one more round would move each joint, in heights.
    pub residuals: Vec<f32>,
    /// Signed distances of the joints from the surface, in heights.
    pub depths: Vec<f32>,
}

/// Fits a body.
pub fn fit(cascade: &Cascade, sample: &Sample) -> Fit {
    let place = |pins: &[Pin]| ensemble::fit(cascade, &HUMANOID, &sample.body, STARTS, pins);
    let errors = |placed: &Placed| -> Vec<f32> {
        sample.joints.iter().zip(&placed.joints).map(|(a, b)| 100.0 * a.distance(*b)).collect()
    };
    let placed = place(&[]);
    let mut pins: Vec<Pin> = Vec::new();
    let mut latest = placed.clone();
    let with_markers = (0..MARKERS)
        .map(|_| {
            pins.extend(next_markers(sample, &latest, &pins));
            latest = place(&pins);
            errors(&latest)
        })
        .collect();
    Fit {
        errors: errors(&placed),
        with_markers,
        depths: placed.joints.iter().map(|&joint| sample.body.distance(joint)).collect(),
        doubts: doubts(&sample.body, &placed),
        spreads: placed.spreads,
        residuals: placed.residuals,
    }
}

/// The pair of joints that the fit is least sure of, where they belong.
fn next_markers(sample: &Sample, placed: &Placed, pins: &[Pin]) -> Vec<Pin> {
    let doubts = doubts(&sample.body, placed);
    let unsure = |&joint: &usize| doubts[joint].max(doubts[HUMANOID.joints[joint].mirror]);
    let is_free = |joint: &usize| pins.iter().all(|pin| pin.joint != *joint);
    let Some(joint) = LIMB.into_iter().filter(is_free).max_by(|a, b| unsure(a).total_cmp(&unsure(b))) else {
        return Vec::new();
    };
    let both = [joint, HUMANOID.joints[joint].mirror];
    both.into_iter().map(|joint| Pin::at(joint, sample.joints[joint])).collect()
}

impl Fit {
    /// The worst error of some joints.
    fn worst(errors: &[f32], joints: &[usize]) -> f32 {
        joints.iter().map(|&joint| errors[joint]).filter(|e| !e.is_nan()).fold(0.0, f32::max)
    }

    /// How unsure the fit is: the largest doubt of a main joint.
    pub fn doubt(&self) -> f32 {
        MAIN.iter().map(|&joint| self.doubts[joint]).fold(0.0, f32::max)
    }

    /// All numbers, as JSON.
    pub fn row(&self, split: &str, source: &str, file: &str, pose: usize) -> String {
        let mut text =
            format!("{{\"split\":\"{split}\",\"source\":\"{source}\",\"file\":\"{file}\",\"pose\":{pose}");
        let lists = [
            ("errors", &self.errors),
            ("markers1", &self.with_markers[0]),
            ("markers2", &self.with_markers[1]),
            ("spreads", &self.spreads),
            ("residuals", &self.residuals),
            ("depths", &self.depths),
        ];
        for (name, list) in lists {
            let numbers: Vec<String> = list
                .iter()
                .map(|number| if number.is_finite() { number.to_string() } else { "null".to_owned() })
                .collect();
            let _ = write!(text, ",\"{name}\":[{}]", numbers.join(","));
        }
        text + "}"
    }
}

/// Median error of main joints, and shares of fits with all main joints below 10 %, limb joints
/// below 5 %, limb joints below 10 %, and the last with two markers; then how well the spread tells
/// bad fits from good ones.
pub fn summary(fits: &[&Fit]) -> String {
    let mut all: Vec<f32> = fits.iter().flat_map(|fit| MAIN.map(|joint| fit.errors[joint])).collect();
    all.retain(|error| !error.is_nan());
    all.sort_by(f32::total_cmp);
    let median = all.get(all.len() / 2).copied().unwrap_or(f32::NAN);
    let share = |good: &dyn Fn(&Fit) -> bool| {
        100.0 * fits.iter().filter(|fit| good(fit)).count() as f32 / fits.len().max(1) as f32
    };
    let within =
        |joints: &'static [usize], limit: f32| share(&|fit: &Fit| Fit::worst(&fit.errors, joints) < limit);
    let marked = |count: usize| share(&|fit: &Fit| Fit::worst(&fit.with_markers[count - 1], &LIMB) < 10.0);
    let (area, caught) = flags(fits);
    let is_bad = |fit: &&&Fit| Fit::worst(&fit.errors, &MAIN) > 10.0;
    let flagged = |wanted: bool| {
        let some: Vec<&&Fit> = fits.iter().filter(|fit| is_bad(fit) == wanted).collect();
        100.0 * some.iter().filter(|fit| fit.doubt() > DOUBTFUL).count() as f32 / some.len() as f32
    };
    format!(
        "{median:5.2} /{:5.1} /{:5.1} /{:5.1}   markers {:5.1} {:5.1}   area {area:.3}, caught {caught:.0} %, \
         flagged {:.0} % of bad, {:.0} % of good   n {}",
        within(&MAIN, 10.0),
        within(&LIMB, 5.0),
        within(&LIMB, 10.0),
        marked(1),
        marked(2),
        flagged(true),
        flagged(false),
        fits.len(),
    )
}

/// The area under the curve of the doubt as a sign of fits that are off by more than 10 %, and the
/// share that is caught with 10 % false alarms.
fn flags(fits: &[&Fit]) -> (f32, f32) {
    let mut ranked: Vec<(f32, bool)> =
        fits.iter().map(|fit| (fit.doubt(), Fit::worst(&fit.errors, &MAIN) > 10.0)).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let bad = ranked.iter().filter(|(_, is_bad)| *is_bad).count() as f32;
    let good = ranked.len() as f32 - bad;
    let (mut below, mut area, mut caught) = (0.0, 0.0, 0.0);
    for (_, is_bad) in &ranked {
        if *is_bad {
            area += below;
            caught += f32::from(u8::from(below >= 0.9 * good));
        } else {
            below += 1.0;
        }
    }
    (area / (bad * good), 100.0 * caught / bad)
}
