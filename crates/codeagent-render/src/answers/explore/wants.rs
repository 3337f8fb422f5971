//! The sections that the words of a question ask for.

use codeagent_core::query::Targets;

/// The sections that a question asks for; by default a bit of everything.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wants {
    pub tests: bool,
    pub no_tests: bool,
    pub implementations: bool,
    pub impact: bool,
    pub levels: bool,
    pub flow: bool,
    pub dependencies: bool,
    pub members: bool,
    pub imports: bool,
    pub callers: bool,
    /// Less likely uses, too.
    pub others: bool,
}

/// Weight of a section that the question asks for.
const WANTED: u32 = 60;

impl Wants {
    /// Parses the words of a question.
    pub fn of(targets: &Targets) -> Self {
        let words = |beginnings: &[&str]| targets.mentions(beginnings);
        let no_tests = words(&["without"]) && words(&["test"]);
        Self {
            tests: words(&["test", "cover"]) && !no_tests,
            no_tests,
            implementations: words(&[
                "implement",
                "subclass",
                "overrid",
                "deriv",
                "exist",
                "extend",
            ]),
            impact: words(&["break", "impact", "chang", "renam", "remov"]),
            levels: words(&["level", "lead"]),
            flow: words(&["happen", "flow"]),
            dependencies: words(&["depend"]),
            members: words(&["public", "surface", "export", "member", "operator", "offer"]),
            imports: words(&["import"]),
            callers: words(&[
                "call",
                "raise",
                "use",
                "read",
                "write",
                "set",
                "construct",
                "creat",
                "fire",
            ]),
            others: false,
        }
    }

    /// Returns the weight of a section: higher if the question asks for it, lower if it asks for
    /// another.
    pub fn weight(self, is_wanted: bool, normal: u32) -> u32 {
        if is_wanted {
            WANTED
        } else if self.asks() {
            normal.div_ceil(2)
        } else {
            normal
        }
    }

    /// Reports whether the question asks for particular sections.
    pub fn asks(self) -> bool {
        self.tests
            || self.implementations
            || self.impact
            || self.levels
            || self.flow
            || self.dependencies
            || self.members
            || self.imports
            || self.callers
    }
}
