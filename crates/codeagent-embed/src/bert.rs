//! Converts a BERT encoder (`model.safetensors` and `config.json`) to ONNX.
//!
//! The graph computes the last layer's output; pooling is left to the caller. `all-MiniLM-L6-v2` is
//! such an encoder with six layers.
//!
//! Limitations: only single-precision weights, absolute positions and exact `gelu`. The error names
//! any other setting.

use safetensors::{Dtype, SafeTensors};
use serde_json::Value;

use crate::onnx::{Attribute, Element, Extent, Graph, Values};

/// Added to masked tokens before the softmax: large enough to suppress them, small enough not to
/// overflow.
const MASKED: f32 = -1e6;

/// Why weights cannot be converted.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// The settings describe another kind of encoder.
    #[error("config.json: {0}")]
    Config(String),
    /// The weights file cannot be read.
    #[error("cannot read model.safetensors: {0}")]
    File(String),
    /// A tensor is missing or has an unexpected type.
    #[error("model.safetensors: {name} {problem}")]
    Tensor {
        /// Name of the tensor.
        name: String,
        /// Description of the error.
        problem: String,
    },
}

struct Sizes {
    hidden: usize,
    heads: usize,
    layers: usize,
    epsilon: f32,
}

/// Returns an ONNX model with these weights and settings.
pub fn convert(weights: &[u8], config: &[u8]) -> Result<Vec<u8>, ConvertError> {
    let sizes = Sizes::of(config)?;
    let weights =
        SafeTensors::deserialize(weights).map_err(|error| ConvertError::File(error.to_string()))?;
    let mut encoder = Encoder {
        weights,
        graph: Graph::new("encoder"),
        sizes,
    };
    encoder.constants();
    let mut hidden = encoder.embeddings()?;
    for layer in 0..encoder.sizes.layers {
        let attended = encoder.attention(&hidden, layer)?;
        hidden = encoder.feed_forward(&attended, layer)?;
    }
    Ok(encoder.graph.into_model())
}

impl Sizes {
    fn of(config: &[u8]) -> Result<Self, ConvertError> {
        let config: Value = serde_json::from_slice(config)
            .map_err(|error| ConvertError::Config(error.to_string()))?;

        for (key, expected) in [
            ("model_type", "bert"),
            ("hidden_act", "gelu"),
            ("position_embedding_type", "absolute"),
        ] {
            let printed = config[key].as_str().unwrap_or(expected);
            if printed != expected {
                return Err(ConvertError::Config(format!(
                    "{key} is {printed:?}; only {expected:?} is supported"
                )));
            }
        }

        let number = |key: &str| {
            let number = config[key]
                .as_u64()
                .filter(|number| (1..=1 << 16).contains(number));
            number
                .map(|number| number as usize)
                .ok_or_else(|| ConvertError::Config(format!("{key} is not a size")))
        };

        let (hidden, heads, layers) = (
            number("hidden_size")?,
            number("num_attention_heads")?,
            number("num_hidden_layers")?,
        );

        if hidden % heads != 0 {
            return Err(ConvertError::Config(format!(
                "{hidden} is not divisible by {heads} heads"
            )));
        }

        Ok(Self {
            hidden,
            heads,
            layers,
            epsilon: config["layer_norm_eps"].as_f64().unwrap_or(1e-12) as f32,
        })
    }
}

/// A conversion in progress. Values are named like their nodes; names of constants start with `c.`.
struct Encoder<'w> {
    weights: SafeTensors<'w>,
    graph: Graph,
    sizes: Sizes,
}

impl Encoder<'_> {
    fn constants(&mut self) {
        let Sizes { hidden, heads, .. } = self.sizes;
        let scale = ((hidden / heads) as f32).sqrt().recip();

        let floats = [
            ("c.one", 1.0),
            ("c.half", 0.5),
            ("c.sqrt2", std::f32::consts::SQRT_2),
            ("c.masked", MASKED),
            ("c.scale", scale),
        ];

        for (name, value) in floats {
            self.graph.constant(name, &[], &Values::Float(&[value]));
        }

        // The extent 0 copies the input's extent.
        let heads_apart = [0, 0, heads as i64, (hidden / heads) as i64];
        let heads_joined = [0, 0, hidden as i64];

        for (name, values) in [
            ("c.zero", &[0][..]),
            ("c.axes", &[1, 2]),
            ("c.apart", &heads_apart),
            ("c.joined", &heads_joined),
        ] {
            self.graph
                .constant(name, &[values.len()], &Values::Int(values));
        }
    }

    /// Adds the inputs and the sum of word, position and segment embeddings.
    fn embeddings(&mut self) -> Result<String, ConvertError> {
        let extents = [Extent::Named("batch"), Extent::Named("sequence")];
        for name in ["input_ids", "attention_mask", "token_type_ids"] {
            self.graph.input(name, Element::Int, &extents);
        }
        let hidden = Extent::Fixed(self.sizes.hidden as i64);
        self.graph.output(
            "last_hidden_state",
            Element::Float,
            &[extents[0], extents[1], hidden],
        );

        let word = self.table("embeddings.word_embeddings.weight", "c.words")?;
        let position = self.table("embeddings.position_embeddings.weight", "c.positions")?;
        let segment = self.table("embeddings.token_type_embeddings.weight", "c.segments")?;
        let graph = &mut self.graph;
        // The positions are as many as the tokens. This is a one-dimensional length, because ONNX
        // Runtime's optimizer miscompiles a range of a scalar.
        graph.node(
            "Shape",
            &["input_ids"],
            "length",
            &[Attribute::Int("start", 1), Attribute::Int("end", 2)],
        );
        graph.node(
            "Slice",
            &[&position, "c.zero", "length", "c.zero"],
            "positions",
            &[],
        );
        graph.node("Gather", &[&word, "input_ids"], "words", &[]);
        graph.node("Gather", &[&segment, "token_type_ids"], "segments", &[]);
        graph.node("Add", &["words", "segments"], "words_segments", &[]);
        graph.node("Add", &["words_segments", "positions"], "embedded", &[]);
        // 0 for a token, `MASKED` for padding; broadcast over heads and queries.
        graph.node("Unsqueeze", &["attention_mask", "c.axes"], "mask_wide", &[]);
        graph.node(
            "Cast",
            &["mask_wide"],
            "mask_float",
            &[Attribute::Int("to", 1)],
        );
        graph.node("Sub", &["c.one", "mask_float"], "mask_off", &[]);
        graph.node("Mul", &["mask_off", "c.masked"], "mask", &[]);
        self.normalised("embedded", "embeddings.LayerNorm", "hidden")
    }

    /// Adds multi-head attention.
    fn attention(&mut self, hidden: &str, layer: usize) -> Result<String, ConvertError> {
        let weights = format!("encoder.layer.{layer}.attention");
        let here = format!("layer{layer}.attention");
        let name = |part: &str| format!("{here}.{part}");

        for (part, order) in [
            ("query", [0, 2, 1, 3]),
            ("key", [0, 2, 3, 1]),
            ("value", [0, 2, 1, 3]),
        ] {
            let flat = self.linear(
                hidden,
                &format!("{weights}.self.{part}"),
                &name(&format!("{part}.flat")),
            )?;
            let apart = self.graph.node(
                "Reshape",
                &[&flat, "c.apart"],
                &name(&format!("{part}.apart")),
                &[],
            );
            self.graph.node(
                "Transpose",
                &[&apart],
                &name(part),
                &[Attribute::Ints("perm", &order)],
            );
        }

        let graph = &mut self.graph;

        let products = graph.node(
            "MatMul",
            &[&name("query"), &name("key")],
            &name("products"),
            &[],
        );
        let scaled = graph.node("Mul", &[&products, "c.scale"], &name("scaled"), &[]);
        let masked = graph.node("Add", &[&scaled, "mask"], &name("masked"), &[]);

        let shares = graph.node(
            "Softmax",
            &[&masked],
            &name("shares"),
            &[Attribute::Int("axis", -1)],
        );

        let mixed = graph.node("MatMul", &[&shares, &name("value")], &name("mixed"), &[]);
        let turned = graph.node(
            "Transpose",
            &[&mixed],
            &name("turned"),
            &[Attribute::Ints("perm", &[0, 2, 1, 3])],
        );
        let joined = graph.node("Reshape", &[&turned, "c.joined"], &name("joined"), &[]);

        let dense = self.linear(&joined, &format!("{weights}.output.dense"), &name("dense"))?;
        let sum = self.graph.node("Add", &[&dense, hidden], &name("sum"), &[]);
        self.normalised(&sum, &format!("{weights}.output.LayerNorm"), &name("out"))
    }

    fn feed_forward(&mut self, attended: &str, layer: usize) -> Result<String, ConvertError> {
        let weights = format!("encoder.layer.{layer}");
        let name = |part: &str| format!("layer{layer}.{part}");
        let wide = self.linear(
            attended,
            &format!("{weights}.intermediate.dense"),
            &name("wide"),
        )?;

        let graph = &mut self.graph;
        // gelu(x) = x/2 (1 + erf(x/sqrt 2))
        let divided = graph.node("Div", &[&wide, "c.sqrt2"], &name("divided"), &[]);
        let error_function = graph.node("Erf", &[&divided], &name("erf"), &[]);
        let raised = graph.node("Add", &[&error_function, "c.one"], &name("raised"), &[]);
        let product = graph.node("Mul", &[&wide, &raised], &name("product"), &[]);
        let activated = graph.node("Mul", &[&product, "c.half"], &name("activated"), &[]);

        let narrow = self.linear(
            &activated,
            &format!("{weights}.output.dense"),
            &name("narrow"),
        )?;

        let sum = self
            .graph
            .node("Add", &[&narrow, attended], &name("sum"), &[]);
        let out = if layer + 1 == self.sizes.layers {
            "last_hidden_state".to_owned()
        } else {
            name("out")
        };

        self.normalised(&sum, &format!("{weights}.output.LayerNorm"), &out)
    }

    fn normalised(
        &mut self,
        input: &str,
        weights: &str,
        output: &str,
    ) -> Result<String, ConvertError> {
        let hidden = self.sizes.hidden;

        let scale = self.vector(
            &format!("{weights}.weight"),
            hidden,
            &format!("c.{output}.scale"),
        )?;
        let shift = self.vector(
            &format!("{weights}.bias"),
            hidden,
            &format!("c.{output}.shift"),
        )?;

        let settings = [
            Attribute::Int("axis", -1),
            Attribute::Float("epsilon", self.sizes.epsilon),
        ];

        Ok(self.graph.node(
            "LayerNormalization",
            &[input, &scale, &shift],
            output,
            &settings,
        ))
    }

    /// Adds `x` times the transposed weights, plus the bias.
    fn linear(&mut self, input: &str, weights: &str, output: &str) -> Result<String, ConvertError> {
        let (extents, values) = self.tensor(&format!("{weights}.weight"), 2)?;
        let (rows, columns) = (extents[0], extents[1]);

        let mut turned = Vec::with_capacity(values.len());
        for column in 0..columns {
            turned.extend((0..rows).map(|row| values[row * columns + column]));
        }

        let matrix = self.graph.constant(
            &format!("c.{output}.matrix"),
            &[columns, rows],
            &Values::Float(&turned),
        );

        let bias = self.vector(
            &format!("{weights}.bias"),
            rows,
            &format!("c.{output}.bias"),
        )?;

        let product = self.graph.node(
            "MatMul",
            &[input, &matrix],
            &format!("{output}.product"),
            &[],
        );
        Ok(self.graph.node("Add", &[&product, &bias], output, &[]))
    }

    /// Adds an embedding table with one row per word, position or segment.
    fn table(&mut self, weights: &str, name: &str) -> Result<String, ConvertError> {
        let (extents, values) = self.tensor(weights, 2)?;
        if extents[1] != self.sizes.hidden {
            return Err(wrong(
                weights,
                format!("has rows of {}, expected {}", extents[1], self.sizes.hidden),
            ));
        }
        Ok(self.graph.constant(name, &extents, &Values::Float(&values)))
    }

    fn vector(&mut self, weights: &str, length: usize, name: &str) -> Result<String, ConvertError> {
        let (extents, values) = self.tensor(weights, 1)?;
        if extents[0] != length {
            return Err(wrong(
                weights,
                format!("has {} numbers, expected {length}", extents[0]),
            ));
        }
        Ok(self.graph.constant(name, &extents, &Values::Float(&values)))
    }

    fn tensor(
        &self,
        name: &str,
        dimensions: usize,
    ) -> Result<(Vec<usize>, Vec<f32>), ConvertError> {
        let view = self
            .weights
            .tensor(name)
            .map_err(|_| wrong(name, "is missing".to_owned()))?;

        if view.dtype() != Dtype::F32 {
            return Err(wrong(
                name,
                format!("is of type {:?}; use the F32 model", view.dtype()),
            ));
        }

        if view.shape().len() != dimensions {
            return Err(wrong(
                name,
                format!(
                    "has {} dimensions, expected {dimensions}",
                    view.shape().len()
                ),
            ));
        }

        let (numbers, _) = view.data().as_chunks::<4>();
        Ok((
            view.shape().to_vec(),
            numbers
                .iter()
                .map(|bytes| f32::from_le_bytes(*bytes))
                .collect(),
        ))
    }
}

fn wrong(name: &str, problem: String) -> ConvertError {
    ConvertError::Tensor {
        name: name.to_owned(),
        problem,
    }
}
