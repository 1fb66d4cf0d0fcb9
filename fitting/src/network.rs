//! Small networks: dense layers with rectifiers between them.

/// One layer: `y = W D x + b` with a diagonal matrix `D`.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// Number of inputs.
    pub inputs: usize,
    /// What each input is multiplied by, so that all are of the order of one: powers of
    /// [`Layer::SCALE_BASE`]. Empty if they are.
    pub scales: Vec<f32>,
    /// Weights by output, then by input.
    pub weights: Vec<f32>,
    /// One number per output.
    pub biases: Vec<f32>,
}

/// Layers with rectifiers between them.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// From input to output.
    pub layers: Vec<Layer>,
}

impl Network {
    /// The output for one input.
    pub fn apply(&self, input: &[f32]) -> Vec<f32> {
        let mut values = input.to_vec();
        for (index, layer) in self.layers.iter().enumerate() {
            if index > 0 {
                values.iter_mut().for_each(|value| *value = value.max(0.0));
            }
            values = layer.apply(&values);
        }
        values
    }
}

impl Layer {
    /// Scales are whole powers of this.
    pub const SCALE_BASE: f32 = 1.189_207_1;

    /// The output for one input.
    pub fn apply(&self, input: &[f32]) -> Vec<f32> {
        if self.scales.is_empty() {
            return self.multiply(input);
        }
        let scaled: Vec<f32> = input.iter().zip(&self.scales).map(|(x, scale)| x * scale).collect();
        self.multiply(&scaled)
    }

    fn multiply(&self, input: &[f32]) -> Vec<f32> {
        self.weights
            .chunks_exact(self.inputs)
            .zip(&self.biases)
            .map(|(row, bias)| row.iter().zip(input).fold(*bias, |sum, (w, x)| w.mul_add(*x, sum)))
            .collect()
    }
}
