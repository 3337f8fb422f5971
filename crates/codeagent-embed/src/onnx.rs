//! Writes ONNX files: nodes, constant tensors, inputs and outputs.
//!
//! Limitations: supports only what a text encoder needs.

use crate::protobuf::Message;

/// Operator set version: the first with `LayerNormalization`.
const OPSET: i64 = 17;

/// The format version that introduced this operator set.
const IR_VERSION: i64 = 8;

const FLOAT: i64 = 1;
const INT64: i64 = 7;

/// Constant values of a tensor.
pub(crate) enum Values<'v> {
    /// Single-precision numbers.
    Float(&'v [f32]),
    /// 64-bit integers.
    Int(&'v [i64]),
}

/// An operator's attribute.
pub(crate) enum Attribute<'s> {
    /// A single-precision number.
    Float(&'s str, f32),
    /// An integer.
    Int(&'s str, i64),
    /// A list of integers.
    Ints(&'s str, &'s [i64]),
}

/// Element type of an input or output tensor.
#[derive(Clone, Copy)]
pub(crate) enum Element {
    /// Single precision.
    Float,
    /// 64-bit integer.
    Int,
}

/// One dimension of a tensor.
#[derive(Clone, Copy)]
pub(crate) enum Extent<'e> {
    /// A size known in advance.
    Fixed(i64),
    /// A named size, known when the model runs.
    Named(&'e str),
}

/// A graph under construction.
#[derive(Default)]
pub(crate) struct Graph(Message);

impl Graph {
    /// Creates an empty graph.
    pub(crate) fn new(name: &str) -> Self {
        let mut graph = Self::default();
        graph.0.text(2, name);
        graph
    }

    /// Adds a constant and returns its name.
    pub(crate) fn constant(
        &mut self,
        name: &str,
        extents: &[usize],
        values: &Values<'_>,
    ) -> String {
        let mut tensor = Message::default();
        for extent in extents {
            tensor.int(1, *extent as i64);
        }

        let (element, bytes): (i64, Vec<u8>) = match values {
            Values::Float(values) => (
                FLOAT,
                values
                    .iter()
                    .flat_map(|value| value.to_le_bytes())
                    .collect(),
            ),
            Values::Int(values) => (
                INT64,
                values
                    .iter()
                    .flat_map(|value| value.to_le_bytes())
                    .collect(),
            ),
        };

        tensor.int(2, element).text(8, name).bytes(9, &bytes);
        self.0.message(5, &tensor);
        name.to_owned()
    }

    /// Adds a node, named like its output, and returns that name.
    pub(crate) fn node(
        &mut self,
        operator: &str,
        inputs: &[&str],
        output: &str,
        settings: &[Attribute<'_>],
    ) -> String {
        let mut node = Message::default();
        for input in inputs {
            node.text(1, input);
        }

        node.text(2, output).text(3, output).text(4, operator);
        for setting in settings {
            node.message(5, &attribute(setting));
        }

        self.0.message(1, &node);
        output.to_owned()
    }

    pub(crate) fn input(&mut self, name: &str, element: Element, extents: &[Extent<'_>]) {
        self.0.message(11, &value_info(name, element, extents));
    }

    pub(crate) fn output(&mut self, name: &str, element: Element, extents: &[Extent<'_>]) {
        self.0.message(12, &value_info(name, element, extents));
    }

    /// Returns the encoded model.
    pub(crate) fn into_model(self) -> Vec<u8> {
        let mut operators = Message::default();
        operators.text(1, "").int(2, OPSET);
        let mut model = Message::default();
        model
            .int(1, IR_VERSION)
            .text(2, "codeagent")
            .message(7, &self.0)
            .message(8, &operators);
        model.into_bytes()
    }
}

fn attribute(setting: &Attribute<'_>) -> Message {
    let mut attribute = Message::default();
    match setting {
        Attribute::Float(name, value) => attribute.text(1, name).float(2, *value).int(20, 1),
        Attribute::Int(name, value) => attribute.text(1, name).int(3, *value).int(20, 2),
        Attribute::Ints(name, values) => {
            attribute.text(1, name);
            for value in *values {
                attribute.int(8, *value);
            }
            attribute.int(20, 7)
        }
    };
    attribute
}

fn value_info(name: &str, element: Element, extents: &[Extent<'_>]) -> Message {
    let mut shape = Message::default();
    for extent in extents {
        let mut dimension = Message::default();
        match extent {
            Extent::Fixed(size) => dimension.int(1, *size),
            Extent::Named(name) => dimension.text(2, name),
        };
        shape.message(1, &dimension);
    }

    let mut tensor = Message::default();
    let element = match element {
        Element::Float => FLOAT,
        Element::Int => INT64,
    };

    tensor.int(1, element).message(2, &shape);

    let mut kind = Message::default();
    kind.message(1, &tensor);

    let mut info = Message::default();
    info.text(1, name).message(2, &kind);
    info
}
