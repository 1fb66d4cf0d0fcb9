//! The table of all methods and parameters: what they are called, and which values are valid.
//!
//! Ranges are the constants of the types that use them. Words of choices are those that serde
//! writes.

use super::entry::{auto, choices, ends, integer, number, of_method, rig, slider, word, words};
use super::{OFF, VOLUME};
use crate::deform::{CorrectionMap, CorrectionMode, Deformer, VolumeOptions, VolumeScope};
use crate::distance::Metric;
use crate::pipeline::parameter::{
    Choice, Condition, NumberRange, Parameter, ParameterGroup, ParameterKind, ParameterLevel, Scale,
    SliderRange, Special,
};
use crate::pipeline::{Method, Recipe};
use crate::weights::{
    Atlas, Biharmonic, Depth, Diffusion, Distance, Domain, ExampleFit, Heat, LoosePartWeights, Nearness,
    OverlapUnit, Transition, Visibility,
};

/// What a method is called, and what it can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodInfo {
    /// In recipes, links and on the command line.
    pub name: &'static str,
    /// In menus.
    pub label: &'static str,
    /// One sentence with the name of the field and the paper.
    pub help: &'static str,
    /// What a user has or wants who should take it.
    pub use_when: &'static str,
    /// Whether handles on the skin get weights, as bones do.
    pub uses_handles: bool,
}

impl Method {
    /// What it is called, and what it can do.
    pub const fn info(self) -> MethodInfo {
        match self {
            Self::Source => MethodInfo {
                name: "source",
                label: "As in the file",
                help: "The weights of the file, unchanged. A character without weights gets those of the atlas",
                use_when: "A character that moves as its artist intended",
                uses_handles: false,
            },
            Self::Atlas => MethodInfo {
                name: "atlas",
                label: "Atlas",
                help: "Flexible skinning atlas (Hétroy et al. 2009): regions cut at the joints, blended where they \
                       overlap; one number from rigid to soft",
                use_when: "A skeleton, and control over how soft joints are",
                uses_handles: false,
            },
            Self::Distance => MethodInfo {
                name: "distance",
                label: "Inverse distance",
                help: "Inverse distance (Rohmer, Hahmann, Cani 2008): weights fall with a power of the distance to \
                       each visible bone",
                use_when: "A simple reference without a solver",
                uses_handles: false,
            },
            Self::Heat => MethodInfo {
                name: "heat",
                label: "Heat",
                help: "Bone heat (Baran, Popović 2007): heat spreads from the nearest visible bone over the skin; \
                       Blender's automatic weights",
                use_when: "A skeleton, and weights like those of Blender",
                uses_handles: false,
            },
            Self::Glow => MethodInfo {
                name: "glow",
                label: "Glow",
                help: "Bone glow (Wareham, Lasenby 2008): bones light the skin from inside; torsos follow the spine \
                       rather than the arms",
                use_when: "Arms close to the torso",
                uses_handles: false,
            },
            Self::Bbw => MethodInfo {
                name: "bbw",
                label: "Biharmonic",
                help: "Bounded biharmonic weights, BBW (Jacobson et al. 2011): the smoothest weights between 0 and 1, \
                       for bones and handles",
                use_when: "Point handles on the skin, with or without bones",
                uses_handles: true,
            },
            Self::Examples => MethodInfo {
                name: "examples",
                label: "From examples",
                help: "Example fitting (Data-Driven Weight Optimization for Real-Time Mesh Deformation): weights that \
                       reproduce given poses of the character",
                use_when: "Poses of the same mesh that the skin should reproduce",
                uses_handles: true,
            },
        }
    }
}

/// The parameters of a group without their defaults, in the order of panels, help and links.
pub(super) fn of_group(group: ParameterGroup) -> Vec<Parameter> {
    match group {
        ParameterGroup::Rig => {
            let mut parameters = general();
            for more in [atlas(), distance(), heat(), glow(), biharmonic(), examples()] {
                parameters.extend(more);
            }
            parameters.push(loose_parts());
            parameters.push(max_influences());
            parameters
        }
        ParameterGroup::Skinning => vec![deformer()],
        ParameterGroup::PostSkinning => volume(),
    }
}

fn general() -> Vec<Parameter> {
    let mut methods = choices(&Method::ALL, |method| (method.info().label, method.info().help));
    for (choice, method) in methods.choices.iter_mut().zip(Method::ALL) {
        choice.use_when = words(method.info().use_when);
    }
    vec![
        rig("method", "Method", ParameterKind::Choice(methods))
            .help("How weights are computed")
            .level(ParameterLevel::Primary),
    ]
}

fn loose_parts() -> Parameter {
    let sources = choices(&[LoosePartWeights::Body, LoosePartWeights::Method], |source| match source {
        LoosePartWeights::Body => {
            ("Body", "Plates, hats and buttons move as one piece with the skin beneath them")
        }
        LoosePartWeights::Method => ("Method", "Every vertex keeps the weights of the method"),
    });
    let mut parameter = rig("loose_parts", "Loose parts", ParameterKind::Choice(sources))
        .help("Weights of parts of the mesh that no bone runs through")
        .level(ParameterLevel::Advanced);
    parameter.methods = Method::ALL
        .into_iter()
        .filter(|method| !matches!(method, Method::Source | Method::Examples))
        .collect();
    parameter
}

fn max_influences() -> Parameter {
    let (min, max) = Recipe::INFLUENCES.into_inner();
    let mut parameter =
        rig("max_influences", "Max influences", ParameterKind::Number(integer(min as f64..=max as f64)))
            .help("The largest number of joints per vertex. Engines expect 4; more need JOINTS_1");
    parameter.methods = Method::ALL.into_iter().filter(|&method| method != Method::Source).collect();
    parameter
}

fn deformer() -> Parameter {
    let deformers = choices(&Deformer::ALL, |deformer| match deformer {
        Deformer::Linear => {
            ("Linear", "Linear blend skinning: what every engine does; loses volume in bends and twists")
        }
        Deformer::DualQuaternion => (
            "Dual quaternion",
            "Dual quaternion skinning: keeps twisted limbs thick; bulges a little in bends",
        ),
    });
    let mut parameter = rig("deformer", "Deformer", ParameterKind::Choice(deformers))
        .help("How the motions of joints are blended");
    parameter.group = ParameterGroup::Skinning;
    parameter
}

fn atlas() -> Vec<Parameter> {
    let softness = || NumberRange {
        slider: SliderRange { min: 0.0, max: Atlas::SLIDER_K, scale: Scale::Power(2.0) },
        ends: ends("Rigid", "Soft"),
        ..number(Atlas::KS, 0.01)
    };
    let metrics = || {
        choices(&[Metric::Smooth, Metric::Dijkstra, Metric::Harmonic, Metric::Euclidean], |metric| {
            match metric {
                Metric::Smooth => ("Geodesic", "Along the surface, across its triangles (fast marching)"),
                Metric::Dijkstra => ("Edge paths", "Along the edges of the mesh (Dijkstra), as in the paper"),
                Metric::Harmonic => ("Harmonic", "By Laplace's equation between the boundary curves"),
                Metric::Euclidean => {
                    ("Euclidean", "Straight through space: fast, but fingers side by side are near")
                }
            }
        })
    };
    let mut overlap_metrics = metrics();
    overlap_metrics.add_none("same", "Same metric", "Measured as for the weights");
    let mut transitions = choices(&Transition::PRESETS.map(|(_, preset)| preset), |preset| match preset {
        Transition::Cubic => ("Cubic", "Zero slope at both ends, as in the paper"),
        Transition::Quintic => ("Quintic", "Zero slope and curvature at both ends"),
        Transition::Linear => ("Linear", "Has a kink where an overlap ends"),
        Transition::Curve(_) => ("Curve", "Through points of your own"),
    });
    transitions.choices.push(Choice {
        value: CURVE.into(),
        label: words("Custom curve"),
        help: words("A monotone curve through two points of your own"),
        ..Choice::default()
    });
    let depths = choices(&[Depth::Widths, Depth::Lengths], |depth| match depth {
        Depth::Widths => ("Overlap widths", "In widths of the overlaps: even on every boundary"),
        Depth::Lengths => {
            ("Lengths", "In lengths, relative to the deepest vertex of the region, as in the paper")
        }
    });
    let guard = NumberRange {
        slider: SliderRange { min: 1.0, max: 8.0, scale: Scale::Linear },
        special: Some(Special { word: OFF.into(), label: words("Off"), value: None }),
        ..integer(0.0..=100.0)
    };
    let units = choices(&[OverlapUnit::Loop, OverlapUnit::Bone], |unit| match unit {
        OverlapUnit::Loop => {
            ("Loop", "The loop around the joint, as in the paper: K is the same for all joints")
        }
        OverlapUnit::Bone => {
            ("Loop and bone", "The mean of the loop's radius and the shorter bone: K by joint")
        }
    });
    let euclidean = || vec!["euclidean".to_owned()];
    let parameters = vec![
        rig("atlas.k", "Softness (K)", ParameterKind::Number(softness()))
            .help("Overlap size: 0 is rigid, 0.5 the usual width, 2 very soft. Double-click resets it")
            .level(ParameterLevel::Primary),
        rig("atlas.k_joints", "Softness by joint", ParameterKind::NumberByJoint(NumberRange { ends: None, ..softness() }))
            .help("Overlap size at some joints, in place of the common one"),
        rig("atlas.distance", "Metric", ParameterKind::Choice(metrics()))
            .help("How distances from the boundaries of regions are measured"),
        rig("atlas.overlap_distance", "Overlap metric", ParameterKind::Choice(overlap_metrics))
            .help("How distances are measured for the size of the overlaps"),
        rig("atlas.guard", "Hierarchy guard", ParameterKind::Number(guard))
            .help(
                "With the Euclidean metric: how many bones away from a joint an overlap may reach. Off lets overlaps \
                 reach whatever is near, such as another finger",
            )
            .when(vec![
                vec![Condition { path: "atlas.overlap_distance".into(), values: euclidean() }],
                vec![
                    Condition { path: "atlas.overlap_distance".into(), values: vec!["same".into()] },
                    Condition { path: "atlas.distance".into(), values: euclidean() },
                ],
            ]),
        rig("atlas.transition", "Transition", ParameterKind::Transition(transitions))
            .help("How weights fade across an overlap"),
        rig("atlas.depth", "Depth", ParameterKind::Choice(depths))
            .help("How the depth of a vertex in a region is measured")
            .level(ParameterLevel::Advanced),
        rig("atlas.unit", "Overlap unit", ParameterKind::Choice(units))
            .help("What K multiplies to give the size of an overlap")
            .level(ParameterLevel::Advanced),
    ];
    of_method(Method::Atlas, parameters)
}

/// The word of a transition curve in menus; in text a curve is its points.
const CURVE: &str = "curve";

fn distance() -> Vec<Parameter> {
    let falloff = NumberRange { slider: slider(&Distance::FALLOFFS, 3.0), ..number(Distance::FALLOFFS, 0.1) };
    let visibilities =
        choices(&[Visibility::Exact, Visibility::Cheap, Visibility::Off], |visibility| match visibility {
            Visibility::Exact => {
                ("Exact", "A bone counts where the straight way to it stays inside the body (ray test)")
            }
            Visibility::Cheap => {
                ("By normal", "A bone counts where the way to it leaves inwards, by the vertex normal alone")
            }
            Visibility::Off => ("Off", "Every bone counts everywhere"),
        });
    let parameters = vec![
        rig("distance.falloff", "Distance exponent", ParameterKind::Number(falloff))
            .help("How fast the weight of a bone falls with distance: small is soft, large is rigid"),
        rig("distance.visibility", "Visibility", ParameterKind::Choice(visibilities))
            .help("Which bones a vertex sees"),
    ];
    of_method(Method::Distance, parameters)
}

/// Bone heat and bone glow have the same one.
fn conductance(path: &'static str) -> Parameter {
    let conductance =
        NumberRange { slider: slider(&Heat::CONDUCTANCES, 4.0), ..number(Heat::CONDUCTANCES, 0.01) };
    rig(path, "Conductance", ParameterKind::Number(conductance))
        .help("How strongly bones keep the skin: small is soft, large is rigid")
}

fn heat() -> Vec<Parameter> {
    let nearness = choices(&[Nearness::Facing, Nearness::Plain], |nearness| match nearness {
        Nearness::Facing => {
            ("Facing", "Bones straight behind the skin count as nearer than those beside it, as in Blender")
        }
        Nearness::Plain => {
            ("Plain", "By distance alone, as in the paper: arms take much of the chest's sides")
        }
    });
    let parameters = vec![
        conductance("heat.conductance"),
        rig("heat.nearness", "Nearest bone", ParameterKind::Choice(nearness))
            .help("Which bone counts as the nearest to a vertex"),
    ];
    of_method(Method::Heat, parameters)
}

fn glow() -> Vec<Parameter> {
    let diffusion = choices(&[Diffusion::On, Diffusion::Off], |diffusion| match diffusion {
        Diffusion::On => ("On", "Light diffuses over the skin, as in the paper"),
        Diffusion::Off => ("Off", "Weights are the shares of light as received"),
    });
    let on = Condition { path: "glow.diffusion".into(), values: vec!["on".into()] };
    let parameters = vec![
        rig("glow.diffusion", "Diffusion", ParameterKind::Choice(diffusion))
            .help("Whether light spreads over the skin"),
        conductance("glow.conductance").when(vec![vec![on]]),
    ];
    of_method(Method::Glow, parameters)
}

fn biharmonic() -> Vec<Parameter> {
    let domains = choices(&[Domain::Auto, Domain::Surface, Domain::Volume], |domain| match domain {
        Domain::Auto => ("Auto", "The interior of closed meshes with bones, else the surface"),
        Domain::Surface => ("Surface", "Weights are smooth on the surface"),
        Domain::Volume => ("Volume", "Weights are smooth in the interior, on a lattice"),
    });
    let (min, max) = Biharmonic::CELLS.into_inner();
    let cells = NumberRange {
        slider: SliderRange { min: 500.0, max: 20_000.0, scale: Scale::Log },
        special: Some(auto()),
        ends: ends("Automatic", "Fine"),
        ..integer(min as f64..=max as f64)
    };
    let inside = Condition { path: "bbw.domain".into(), values: vec!["auto".into(), "volume".into()] };
    let parameters = vec![
        rig("bbw.domain", "Domain", ParameterKind::Choice(domains)).help("Where weights are smooth"),
        rig("bbw.cells", "Lattice cells", ParameterKind::Number(cells))
            .help("About how many lattice cells the interior has. More is slower; with few, fingers share cells")
            .level(ParameterLevel::Advanced)
            .when(vec![vec![inside]]),
    ];
    of_method(Method::Bbw, parameters)
}

fn examples() -> Vec<Parameter> {
    let strength =
        |slider: SliderRange, step: f64| NumberRange { slider, ..number(ExampleFit::STRENGTHS, step) };
    let sparsity = NumberRange {
        special: Some(auto()),
        ends: ends("Automatic", "Clear borders"),
        ..strength(SliderRange { min: 1e-13, max: 1e-4, scale: Scale::Log }, 1e-15)
    };
    let rigidity = NumberRange {
        ends: ends("Follows the poses", "Stays stiff"),
        ..strength(SliderRange { min: 1e-9, max: 1.0, scale: Scale::Log }, 1e-11)
    };
    let groups = NumberRange {
        slider: SliderRange { min: 0.0, max: 200.0, scale: Scale::Power(2.0) },
        special: Some(auto()),
        ends: ends("Automatic", "Many"),
        ..integer(ExampleFit::GROUPS)
    };
    let iterations = NumberRange {
        slider: SliderRange { min: 1.0, max: 300.0, scale: Scale::Linear },
        ..integer(ExampleFit::ITERATIONS)
    };
    let data = strength(SliderRange { min: 0.0, max: 1.0, scale: Scale::Linear }, 0.01);
    let stiffness = strength(SliderRange { min: 1e-6, max: 1.0, scale: Scale::Log }, 1e-8);
    let parameters = vec![
        rig("examples.sparsity", "Sparsity (λ1)", ParameterKind::Number(sparsity)).help(
            "Cost of influences far from their joint, and of weights that change: large gives few, clear borders. \
             Automatic follows the noise in the poses",
        ),
        rig("examples.rigidity", "Rigidity (λ2)", ParameterKind::Number(rigidity))
            .help("Cost of bending groups of edges: large is stiffer between the examples"),
        rig("examples.groups", "Rigid groups", ParameterKind::Number(groups))
            .help("How many groups of edges rotate as one. Automatic is two per joint"),
        rig("examples.data", "Data term (μ)", ParameterKind::Number(data))
            .help("How much the examples count; 0 ignores them")
            .level(ParameterLevel::Advanced),
        rig("examples.stiffness", "Stiffness (λ3)", ParameterKind::Number(stiffness))
            .help("Cost of a joint's motion that is not rigid: small lets joints stretch, and weights blur")
            .level(ParameterLevel::Advanced),
        rig("examples.iterations", "Max iterations", ParameterKind::Number(iterations))
            .help("The fit ends after this many iterations, converged or not")
            .level(ParameterLevel::Advanced),
    ];
    of_method(Method::Examples, parameters)
}

fn volume() -> Vec<Parameter> {
    let mut maps = choices(
        &[CorrectionMap::Local, CorrectionMap::Organic, CorrectionMap::Rubber, CorrectionMap::Uniform],
        |map| match map {
            CorrectionMap::Local => {
                ("Per segment", "Each segment keeps its volume, and bulges where it bends")
            }
            CorrectionMap::Organic => {
                ("Organic", "Each part keeps its volume; skin far from the bones moves")
            }
            CorrectionMap::Rubber => ("Rubber", "Each part keeps its volume; joints swell evenly all around"),
            CorrectionMap::Uniform => ("Uniform", "All vertices move alike; a reference, not for production"),
        },
    );
    maps.choices.insert(
        0,
        Choice { value: OFF.into(), label: words("Off"), help: words("Skinning alone"), ..Choice::default() },
    );
    let modes = choices(&[CorrectionMode::Exact, CorrectionMode::Paper], |mode| match mode {
        CorrectionMode::Exact => ("Exact", "Until the volume is that of the rest pose"),
        CorrectionMode::Paper => {
            ("Linearised (Rohmer 2008)", "One linear step, as published: some of the error remains")
        }
    });
    let mut scopes = choices(&[VolumeScope::Segments, VolumeScope::Whole], |scope| match scope {
        VolumeScope::Segments => ("Segments", "The vertices of each joint keep their volume"),
        VolumeScope::Whole => ("Parts", "Each connected part keeps its volume"),
    });
    scopes.add_none("auto", "Auto", "Segments with the map Per segment, else parts");
    let exponent = || ParameterKind::Number(number(VolumeOptions::EXPONENTS, 0.05));
    let with = |maps: &[CorrectionMap]| {
        vec![vec![Condition { path: VOLUME.into(), values: maps.iter().map(word).collect() }]]
    };
    let all = || with(&CorrectionMap::ALL);
    let with_distance = || with(&[CorrectionMap::Organic, CorrectionMap::Local]);
    let mut parameters = vec![
        rig(VOLUME, "Preserve volume", ParameterKind::Choice(maps))
            .help("Whether volume lost by skinning is restored, and which vertices move for it")
            .level(ParameterLevel::Primary),
        rig("volume.alpha", "At joints (α)", exponent())
            .help("How strongly the correction concentrates at joints: 0 is everywhere alike")
            .when(with(&[CorrectionMap::Rubber, CorrectionMap::Organic, CorrectionMap::Local])),
        rig("volume.beta", "Distance from bone (β)", exponent())
            .help("How strongly the correction concentrates far from the bones: 0 is all around them")
            .when(with_distance()),
        rig("volume.mode", "Mode", ParameterKind::Choice(modes)).help("How far the correction goes").when(all()),
        rig("volume.scope", "Scope", ParameterKind::Choice(scopes))
            .help("What keeps its volume")
            .level(ParameterLevel::Advanced)
            .when(all()),
        rig("volume.where_bent", "Only where the pose bends", ParameterKind::Toggle)
            .help("Vertices move only near joints that the pose bends. In exact mode, not with the uniform map")
            .level(ParameterLevel::Advanced)
            .when(with(&[CorrectionMap::Rubber, CorrectionMap::Organic, CorrectionMap::Local])),
        rig("volume.excluded", "Excluded bones", ParameterKind::Joints)
            .help("Joints whose bones do not count for the distance from a bone, such as the legs below a belly")
            .when(with_distance()),
        rig("fold_guard", "Prevent self-intersection", ParameterKind::Toggle)
            .help("Keeps the skin of bent joints from passing through itself"),
    ];
    parameters.iter_mut().for_each(|parameter| parameter.group = ParameterGroup::PostSkinning);
    parameters
}
