//! What do calls of undeclared base library methods give, and what do they pass to lambdas: LINQ on a known sequence, tasks.
//!
//! Used only while the world has no declarations of the base library: with them such calls are resolved like any other.
//!
//! **Limits.** By name and receiver shape; what is not listed gives something unknown.

use crate::resolve::csharp::calls::CallResult;
use crate::resolve::csharp::intern::NameId;
use crate::resolve::csharp::linker::Linker;
use crate::resolve::csharp::overloads::Argument;
use crate::resolve::csharp::types::{Ty, TyList, Type};
use crate::resolve::csharp::well_known::{self, Known};

impl Linker<'_> {
    /// A call of an undeclared method.
    pub(super) fn known_call(&self, receiver: Ty, name: NameId, args: &[Argument], type_args: &TyList) -> CallResult {
        if let Type::Qualifier(ty) = self.arena.get(receiver) {
            return CallResult::external(self.known_static_call(ty, name, args, type_args), Vec::new());
        }
        if name == well_known::CONFIGURE_AWAIT && self.known(receiver).is_some_and(|(known, _)| known.is_task_of() || known.is_task()) {
            return CallResult::external(receiver, Vec::new());
        }
        if let Some((Known::Expression, delegate)) = self.known(receiver)
            && name == well_known::COMPILE
        {
            return CallResult::external(delegate[0], Vec::new());
        }
        let text = self.tables.names.text(name);
        match text {
            "ToString" | "Trim" | "Substring" | "Replace" | "ToLower" | "ToUpper" | "ToLowerInvariant" | "ToUpperInvariant" => {
                return CallResult::external(self.known_type(Known::String, &[]), Vec::new());
            }
            "GetType" => return CallResult::external(self.known_type(Known::Type, &[]), Vec::new()),
            "GetHashCode" | "CompareTo" | "IndexOf" => return CallResult::external(self.known_type(Known::Int32, &[]), Vec::new()),
            "Equals" | "Contains" | "StartsWith" | "EndsWith" => {
                return CallResult::external(self.known_type(Known::Boolean, &[]), Vec::new());
            }
            "Split" => {
                let string = self.known_type(Known::String, &[]);
                return CallResult::external(self.arena.add(Type::Array(string, 1)), Vec::new());
            }
            _ => {}
        }
        match self.element_of(receiver) {
            Some(element) => self.sequence_call((receiver, element), text, args, type_args),
            None => CallResult::external(Ty::UNKNOWN, Vec::new()),
        }
    }

    fn known_static_call(&self, ty: Ty, name: NameId, args: &[Argument], type_args: &TyList) -> Ty {
        let first = args.first().map_or(Ty::UNKNOWN, |arg| arg.ty);
        match (self.known(ty).map(|(known, _)| known), self.tables.names.text(name)) {
            (Some(Known::Task), "FromResult") => self.known_type(Known::TaskOf, &[type_args.first().copied().unwrap_or(first)]),
            (Some(Known::ValueTask), "FromResult") => self.known_type(Known::ValueTaskOf, &[type_args.first().copied().unwrap_or(first)]),
            (Some(Known::Task), "WhenAll") => match self.element_of(first).and_then(|task| self.known(task)) {
                Some((Known::TaskOf, result)) => self.known_type(Known::TaskOf, &[self.arena.add(Type::Array(result[0], 1))]),
                _ => Ty::UNKNOWN,
            },
            (Some(Known::Task), "Run") => match self.arena.get(first) {
                Type::Lambda(lambda) => match self.lambda_result(lambda, &TyList::from([])) {
                    Some(result) if self.known(result).is_some_and(|(known, _)| known.is_task_of() || known.is_task()) => result,
                    Some(result) => self.known_type(Known::TaskOf, &[result]),
                    None => self.known_type(Known::Task, &[]),
                },
                _ => Ty::UNKNOWN,
            },
            (Some(Known::Task), "Delay" | "FromException" | "FromCanceled") if type_args.is_empty() => ty,
            (Some(Known::String), "Format" | "Join" | "Concat") => self.known_type(Known::String, &[]),
            (Some(Known::String), "IsNullOrEmpty" | "IsNullOrWhiteSpace" | "Equals") => self.known_type(Known::Boolean, &[]),
            (
                Some(known),
                "Parse" | "FromSeconds" | "FromMinutes" | "FromMilliseconds" | "FromHours" | "FromDays" | "FromTicks" | "NewGuid",
            ) if known.is_value_type() => ty,
            (Some(Known::Array), "Empty") if !type_args.is_empty() => self.arena.add(Type::Array(type_args[0], 1)),
            _ => match (self.simple_name(ty), self.tables.names.text(name)) {
                ("Enumerable", "Empty" | "Repeat") if !type_args.is_empty() => self.known_type(Known::EnumerableOf, &[type_args[0]]),
                ("Enumerable", "Repeat") => self.known_type(Known::EnumerableOf, &[first]),
                ("Enumerable", "Range") => self.known_type(Known::EnumerableOf, &[self.known_type(Known::Int32, &[])]),
                _ => Ty::UNKNOWN,
            },
        }
    }

    /// The simple name of a named type.
    pub(super) fn simple_name(&self, ty: Ty) -> &str {
        match self.arena.get(ty) {
            Type::External(name, _) => self.tables.names.text(name),
            Type::Inst(tid, _) => self.tables.names.text(self.tables.group(tid).name),
            _ => "",
        }
    }

    fn sequence_call(&self, (receiver, element): (Ty, Ty), name: &str, args: &[Argument], type_args: &TyList) -> CallResult {
        let int = self.known_type(Known::Int32, &[]);
        let inputs: TyList = match self.known(receiver) {
            Some((known, pair)) if known.is_dictionary() && matches!(name, "GetOrAdd" | "AddOrUpdate") => pair,
            _ => TyList::from([element, int]),
        };
        let lambda = |index: usize| match args.get(index).map(|arg| self.arena.get(arg.ty)) {
            Some(Type::Lambda(lambda)) => {
                let count = self.facts.decl(lambda).params.len();
                let given: TyList = inputs.iter().take(count.max(1)).copied().collect();
                self.lambda_result(lambda, &given).unwrap_or(Ty::UNKNOWN)
            }
            Some(Type::MethodGroup(group)) => self.method_of_group(group, &inputs[..1]).map_or(Ty::UNKNOWN, |(_, result)| result),
            _ => Ty::UNKNOWN,
        };
        let sequence = |of: Ty| self.known_type(Known::EnumerableOf, &[of]);
        let result = match name {
            "Where" | "Skip" | "Take" | "SkipWhile" | "TakeWhile" | "Distinct" | "DistinctBy" | "Concat" | "Union" | "Except"
            | "Intersect" | "Reverse" | "Append" | "Prepend" | "DefaultIfEmpty" | "AsEnumerable" | "SkipLast" | "TakeLast" => {
                sequence(element)
            }
            "OrderBy" | "OrderByDescending" | "ThenBy" | "ThenByDescending" | "Order" => {
                self.known_type(Known::OrderedEnumerable, &[element])
            }
            "First" | "FirstOrDefault" | "Last" | "LastOrDefault" | "Single" | "SingleOrDefault" | "ElementAt" | "ElementAtOrDefault"
            | "MinBy" | "MaxBy" | "Find" | "FindLast" | "Peek" | "Pop" | "Dequeue" => element,
            "Min" | "Max" if args.is_empty() => element,
            "Min" | "Max" | "Sum" => lambda(0),
            "Select" => sequence(lambda(0)),
            "SelectMany" if args.len() == 1 => sequence(self.element_of(lambda(0)).unwrap_or(Ty::UNKNOWN)),
            "Cast" | "OfType" if !type_args.is_empty() => sequence(type_args[0]),
            "ToList" | "ToHashSet" | "FindAll" | "GetRange" => self.known_type(Known::List, &[element]),
            "AsQueryable" => self.known_type(Known::Queryable, &[element]),
            "AsSpan" => self.known_type(if self.is_known(receiver, Known::String) { Known::ReadOnlySpan } else { Known::Span }, &[element]),
            "AsMemory" => self.known_type(Known::Memory, &[element]),
            "ToArray" => self.arena.add(Type::Array(element, 1)),
            "AddRange" | "Clear" | "Insert" | "Sort" | "ForEach" | "Push" | "Enqueue" | "RemoveAt" | "CopyTo" => {
                self.known_type(Known::Void, &[])
            }
            "Add"
                if matches!(
                    self.known(receiver),
                    Some((Known::List | Known::ListInterface | Known::CollectionInterface | Known::Collection, _))
                ) =>
            {
                self.known_type(Known::Void, &[])
            }
            "Any" | "All" | "SequenceEqual" | "Exists" | "TrueForAll" => self.known_type(Known::Boolean, &[]),
            "Count" | "FindIndex" => int,
            "GroupBy" if args.len() == 1 => sequence(self.known_type(Known::Grouping, &[lambda(0), element])),
            "ToLookup" if args.len() == 1 => self.known_type(Known::Lookup, &[lambda(0), element]),
            "ToDictionary" => self.known_type(Known::Dictionary, &[lambda(0), if args.len() > 1 { lambda(1) } else { element }]),
            _ => Ty::UNKNOWN,
        };
        let written = self.written_values(receiver, element, name);
        // A lambda that becomes an element is what the elements are; only other methods are taken to call it with elements.
        let expected = args.iter().enumerate().map(|(index, arg)| match written.get(index) {
            Some(taken) => *taken,
            None => self.sequence_lambda(arg, &inputs),
        });
        CallResult::external(result, expected.collect())
    }

    /// What the parameters of a collection's own methods take.
    fn written_values(&self, receiver: Ty, element: Ty, name: &str) -> Vec<Ty> {
        match (self.known(receiver), name) {
            (Some((known, pair)), _) if known.is_dictionary() => match name {
                "Add" | "TryAdd" | "TryGetValue" | "Remove" | "TryRemove" | "GetValueOrDefault" => pair.to_vec(),
                "ContainsKey" => vec![pair[0]],
                _ => Vec::new(),
            },
            (
                _,
                "Add" | "Push" | "Enqueue" | "Append" | "Prepend" | "Contains" | "Remove" | "AddFirst" | "AddLast" | "TryDequeue"
                | "TryPop" | "TryPeek" | "TryTake",
            ) => {
                vec![element]
            }
            (_, "Insert") => vec![self.known_type(Known::Int32, &[]), element],
            _ => Vec::new(),
        }
    }

    /// The delegate type that a lambda given to a method of a sequence is taken for.
    fn sequence_lambda(&self, arg: &Argument, inputs: &TyList) -> Ty {
        let Type::Lambda(lambda) = self.arena.get(arg.ty) else { return Ty::UNKNOWN };
        let count = self.facts.decl(lambda).params.len();
        if count > inputs.len() {
            return Ty::UNKNOWN;
        }
        let mut shape: Vec<Ty> = inputs[..count].to_vec();
        shape.push(Ty::UNKNOWN);
        self.known_type(Known::Func, &shape)
    }
}
