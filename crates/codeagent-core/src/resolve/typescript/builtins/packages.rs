//! What well-known packages hand through when their declarations are not in the world: dependency injection, signals, React's hooks.
//!
//! `inject(Service)` is a `Service` in any Angular application, whether or not node_modules is there.
//!
//! **Limits.** A few functions and types that carry a repository type to a call; everything else of a package is simply outside.

use crate::model::facts::*;
use crate::resolve::typescript::arena::{Ty, Type};
use crate::resolve::typescript::checker::Checker;
use crate::resolve::typescript::declared::well_known::Shape::{
    Any, Callback, Either, First, Made, Passed, Promise, Returned, Tuple, Written,
};
use crate::resolve::typescript::declared::well_known::{Known, Shape};
use crate::resolve::typescript::symbols::scopes::{Place, Space};
use crate::resolve::{DeclRef, FileId};

/// A function of a package.
pub struct PackageFunction {
    package: &'static str,
    names: &'static [&'static str],
    /// Types its arguments take over from their place.
    pub params: &'static [Shape],
    /// Its result.
    pub out: Shape,
}

impl PackageFunction {
    /// Its first name.
    pub fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }
}

const fn gives(package: &'static str, names: &'static [&'static str], out: Shape) -> PackageFunction {
    PackageFunction { package, names, params: &[], out }
}

const ANGULAR: &str = "@angular/core";
const REACT: &str = "react";
const RXJS: &str = "rxjs";

/// All functions.
pub static PACKAGE_FUNCTIONS: &[PackageFunction] = &[
    gives(ANGULAR, &["inject"], Written(0, &Made(0))),
    gives(ANGULAR, &["viewChild", "contentChild"], Shape::Of(Known::Signal, &[Shape::Alone(&Written(0, &Made(0)))])),
    gives(ANGULAR, &["viewChildren", "contentChildren"], Shape::Of(Known::Signal, &[Shape::Array(&Shape::Alone(&Written(0, &Made(0))))])),
    gives(ANGULAR, &["signal", "input", "model"], Shape::Of(Known::Signal, &[Written(0, &Passed(0))])),
    gives(ANGULAR, &["computed", "linkedSignal"], Shape::Of(Known::Signal, &[Written(0, &Returned(0))])),
    gives(ANGULAR, &["forwardRef"], Returned(0)),
    gives(REACT, &["useCallback", "memo"], Passed(0)),
    gives(REACT, &["useMemo"], Written(0, &Returned(0))),
    gives(REACT, &["useRef", "createRef"], Shape::Of(Known::Ref, &[Written(0, &Passed(0))])),
    gives(REACT, &["createContext"], Shape::Of(Known::Context, &[Written(0, &Passed(0))])),
    gives(REACT, &["useContext", "use"], First(&Passed(0))),
    gives(REACT, &["useState"], Tuple(&[Written(0, &Either(&Returned(0), &Passed(0))), Any])),
    PackageFunction {
        package: REACT,
        names: &["forwardRef"],
        params: &[Callback(&[Written(1, &Any), Shape::Of(Known::Ref, &[Written(0, &Any)])])],
        out: Shape::Of(Known::Component, &[Written(1, &Any)]),
    },
    gives(RXJS, &["firstValueFrom", "lastValueFrom"], Promise(&First(&Passed(0)))),
];

/// Types, and classes with what is static in them.
static PACKAGE_TYPES: &[(&str, &[&str], Known)] = &[
    (ANGULAR, &["Type"], Known::ClassOf),
    (ANGULAR, &["Injector", "EnvironmentInjector"], Known::Container),
    (ANGULAR, &["InjectionToken"], Known::Token),
    (ANGULAR, &["ComponentRef", "EmbeddedViewRef"], Known::ComponentRef),
    (ANGULAR, &["ViewContainerRef"], Known::ViewContainer),
    (ANGULAR, &["DebugElement"], Known::DebugElement),
    (ANGULAR, &["QueryList"], Known::QueryList),
    (ANGULAR, &["ElementRef"], Known::ElementRef),
    (ANGULAR, &["Signal", "WritableSignal", "InputSignal", "InputSignalWithTransform", "ModelSignal"], Known::Signal),
    (ANGULAR, &["EventEmitter"], Known::Observable),
    ("@angular/core/testing", &["TestBed"], Known::TestBed),
    ("@angular/core/testing", &["ComponentFixture"], Known::Fixture),
    ("@nestjs/common", &["Type"], Known::ClassOf),
    ("@nestjs/common", &["INestApplication", "INestApplicationContext", "INestMicroservice"], Known::Container),
    ("@nestjs/core", &["ModuleRef"], Known::Container),
    ("@nestjs/core", &["NestFactory"], Known::ContainerFactory),
    ("@nestjs/testing", &["TestingModule"], Known::Container),
    ("@nestjs/testing", &["TestingModuleBuilder"], Known::ContainerBuilder),
    ("@nestjs/testing", &["Test"], Known::ContainerFactory),
    (REACT, &["RefObject", "MutableRefObject", "ForwardedRef"], Known::Ref),
    (REACT, &["Context"], Known::Context),
    (REACT, &["FC", "FunctionComponent", "ComponentType"], Known::Component),
    (RXJS, &["Observable", "Subject", "BehaviorSubject", "ReplaySubject", "AsyncSubject"], Known::Observable),
];

/// Packages of which a row speaks, in a fixed order.
pub static PACKAGES: &[&str] = &[ANGULAR, "@angular/core/testing", "@nestjs/common", "@nestjs/core", "@nestjs/testing", REACT, RXJS];

fn known_type(package: &str, name: &str) -> Option<Known> {
    PACKAGE_TYPES.iter().find(|row| row.0 == package && row.1.contains(&name)).map(|row| row.2)
}

impl Checker<'_> {
    /// The type of a name imported from a package.
    pub fn package_value(&mut self, import: DeclRef) -> Ty {
        let facts = self.facts(import.file);
        let Some(id) = self.tables.import_of(import) else { return Ty::EXTERNAL };
        let import = &facts.imports[id.index()];
        let Some(package) = PACKAGES.iter().position(|package| *package == facts.text(import.module)) else { return Ty::EXTERNAL };
        match import.kind {
            ImportKind::Named => self.package_member(package as u16, facts.text(import.name)),
            _ => self.arena.add(Type::Package(package as u16)),
        }
    }

    /// What a package exports under a name.
    pub fn package_member(&mut self, package: u16, name: &str) -> Ty {
        let package = PACKAGES[usize::from(package)];
        let row = PACKAGE_FUNCTIONS.iter().position(|row| row.package == package && row.names.contains(&name));
        if let Some(row) = row {
            return self.arena.add(Type::PackageFunction(row as u16));
        }
        match known_type(package, name) {
            Some(known) => self.arena.add(Type::BuiltInValue(known)),
            None => Ty::EXTERNAL,
        }
    }

    /// The type that a name from a package names: `Signal<T>`, `React.FC<P>`.
    pub fn package_type(&mut self, place: Place, segments: &[Segment], args: &[Ty]) -> Option<Ty> {
        let name = self.name(place.file, segments.first()?.name);
        let space = if segments.len() == 1 { Space::Type } else { Space::Namespace };
        let import = *self.lookup(place, name, space).first()?;
        let id = self.tables.import_of(import)?;
        let known = self.imported_type(import.file, id, segments)?;
        Some(self.arena.built_in(known, args))
    }

    fn imported_type(&mut self, file: FileId, id: ImportId, segments: &[Segment]) -> Option<Known> {
        let facts = self.facts(file);
        let import = &facts.imports[id.index()];
        let name = match (import.kind, segments) {
            (ImportKind::Named, [_]) => import.name,
            (ImportKind::Default | ImportKind::Namespace | ImportKind::Require, [_, member]) => member.name,
            _ => return None,
        };
        known_type(facts.text(import.module), facts.text(name))
    }
}
