//! What does a value give when it is iterated, awaited, indexed or deconstructed.
//!
//! Patterns come first (`GetEnumerator().Current`, `GetAwaiter().GetResult()`, `Deconstruct`), then the interfaces; extension methods last.
//!
//! **Limits.** Of undeclared types only the shapes in `well_known` are known.

use crate::model::facts::{DeclFlags, DeclKind};
use crate::resolve::csharp::intern::NameId;
use crate::resolve::csharp::linker::Linker;
use crate::resolve::csharp::members::{Candidate, is_method};
use crate::resolve::csharp::overloads::Argument;
use crate::resolve::csharp::types::{Ty, TyList, Type};
use crate::resolve::csharp::well_known::{self, Known};

impl Linker<'_> {
    /// What a `foreach` over a value yields.
    pub(super) fn iterated(&self, ty: Ty, is_async: bool) -> Ty {
        let pattern = if is_async { well_known::GET_ASYNC_ENUMERATOR } else { well_known::GET_ENUMERATOR };
        let own = self.result_without_arguments(ty, pattern).and_then(|enumerator| self.current_of(enumerator));
        own.or_else(|| self.element_of(ty)).or_else(|| self.current_of(self.extension_result(ty, pattern)?)).unwrap_or(Ty::UNKNOWN)
    }

    /// What an enumerator stands at.
    fn current_of(&self, enumerator: Ty) -> Option<Ty> {
        if let Some((Known::Enumerator | Known::AsyncEnumerator, args)) = self.known(enumerator) {
            return Some(args[0]);
        }
        self.members(enumerator, well_known::CURRENT).first().map(|current| self.candidate_type(current))
    }

    /// The result of the extension method of this name that takes only the receiver.
    fn extension_result(&self, receiver: Ty, name: NameId) -> Option<Ty> {
        let pick = self.pick_extension(receiver, name, &[], &TyList::from([]))?;
        Some(self.result_of(&pick.best))
    }

    /// The element type of an array or sequence, by its type and interfaces.
    pub(super) fn element_of(&self, ty: Ty) -> Option<Ty> {
        match self.arena.get(ty) {
            Type::Array(element, _) => return Some(element),
            Type::Collection(collection) => return Some(self.collection_element(collection)),
            Type::Nullable(of) => return self.element_of(of),
            _ => {}
        }
        let mut best = None;
        for base in self.supertypes(ty).iter() {
            if let Some((known, args)) = self.known(*base) {
                if let Some(element) = self.known_element(known, &args) {
                    if known == Known::EnumerableOf {
                        return Some(element);
                    }
                    best = best.or(Some(element));
                } else if known == Known::String {
                    best = best.or_else(|| Some(self.known_type(Known::Char, &[])));
                }
            }
        }
        best
    }

    /// The result of the method of this name that takes nothing.
    fn result_without_arguments(&self, ty: Ty, name: NameId) -> Option<Ty> {
        let found = self.members(ty, name);
        let method = found.iter().find(|candidate| {
            is_method(self.world.decl(candidate.decl).kind)
                && self.signature(candidate.decl).params.iter().all(|param| param.flags.has(DeclFlags::OPTIONAL))
        })?;
        Some(self.method_result(method))
    }

    fn method_result(&self, method: &Candidate) -> Ty {
        self.substitute(self.signature(method.decl).result, method.within)
    }

    /// What `await` gives.
    pub(super) fn awaited(&self, ty: Ty) -> Ty {
        if let Some((known, args)) = self.known(ty) {
            if known.is_task_of() {
                return args[0];
            }
            if known.is_task() {
                return self.known_type(Known::Void, &[]);
            }
        }
        let awaiter = self.result_without_arguments(ty, well_known::GET_AWAITER);
        if let Some(awaiter) = awaiter.or_else(|| self.extension_result(ty, well_known::GET_AWAITER)) {
            return self.result_without_arguments(awaiter, well_known::GET_RESULT).unwrap_or(Ty::UNKNOWN);
        }
        for base in self.supertypes(ty).iter().skip(1) {
            if let Some((known, args)) = self.known(*base)
                && known.is_task_of()
            {
                return args[0];
            }
        }
        if ty == Ty::DYNAMIC { ty } else { Ty::UNKNOWN }
    }

    /// Element `index` of a deconstruction.
    pub(super) fn deconstructed(&self, ty: Ty, index: usize) -> Ty {
        match self.arena.get(ty) {
            Type::Tuple(elements, _) => elements.get(index).copied().unwrap_or(Ty::UNKNOWN),
            _ => self.deconstructed_by_method(ty, index),
        }
    }

    fn deconstructed_by_method(&self, ty: Ty, index: usize) -> Ty {
        if let Some((Known::KeyValuePair, args)) = self.known(ty) {
            return args.get(index).copied().unwrap_or(Ty::UNKNOWN);
        }
        for method in self.members(ty, well_known::DECONSTRUCT).iter() {
            if let Some(param) = self.signature(method.decl).params.get(index) {
                return self.substitute(param.ty, method.within);
            }
        }
        for constructor in self.constructors(ty) {
            if self.world.decl(constructor.decl).kind == DeclKind::PrimaryConstructor
                && let Some(param) = self.signature(constructor.decl).params.get(index)
            {
                return self.substitute(param.ty, constructor.within);
            }
        }
        self.deconstructed_by_extension(ty, index).unwrap_or(Ty::UNKNOWN)
    }

    fn deconstructed_by_extension(&self, ty: Ty, index: usize) -> Option<Ty> {
        let method = self.extension_member(ty, well_known::DECONSTRUCT, DeclKind::Method)?;
        let signature = self.signature(method.decl);
        let receiver = (signature.params.first()?.ty, Argument::of_type(ty));
        let inferred = self.infer(&signature.type_params, &[receiver]);
        Some(self.replace_params(signature.params.get(index + 1)?.ty, &signature.type_params, &inferred))
    }

    /// What indexing an array or a known collection gives.
    pub(super) fn known_indexed(&self, ty: Ty) -> Ty {
        match self.arena.get(ty) {
            Type::Array(element, _) | Type::Pointer(element) => return element,
            Type::Nullable(of) => return self.known_indexed(of),
            _ => {}
        }
        for base in self.supertypes(ty).iter() {
            let Some((known, args)) = self.known(*base) else { continue };
            match (known, &*args) {
                (Known::String, _) => return self.known_type(Known::Char, &[]),
                (known, [_, value]) if known.is_dictionary() => return *value,
                (Known::Lookup, [_, element]) => return self.known_type(Known::EnumerableOf, &[*element]),
                (known, [element]) if known.is_sequence() => return *element,
                _ => {}
            }
        }
        Ty::UNKNOWN
    }

    /// The type of a property of a known type that is not declared in the world.
    pub(super) fn known_member(&self, receiver: Ty, name: NameId) -> Ty {
        for base in self.supertypes(receiver).iter() {
            let Some((known, args)) = self.known(*base) else { continue };
            let found = match (known, &*args) {
                (Known::Lazy | Known::ThreadLocal | Known::AsyncLocal, [value]) if name == well_known::VALUE => Some(*value),
                (Known::TaskOf | Known::ValueTaskOf, [result]) if name == well_known::RESULT => Some(*result),
                (Known::Enumerator | Known::AsyncEnumerator, [element]) if name == well_known::CURRENT => Some(*element),
                (Known::KeyValuePair | Known::Grouping, [key, _]) if name == well_known::KEY => Some(*key),
                (Known::KeyValuePair, [_, value]) if name == well_known::VALUE => Some(*value),
                (known, [key, value]) if known.is_dictionary() => match name {
                    well_known::KEYS => Some(self.known_type(Known::CollectionInterface, &[*key])),
                    well_known::VALUES => Some(self.known_type(Known::CollectionInterface, &[*value])),
                    _ => None,
                },
                _ => None,
            };
            if let Some(found) = found {
                return found;
            }
            if matches!(name, well_known::LENGTH | well_known::COUNT)
                && (known.is_sequence() || known == Known::String || known == Known::Array)
            {
                return self.known_type(Known::Int32, &[]);
            }
        }
        if name == well_known::LENGTH && matches!(self.arena.get(receiver), Type::Array(..)) {
            return self.known_type(Known::Int32, &[]);
        }
        Ty::UNKNOWN
    }

    /// The type of a static member of a known type: `int.MaxValue` is an `int`, `string.Empty` a `string`.
    pub(super) fn known_static(&self, ty: Ty, name: NameId) -> Ty {
        let constant = matches!(
            self.tables.names.text(name),
            "MaxValue"
                | "MinValue"
                | "Empty"
                | "Zero"
                | "One"
                | "NaN"
                | "PositiveInfinity"
                | "NegativeInfinity"
                | "None"
                | "Now"
                | "UtcNow"
                | "Today"
        );
        match self.known(ty) {
            Some((Known::Task | Known::ValueTask, _)) if self.tables.names.text(name) == "CompletedTask" => ty,
            Some((known, _)) if known.is_value_type() || known == Known::String => {
                if constant {
                    ty
                } else {
                    Ty::UNKNOWN
                }
            }
            _ => Ty::UNKNOWN,
        }
    }
}
