//! Bone glow: the closed form compared with the stepped integral, and what it does better than bone
//! heat.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use pliant::model::{Asset, Weights};
use pliant::operators::bvh::{Bvh, Bvh4, Ray, VisibilityFan};
use pliant::pipeline::{Method, Pipeline, Recipe, Silent};
use pliant::samples::{self, SampleCharacter};
use pliant::weights::{Beam, Diffusion, Line, Nearness};

use crate::agreement::{read, rigged};
use crate::bone_heat::correlation;
use crate::fixtures::{Lcg, icosphere};
use crate::shared_models;

/// The paper's integrand at the parameter `share` of the bone, without visibility.
fn integrand(head: DVec3, tail: DVec3, vertex: DVec3, normal: DVec3, share: f64) -> f64 {
    let way = vertex - head.lerp(tail, share);
    let (direction, axis) = (way.normalize_or_zero(), (tail - head).normalize_or_zero());
    direction.dot(normal).max(0.0) / way.length_squared() * direction.cross(axis).length()
}

/// The paper's evaluation: `steps` equal steps, each evaluated at its middle. A step in which
/// visibility or facing changes is divided into as many again, or its width would be the error.
fn stepped(bone: [DVec3; 2], vertex: DVec3, normal: DVec3, sees: &dyn Fn(f64) -> bool) -> f64 {
    const STEPS: usize = 4096;
    let [head, tail] = bone;
    let sum = |from: f64, width: f64, steps: usize| -> f64 {
        let middles = (0..steps).map(|i| from + width * (i as f64 + 0.5) / steps as f64);
        let lit = middles.filter(|&share| sees(share));
        lit.map(|share| integrand(head, tail, vertex, normal, share)).sum::<f64>() * width / steps as f64
    };
    let width = 1.0 / STEPS as f64;
    let total: f64 = (0..STEPS)
        .map(|i| {
            let from = i as f64 * width;
            let faces = |share: f64| (vertex - head.lerp(tail, share)).dot(normal) > 0.0;
            let changes = sees(from) != sees(from + width) || faces(from) != faces(from + width);
            sum(from, width, if changes { 256 } else { 1 })
        })
        .sum();
    total * head.distance(tail)
}

fn unit(rng: &mut Lcg) -> DVec3 {
    rng.point(1.0).as_dvec3().try_normalize().unwrap_or(DVec3::X)
}

#[test]
fn the_closed_form_is_the_limit_of_the_stepped_integral() {
    let mut rng = Lcg(21);
    let mut lit = 0;
    for pair in 0..400 {
        let [head, tail, vertex] = [(); 3].map(|()| rng.point(1.0).as_dvec3());
        let normal = unit(&mut rng);
        let exact = Beam::new(&Line::between(head, tail), vertex, normal).light_except(&mut []);
        let steps = stepped([head, tail], vertex, normal, &|_| true);
        assert!((exact - steps).abs() <= 1e-4 * steps.max(1e-9), "pair {pair}: {exact} and {steps}");
        lit += usize::from(steps > 0.0);
    }
    assert!(lit > 200, "only {lit} pairs are lit at all");
}

#[test]
fn the_closed_form_is_the_limit_of_the_stepped_integral_behind_occluders() {
    let ball = icosphere(3);
    let bvh = Bvh::of(&ball.with_positions(ball.positions().iter().map(|&p| p * 0.4).collect()).unwrap());
    let mut rng = Lcg(22);
    let (mut shadowed, mut pairs) = (0, 0);
    while pairs < 200 {
        let [head, tail, vertex] = [(); 3].map(|()| rng.point(1.0).as_dvec3());
        let normal = unit(&mut rng);
        let outside = [head, tail, vertex].iter().all(|p| p.length() > 0.45);
        let beam = Beam::new(&Line::between(head, tail), vertex, normal);
        if !outside || beam.unoccluded() <= 0.0 {
            continue;
        }
        let sees = |share: f64| {
            bvh.first_hit(&Ray::between(vertex.as_vec3(), head.lerp(tail, share).as_vec3())).is_none()
        };
        let mut hidden = Vec::new();
        Bvh4::of(&bvh).hidden(
            &VisibilityFan::new(vertex, head, tail).unwrap(),
            |_, _| true,
            |shares| hidden.push(shares),
        );
        let is_partly_hidden = !hidden.is_empty() && beam.light_except(&mut hidden) > 0.0;
        let exact = beam.light_except(&mut hidden);
        let steps = stepped([head, tail], vertex, normal, &sees);
        pairs += 1;
        shadowed += usize::from(is_partly_hidden);
        assert!((exact - steps).abs() <= 1e-4 * steps.max(1e-9), "pair {pairs}: {exact} and {steps}");
    }
    assert!(shadowed >= 10, "only {shadowed} pairs are partly in shadow");
}

#[test]
fn vertices_on_the_axis_and_bones_without_length_give_finite_light() {
    let (head, tail) = (DVec3::ZERO, DVec3::X);
    for vertex in [DVec3::X * 2.0, DVec3::X * 0.5, DVec3::ZERO, DVec3::new(0.5, 1e-12, 0.0)] {
        for normal in [DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::ZERO] {
            let light = Beam::new(&Line::between(head, tail), vertex, normal).light_except(&mut []);
            assert!(light.is_finite() && light >= 0.0, "{vertex} facing {normal}: {light}");
        }
    }
    assert_eq!(Beam::new(&Line::between(head, head), DVec3::Y, DVec3::Y).light_except(&mut []), 0.0);
}

fn weights(asset: &Arc<Asset>, recipe: &Recipe) -> Weights {
    let outcome = Pipeline::new(asset.clone()).run(recipe, &mut Silent).unwrap();
    let solve: Vec<usize> = asset.render_from_solve().iter().map(|&v| v as usize).collect();
    outcome.rig.weights().gathered(solve)
}

/// Results of heat and glow on a chest and on limbs.
struct Compared {
    /// Arm weights summed over the chest: of heat with plain distances, of our default heat, of
    /// glow, and of its light alone.
    on_chest: [f64; 4],
    /// The smallest correlation of a limb's weights.
    limbs: f64,
    /// The mean weight of the torso's own joints on the chest with glow.
    torso: f64,
}

impl Compared {
    /// The paper's statements about its pictures, as numbers. Its heat is that of Baran and
    /// Popović, with plain distances. Our default follows Blender, which already leaves the sides
    /// of the chest to the spine, so it is only printed.
    fn assert_as_in_the_paper(&self) {
        let [paper, ours, glow, light] = self.on_chest;
        println!(
            "arms on the chest: heat {paper:.2} (ours {ours:.2}), glow {glow:.2}, light {light:.2}; limbs {:.4}; torso {:.3}",
            self.limbs, self.torso
        );
        assert!(glow <= 0.5 * paper, "glow {glow}, heat {paper}");
        assert!(light <= 0.5 * paper, "light {light}, heat {paper}");
        assert!(glow < ours, "glow {glow}, our heat {ours}");
        assert!(self.limbs >= 0.95, "limbs correlate by {}", self.limbs);
        assert!(self.torso >= 0.5, "the torso's own joints have {} of it", self.torso);
    }
}

/// `is_chest` selects vertices, the lists name joints.
fn compare(asset: &Arc<Asset>, is_chest: &dyn Fn(Vec3) -> bool, names: [&[&str]; 3]) -> Compared {
    let skeleton = rigged(asset, Method::Heat).rig.skeleton;
    let joints = |names: &[&str]| -> Vec<u32> {
        names.iter().filter_map(|name| skeleton.find(name)).map(|joint| joint as u32).collect()
    };
    let [arms, limbs, torso] = names.map(joints);
    assert!(!arms.is_empty() && !limbs.is_empty() && !torso.is_empty());
    let [heat, glow] = [Method::Heat, Method::Glow].map(|method| Recipe { method, ..Recipe::default() });
    let (mut paper, mut light) = (heat.clone(), glow.clone());
    paper.heat.nearness = Nearness::Plain;
    light.glow.diffusion = Diffusion::Off;
    let [paper, heat, glow, light] = [paper, heat, glow, light].map(|recipe| weights(asset, &recipe));
    let chest: Vec<usize> = (0..heat.vertices()).filter(|&v| is_chest(asset.mesh.positions()[v])).collect();
    assert!(chest.len() > 20, "a chest of {} vertices", chest.len());
    let sum = |w: &Weights, of: &[u32]| -> f64 {
        let influences = chest.iter().flat_map(|&v| w.row(v));
        influences.filter(|i| of.contains(&i.column)).map(|i| f64::from(i.weight)).sum()
    };
    let correlations = limbs.iter().map(|&joint| correlation(&heat.column(joint), &glow.column(joint)));
    Compared {
        on_chest: [&paper, &heat, &glow, &light].map(|weights| sum(weights, &arms)),
        limbs: correlations.fold(1.0, f64::min),
        torso: sum(&glow, &torso) / chest.len() as f64,
    }
}

#[test]
fn without_diffusion_weights_are_sharper_and_sum_to_one() {
    let asset = Arc::new(samples::make(SampleCharacter::Arm, 800).unwrap().into_asset("arm"));
    let mut recipe = Recipe { method: Method::Glow, ..Recipe::default() };
    let with = Pipeline::new(asset.clone()).run(&recipe, &mut Silent).unwrap();
    recipe.glow.diffusion = Diffusion::Off;
    let without = Pipeline::new(asset).run(&recipe, &mut Silent).unwrap();
    without.rig.weights().assert_well_formed();
    assert_ne!(with.rig.weights(), without.rig.weights());
}

#[test]
fn arms_have_little_weight_on_the_mannequins_chest() {
    let asset = Arc::new(samples::make(SampleCharacter::Mannequin, 6000).unwrap().into_asset("mannequin"));
    let is_chest = |p: Vec3| p.x.abs() < 0.16 && p.y > 1.1 && p.y < 1.4;
    let limbs = ["forearm.L", "forearm.R", "shin.L", "shin.R", "hand.L", "hand.R"];
    let torso = ["hips", "spine", "chest", "neck", "shoulder.L", "shoulder.R"];
    compare(&asset, &is_chest, [&["upper_arm.L", "upper_arm.R"], &limbs, &torso]).assert_as_in_the_paper();
}

#[test]
fn arms_have_little_weight_on_makehumans_chest() {
    let Some(folder) = shared_models::folder() else { return };
    let asset = Arc::new(read(&folder.join("makehuman/derived/makehuman_body.glb")));
    let is_chest = |p: Vec3| p.x.abs() < 0.16 && p.y > 0.25 && p.y < 0.5;
    let limbs = ["lowerarm01.L", "lowerarm01.R", "lowerleg01.L", "lowerleg01.R"];
    let arms = ["upperarm01.L", "upperarm01.R", "upperarm02.L", "upperarm02.R"];
    let torso = ["spine05", "spine04", "spine03", "spine02", "spine01", "breast.L", "breast.R"];
    compare(&asset, &is_chest, [&arms, &limbs, &torso]).assert_as_in_the_paper();
}
