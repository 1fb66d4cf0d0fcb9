//! Small networks: dense layers with rectifiers between them.

/// One layer: `y = W x + b`.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// Number of inputs.
    pub inputs: usize,
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
    /// The output for one input.
    pub fn apply(&self, input: &[f32]) -> Vec<f32> {
        self.weights
            .chunks_exact(self.inputs)
            .zip(&self.biases)
            .map(|(row, bias)| row.iter().zip(input).fold(*bias, |sum, (w, x)| w.mul_add(*x, sum)))
            .collect()
    }
}
