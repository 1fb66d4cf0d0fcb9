//! Writes everything that fits say, for studies of doubt and of front and back.

use std::fmt::Write as _;
use std::io::Write;

use glam::Vec3;
use pliant_fitting::cascade::Cascade;
use pliant_fitting::ensemble::{self, STARTS};
use pliant_fitting::facing::{HALF_TURN, describe};
use pliant_fitting::network::Network;
use pliant_fitting::orientation;
use pliant_fitting::plans::humanoid::HUMANOID;
use pliant_fitting::table::Table;

use crate::dataset::Sample;
use crate::facing;
use crate::mlp::Training;
use crate::parallel::map;
use crate::{Arguments, Data, chosen, dataset, orient};

fn list(text: &mut String, name: &str, values: impl Iterator<Item = f32>) {
    let numbers: Vec<String> =
        values.map(|x| if x.is_finite() { format!("{x:.5}") } else { "null".to_owned() }).collect();
    let _ = write!(text, ",\"{name}\":[{}]", numbers.join(","));
}

fn points(text: &mut String, name: &str, values: &[Vec3]) {
    list(text, name, values.iter().flat_map(|p| p.to_array()));
}

fn row(head: &str, cascade: &Cascade, orientation_network: &Network, nets: &[Network], sample: &Sample) -> String {
    let mut text = head.to_owned();
    let turned = sample.body.turned(&HALF_TURN);
    let front = ensemble::fit(cascade, &HUMANOID, &sample.body, STARTS, &[]);
    let back = ensemble::fit(cascade, &HUMANOID, &turned, STARTS, &[]);
    points(&mut text, "truth", &sample.joints);
    points(&mut text, "joints", &front.joints);
    points(&mut text, "back", &back.joints);
    points(&mut text, "guess", &front.guess);
    points(&mut text, "fits", &front.fits.concat());
    list(&mut text, "spreads", front.spreads.iter().copied());
    list(&mut text, "residuals", front.residuals.iter().copied());
    list(&mut text, "back_spreads", back.spreads.iter().copied());
    list(&mut text, "back_residuals", back.residuals.iter().copied());
    list(&mut text, "depths", front.joints.iter().map(|&j| sample.body.distance(j)));
    let scores = orientation::scores(orientation_network, &orient::points(sample));
    list(&mut text, "scores", scores.iter().map(|s| s[0]));
    let (a, b) = (describe(&sample.body, &front.joints), describe(&turned, &back.joints));
    list(&mut text, "facing", nets.iter().map(|net| facing_score(net, &a, &b)));
    list(&mut text, "ahead", a.into_iter());
    list(&mut text, "behind", b.into_iter());
    text + "}"
}

fn facing_score(network: &Network, a: &[f32], b: &[f32]) -> f32 {
    pliant_fitting::facing::score(network, a, b)
}

pub fn run(data: &Data, arguments: &Arguments) {
    let kept = arguments.text("keep", "/tmp/table");
    let folder = arguments.text("to", "/tmp/fitrun/study");
    let made = dataset::made_up_with_front(arguments.count("fresh", 300), 99);
    for split in chosen(data, arguments) {
        let Ok(bytes) = std::fs::read(format!("{kept}-{}", split.name.replace(' ', "-"))) else { continue };
        let start = std::time::Instant::now();
        let cascade = Table::from_bytes(&bytes).expect("a table").humanoid;
        let (all, _) = data.training(|c| split.is_out[c], 0.5);
        let mut training: Vec<&Sample> = all
            .into_iter()
            .enumerate()
            .filter(|(i, s)| s.character != usize::MAX || i % 2 == 0)
            .map(|(_, s)| s)
            .collect();
        training.extend(&data.fronted);
        let orientation_network = orient::train_network(&training);
        eprintln!("orientation {:.0?}", start.elapsed());
        let rows = facing::descriptions(&cascade, &training);
        eprintln!("descriptions {:.0?}", start.elapsed());
        let configurations: Vec<(Vec<usize>, f32, f32, usize)> = vec![
            (vec![12], 0.05, 0.15, 16),
            (vec![24, 12], 0.02, 0.15, 16),
            (vec![48, 16], 0.02, 0.3, 24),
        ];
        let nets = map(&configurations, |(hidden, decay, noise, epochs)| {
            let how = Training {
                epochs: *epochs,
                decay: *decay,
                huber: 0.7,
                input_noise: *noise,
                ..Training::default()
            };
            facing::train_on(&rows, hidden, &how)
        });
        eprintln!("networks {:.0?}", start.elapsed());
        let name = split.name.replace(' ', "-");
        let judged: Vec<&Sample> = data.judged.iter().filter(|s| split.is_out[s.character]).collect();
        let random = data.random.iter().filter(|s| split.is_out[s.character]).step_by(3);
        let all: Vec<&Sample> = judged.iter().copied().chain(random).chain(&made).collect();
        let lines = map(&all, |sample| {
            let (source, file) = data
                .characters
                .get(sample.character)
                .map_or(("made-up", "none"), |c| (c.source.as_str(), c.file.as_str()));
            let pose = if sample.pose == usize::MAX { -1 } else { sample.pose as i32 };
            let head = format!(
                "{{\"split\":\"{}\",\"source\":\"{source}\",\"file\":\"{file}\",\"pose\":{pose}",
                split.name
            );
            row(&head, &cascade, &orientation_network, &nets, sample)
        });
        let mut out = std::fs::File::create(format!("{folder}-{name}.jsonl")).expect("writable");
        for line in lines {
            writeln!(out, "{line}").expect("writable");
        }
        eprintln!("{} {:.0?}", split.name, start.elapsed());
    }
}
