//! The table of all parameters, and of the methods.
//!
//! Command-line options, attributes, links, panel controls and range checks derive from this table.
//! Ranges are the constants of the types that use them. Defaults are read from the default values
//! of the types. Words of choices are those that serde writes.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Value, json};

use super::parameter::{
    Choice, Choices, Condition, NumberRange, Parameter, ParameterError, ParameterGroup, ParameterKind,
    ParameterLevel, Scale, SliderRange, Special, set_value_at, value_at,
};
use super::{Method, Recipe};
use crate::deform::{
    CorrectionMap, CorrectionMode, Deformer, PostSkinningOptions, VolumeOptions, VolumeScope,
};
use crate::distance::Metric;
use crate::weights::{
    Atlas, Biharmonic, Depth, Diffusion, Distance, Domain, ExampleFit, Heat, Nearness, Transition, Visibility,
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

/// All parameters, in the order of panels, help and links.
pub static PARAMETERS: LazyLock<Vec<Parameter>> = LazyLock::new(|| {
    let defaults = defaults();
    let mut parameters = [general(), atlas(), distance(), heat(), glow(), biharmonic(), examples()].concat();
    parameters.extend([max_influences(), deformer()]);
    parameters.extend(volume());
    for parameter in &mut parameters {
        let default = if parameter.path == VOLUME {
            Some(OFF.into())
        } else {
            value_at(&defaults, &parameter.path).cloned()
        };
        parameter.default = default.unwrap_or_default();
    }
    parameters
});

/// The parameters of a group.
pub fn parameters_of(group: ParameterGroup) -> impl Iterator<Item = &'static Parameter> {
    PARAMETERS.iter().filter(move |parameter| parameter.group == group)
}

/// Checks the parameters of a group that a document has.
///
/// # Errors
/// The first invalid value.
pub fn check_values(group: ParameterGroup, document: &Value) -> Result<(), ParameterError> {
    parameters_of(group).try_for_each(|parameter| match value_at(document, &parameter.path) {
        Some(value) => parameter.check(value),
        None => Ok(()),
    })
}

/// The options that values of [`ParameterGroup::PostSkinning`] stand for. Missing values have their
/// defaults.
///
/// # Errors
/// The first invalid value.
pub fn post_skinning_options(
    values: &[(&'static Parameter, Value)],
) -> Result<PostSkinningOptions, ParameterError> {
    let mut document = json!({ VOLUME: VolumeOptions::default() });
    let mut is_on = false;
    for (parameter, value) in values {
        parameter.check(value)?;
        if parameter.path == VOLUME {
            is_on = value != OFF;
        }
        let path = if parameter.path == VOLUME { "volume.map" } else { parameter.path.as_str() };
        if parameter.path != VOLUME || is_on {
            set_value_at(&mut document, path, value.clone());
        }
    }
    if !is_on {
        document[VOLUME] = Value::Null;
    }
    // Checked above: every value is one that serde writes.
    Ok(serde_json::from_value(document).unwrap_or_default())
}

/// The path of the correction map. In [`PostSkinningOptions`] it is `volume.map`, and [`OFF`] is
/// the absence of `volume`.
const VOLUME: &str = "volume";

/// The word for no volume correction.
const OFF: &str = "off";

/// The document that paths refer to.
fn defaults() -> Value {
    let mut document = serde_json::to_value(Recipe::default()).unwrap_or_default();
    let PostSkinningOptions { fold_guard, .. } = PostSkinningOptions::default();
    set_value_at(&mut document, "deformer", json!(Deformer::default()));
    set_value_at(&mut document, VOLUME, json!(VolumeOptions::default()));
    set_value_at(&mut document, "fold_guard", json!(fold_guard));
    document
}

fn general() -> Vec<Parameter> {
    let mut methods = choices(&Method::ALL, |method| (method.info().label, method.info().help));
    for (choice, method) in methods.choices.iter_mut().zip(Method::ALL) {
        choice.use_when = method.info().use_when.into();
    }
    vec![
        rig("method", "Method", ParameterKind::Choice(methods))
            .help("How weights are computed")
            .level(ParameterLevel::Primary),
    ]
}

fn max_influences() -> Parameter {
    let (min, max) = Recipe::INFLUENCES.into_inner();
    rig("max_influences", "Max influences", ParameterKind::Number(integer(min as f64..=max as f64)))
        .help("The largest number of joints per vertex. Engines expect 4; more need JOINTS_1")
}

fn deformer() -> Parameter {
    let words = choices(&Deformer::ALL, |deformer| match deformer {
        Deformer::Linear => {
            ("Linear", "Linear blend skinning: what every engine does; loses volume in bends and twists")
        }
        Deformer::DualQuaternion => (
            "Dual quaternion",
            "Dual quaternion skinning: keeps twisted limbs thick; bulges a little in bends",
        ),
    });
    let mut parameter = rig("deformer", "Deformer", ParameterKind::Choice(words))
        .help("How the motions of joints are blended");
    parameter.group = ParameterGroup::Skinning;
    parameter
}

fn atlas() -> Vec<Parameter> {
    let softness = || NumberRange {
        slider: SliderRange { min: 0.0, max: Atlas::SLIDER_K, scale: Scale::Power(2.0) },
        ends: Some(["Rigid".into(), "Soft".into()]),
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
        label: "Custom curve".into(),
        help: "A monotone curve through two points of your own".into(),
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
        special: Some(Special { word: OFF.into(), label: "Off".into(), value: None }),
        ..integer(0.0..=100.0)
    };
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
        ends: Some(["Automatic".into(), "Fine".into()]),
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
        ends: Some(["Automatic".into(), "Clear borders".into()]),
        ..strength(SliderRange { min: 1e-13, max: 1e-4, scale: Scale::Log }, 1e-15)
    };
    let rigidity = NumberRange {
        ends: Some(["Follows the poses".into(), "Stays stiff".into()]),
        ..strength(SliderRange { min: 1e-9, max: 1.0, scale: Scale::Log }, 1e-11)
    };
    let groups = NumberRange {
        slider: SliderRange { min: 0.0, max: 200.0, scale: Scale::Power(2.0) },
        special: Some(auto()),
        ends: Some(["Automatic".into(), "Many".into()]),
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
        Choice { value: OFF.into(), label: "Off".into(), help: "Skinning alone".into(), ..Choice::default() },
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

/// A parameter of the recipe for all methods; its default is filled in later.
fn rig(path: &str, label: &str, kind: ParameterKind) -> Parameter {
    Parameter {
        path: path.into(),
        group: ParameterGroup::Rig,
        methods: Vec::new(),
        label: label.into(),
        help: String::new(),
        kind,
        default: Value::Null,
        level: ParameterLevel::Common,
        when: Vec::new(),
    }
}

impl Parameter {
    fn help(mut self, help: &str) -> Self {
        self.help = help.into();
        self
    }

    fn level(mut self, level: ParameterLevel) -> Self {
        self.level = level;
        self
    }

    fn when(mut self, when: Vec<Vec<Condition>>) -> Self {
        self.when = when;
        self
    }
}

fn of_method(method: Method, mut parameters: Vec<Parameter>) -> Vec<Parameter> {
    parameters.iter_mut().for_each(|parameter| parameter.methods = vec![method]);
    parameters
}

impl Choices {
    /// Adds the word that is null in JSON, as the first one.
    fn add_none(&mut self, value: &str, label: &str, help: &str) {
        self.choices.insert(
            0,
            Choice { value: value.into(), label: label.into(), help: help.into(), ..Choice::default() },
        );
        self.none = Some(value.into());
    }
}

/// The word that serde writes for a variant without fields.
fn word<T: Serialize>(variant: &T) -> String {
    let value = serde_json::to_value(variant).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

/// The variants of an enum with label and help of each.
fn choices<T: Serialize>(variants: &[T], words: impl Fn(&T) -> (&'static str, &'static str)) -> Choices {
    let choice = |variant: &T| {
        let (label, help) = words(variant);
        Choice { value: word(variant), label: label.into(), help: help.into(), ..Choice::default() }
    };
    Choices { choices: variants.iter().map(choice).collect(), none: None }
}

/// A number with a slider over the whole range.
fn number(range: RangeInclusive<f64>, step: f64) -> NumberRange {
    let slider = slider(&range, 1.0);
    let (min, max) = range.into_inner();
    NumberRange { min, max, is_integer: false, step, slider, special: None, ends: None, unit: None }
}

/// An integer with a slider over the whole range.
fn integer(range: RangeInclusive<f64>) -> NumberRange {
    NumberRange { is_integer: true, ..number(range, 1.0) }
}

/// A slider over the whole range; above a power of 1, small values get more of it.
fn slider(range: &RangeInclusive<f64>, power: f64) -> SliderRange {
    let scale = if power == 1.0 { Scale::Linear } else { Scale::Power(power) };
    SliderRange { min: *range.start(), max: *range.end(), scale }
}

/// 0 for a value that is computed.
fn auto() -> Special {
    Special { word: "auto".into(), label: "Auto".into(), value: Some(0.0) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_parameter_has_a_valid_default_and_words() {
        let defaults = defaults();
        for parameter in PARAMETERS.iter() {
            let path = &parameter.path;
            assert!(value_at(&defaults, path).is_some(), "{path} is not in the default document");
            assert_eq!(parameter.check(&parameter.default), Ok(()), "{path}");
            assert!(!parameter.label.is_empty() && !parameter.help.is_empty(), "{path}");
            if let ParameterKind::Choice(choices) | ParameterKind::Transition(choices) = &parameter.kind {
                let words: BTreeSet<&str> = choices.words().into_iter().collect();
                assert_eq!(words.len(), choices.choices.len(), "{path} has a word twice");
                assert!(choices.choices.iter().all(|each| !each.label.is_empty() && !each.help.is_empty()));
            }
            if let ParameterKind::Number(number) | ParameterKind::NumberByJoint(number) = &parameter.kind {
                assert!(number.min < number.max && number.step > 0.0, "{path}");
                let SliderRange { min, max, .. } = number.slider;
                assert!(number.min <= min && min < max && max <= number.max, "{path}");
            }
            for condition in parameter.when.iter().flatten() {
                let other = PARAMETERS.iter().find(|other| other.path == condition.path).unwrap();
                assert!(condition.values.iter().all(|value| other.parse(value).is_ok()), "{path}");
            }
        }
    }

    #[test]
    fn every_leaf_of_the_default_recipe_is_a_parameter() {
        fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
            match value.as_object().filter(|members| !members.is_empty()) {
                Some(members) => members.iter().for_each(|(key, value)| {
                    let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    leaves(value, &path, found);
                }),
                None => found.push(path.to_owned()),
            }
        }
        let mut found = Vec::new();
        leaves(&Recipe::default().to_value(), "", &mut found);
        // Not set by a control: the version, and what belongs to joints and places of one
        // character.
        found.retain(|path| !["version", "deforms", "handles"].contains(&path.as_str()));
        let mut paths: Vec<String> =
            parameters_of(ParameterGroup::Rig).map(|parameter| parameter.path.clone()).collect();
        found.sort();
        paths.sort();
        assert_eq!(found, paths);
        let mut volume = Vec::new();
        leaves(&json!({ "volume": VolumeOptions::default() }), "", &mut volume);
        for path in volume.iter().filter(|path| *path != "volume.map") {
            assert!(PARAMETERS.iter().any(|parameter| parameter.path == *path), "{path}");
        }
    }

    #[test]
    fn no_path_and_no_option_and_no_label_of_a_panel_occurs_twice() {
        let all =
            |name: fn(&Parameter) -> String| -> BTreeSet<String> { PARAMETERS.iter().map(name).collect() };
        assert_eq!(all(|parameter| parameter.path.clone()).len(), PARAMETERS.len());
        assert_eq!(all(Parameter::option_name).len(), PARAMETERS.len());
        for method in Method::ALL {
            let labels: Vec<&str> = PARAMETERS
                .iter()
                .filter(|parameter| parameter.is_used_by(method))
                .map(|parameter| parameter.label.as_str())
                .collect();
            assert_eq!(labels.iter().collect::<BTreeSet<_>>().len(), labels.len(), "{labels:?}");
        }
    }

    #[test]
    fn names_of_methods_are_those_of_recipes() {
        for method in Method::ALL {
            assert_eq!(word(&method), method.name());
        }
    }

    #[test]
    fn values_are_the_same_after_writing_as_text_and_reading() {
        for parameter in PARAMETERS.iter() {
            let values: Vec<Value> = match &parameter.kind {
                ParameterKind::Number(number) => {
                    let special = number.special.iter().map(|special| json!(special.value));
                    [number.min, number.max].map(|x| number.value(x)).into_iter().chain(special).collect()
                }
                ParameterKind::NumberByJoint(number) => vec![json!({ "a=b": number.max })],
                ParameterKind::Choice(choices) => {
                    choices.words().iter().map(|word| parameter.parse(word).unwrap()).collect()
                }
                ParameterKind::Toggle => vec![true.into(), false.into()],
                ParameterKind::Transition(_) => {
                    vec!["quintic".into(), json!({ "curve": [[0.3, 0.1], [0.7, 0.9]] })]
                }
                ParameterKind::Joints => vec![json!(["thigh.L"])],
            };
            for value in values {
                let texts = parameter.texts(&value);
                let [text] = &texts[..] else { panic!("{texts:?}") };
                let read = parameter.parse(text);
                let is_same = |read: &Value| *read == value || read.as_f64() == value.as_f64();
                assert!(read.as_ref().is_ok_and(is_same), "{} {text}: {read:?}", parameter.path);
            }
        }
    }

    #[test]
    fn a_recipe_with_a_value_that_is_not_finite_is_refused() {
        let mut recipe = Recipe::default();
        recipe.atlas.k = f64::NAN;
        assert_eq!(
            recipe.check().unwrap_err().to_string(),
            "atlas.k is null; expected a number from 0 to 100"
        );
    }

    #[test]
    fn post_skinning_options_follow_from_values() {
        let value = |path: &str, text: &str| {
            let parameter = PARAMETERS.iter().find(|parameter| parameter.path == path).unwrap();
            (parameter, parameter.parse(text).unwrap())
        };
        assert_eq!(post_skinning_options(&[]), Ok(PostSkinningOptions::default()));
        let off = [value("volume", "off"), value("volume.alpha", "2"), value("fold_guard", "on")];
        assert_eq!(post_skinning_options(&off), Ok(PostSkinningOptions { volume: None, fold_guard: true }));
        let local = [
            value("volume.excluded", "a"),
            value("volume.alpha", "2"),
            value("volume.excluded", "b"),
            value("volume", "rubber"),
        ];
        let volume = VolumeOptions {
            alpha: 2.0,
            excluded: vec!["a".into(), "b".into()],
            ..VolumeOptions::of(CorrectionMap::Rubber)
        };
        assert_eq!(
            post_skinning_options(&local),
            Ok(PostSkinningOptions { volume: Some(volume), fold_guard: false })
        );
    }
}
