//! What type does a row about a built-in or packaged function give at a call: its [`Shape`] filled in.
//!
//! **Limits.** As much as shapes can say; overloads of built-in functions are one shape.

use crate::model::facts::*;
use crate::resolve::typescript::arena::{Ty, Type};
use crate::resolve::typescript::checker::Checker;
use crate::resolve::typescript::declared::well_known::{Known, ROWS, Shape};
use crate::resolve::typescript::expressions::calls::CallSite;

impl Checker<'_> {
    /// The type of a built-in property.
    pub fn shape_of_property(&mut self, row: u16, receiver: Ty) -> Ty {
        let site = CallSite { file: self.file, call: CallId::NONE };
        self.shape(&ROWS[usize::from(row)].out, receiver, site)
    }

    /// The type a shape stands for at a call.
    pub fn shape(&mut self, shape: &Shape, receiver: Ty, site: CallSite) -> Ty {
        match *shape {
            Shape::Any => Ty::ANY,
            Shape::Nothing => Ty::NOTHING,
            Shape::Number => Ty::NUMBER,
            Shape::Boolean => Ty::BOOLEAN,
            Shape::Arg(index) => self.receiver_arg(receiver, index),
            Shape::Receiver => receiver,
            Shape::ReceiverResult => self.result_of(receiver),
            Shape::Passed(index) => self.passed(site, index),
            Shape::Returned(index) => {
                let function = self.passed(site, index);
                self.result_of(function)
            }
            Shape::Written(index, otherwise) => match self.call_type_args(site).get(index) {
                Some(ty) => *ty,
                None => self.shape(otherwise, receiver, site),
            },
            Shape::Array(inner) => self.shape_in(Known::Array, inner, receiver, site),
            Shape::Promise(inner) => self.shape_in(Known::Promise, inner, receiver, site),
            Shape::Element(inner) => {
                let ty = self.shape(inner, receiver, site);
                let element = self.element_type(ty);
                if element == Ty::UNKNOWN && !ty.is_opaque() && !matches!(self.get(ty), Type::BuiltIn(..)) { ty } else { element }
            }
            Shape::Tuple(parts) => {
                let types: Vec<Ty> = parts.iter().map(|part| self.shape(part, receiver, site)).collect();
                self.arena.tuple(&types)
            }
            Shape::Either(first, second) => {
                let ty = self.shape(first, receiver, site);
                if ty.is_opaque() || ty == Ty::NOTHING { self.shape(second, receiver, site) } else { ty }
            }
            Shape::Made(index) => {
                let value = self.passed(site, index);
                self.made(value)
            }
            Shape::Of(known, args) => {
                let types: Vec<Ty> = args.iter().map(|part| self.shape(part, receiver, site)).collect();
                self.arena.built_in(known, &types)
            }
            Shape::First(inner) => {
                let ty = self.shape(inner, receiver, site);
                self.receiver_arg(ty, 0)
            }
            Shape::Alone(inner) => {
                if self.call_args(site).len() == 1 {
                    self.shape(inner, receiver, site)
                } else {
                    Ty::EXTERNAL
                }
            }
            Shape::Callback(params) => {
                let types: Vec<Ty> = params.iter().map(|param| self.shape(param, receiver, site)).collect();
                let params = self.arena.args(&types);
                self.arena.add(Type::Signature(params, Ty::UNKNOWN))
            }
        }
    }

    fn shape_in(&mut self, known: Known, inner: &Shape, receiver: Ty, site: CallSite) -> Ty {
        let ty = self.shape(inner, receiver, site);
        self.arena.built_in(known, &[ty])
    }

    /// What an injection token stands for: an instance of the class, or the type argument of a typed token.
    fn made(&mut self, value: Ty) -> Ty {
        let made = self.instance_of(value, &[]);
        if made != Ty::UNKNOWN {
            return made;
        }
        match self.get(value) {
            Type::Instance(_, args) | Type::BuiltIn(Known::Token, args) => self.arena.list(args).first().copied().unwrap_or(Ty::UNKNOWN),
            Type::Simple(Ty::EXTERNAL) => Ty::EXTERNAL,
            _ => Ty::UNKNOWN,
        }
    }

    fn receiver_arg(&mut self, receiver: Ty, index: usize) -> Ty {
        match self.get(receiver) {
            Type::BuiltIn(_, args) => self.arena.list(args).get(index).copied().unwrap_or(Ty::UNKNOWN),
            Type::Tuple(_) => self.element_type(receiver),
            _ => Ty::UNKNOWN,
        }
    }

    fn passed(&mut self, site: CallSite, index: usize) -> Ty {
        match self.call_args(site).get(index) {
            Some(arg) => self.expr_type(site.file, arg.value),
            None => Ty::UNKNOWN,
        }
    }
}
