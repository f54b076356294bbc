//! How large a module may be in every respect, and the meter that stops a scan before it gets slow.
//!
//! A budget is charged with a declared count before the thing that is counted is read, so that a hostile
//! module costs at most what an honest one at the limit costs.

use serde::{Deserialize, Serialize};

macro_rules! budgets {
    ($( $(#[doc = $doc:literal])* $field:ident $kind:ident = $default:expr, $ceiling:expr; )*) => {
        /// The largest values an audit accepts; sums run over all nested modules of one module file.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Budgets {
            $( $(#[doc = $doc])* #[doc = concat!("\n\nDefault ", stringify!($default), ".")] pub $field: u64, )*
        }

        impl Default for Budgets {
            fn default() -> Self {
                Self { $( $field: $default, )* }
            }
        }

        impl Budgets {
            /// The first budget over what a policy may set: its name, its value, its ceiling.
            pub(crate) fn over_ceiling(&self) -> Option<(&'static str, u64, u64)> {
                $( if self.$field > $ceiling { return Some((stringify!($field), self.$field, $ceiling)); } )*
                None
            }

            /// Every budget by its name in the policy.
            pub fn by_name(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
                [$( (stringify!($field), self.$field), )*].into_iter()
            }

            const fn get(&self, kind: BudgetKind) -> u64 {
                match kind { $( BudgetKind::$kind => self.$field, )* }
            }
        }

        /// What is counted.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum BudgetKind {
            $( $kind, )*
        }

        impl BudgetKind {
            /// The name of the budget in the policy.
            pub(crate) const fn name(self) -> &'static str {
                match self { $( Self::$kind => stringify!($field), )* }
            }
        }

        const KINDS: usize = [$( BudgetKind::$kind, )*].len();
    };
}

budgets! {
    /// Bytes of one module file.
    module_bytes ModuleBytes = 96 << 20, 96 << 20;
    /// How deep modules and components are nested.
    nesting Nesting = 16, 32;
    /// Modules and components in one file.
    modules Modules = 256, 1_000;
    /// Types.
    types Types = 100_000, 200_000;
    /// Parameters and results of one function type.
    type_arity TypeArity = 256, 1_000;
    /// Parameters and results of all types together.
    type_items TypeItems = 1_000_000, 2_000_000;
    /// Functions.
    functions Functions = 250_000, 500_000;
    /// Bytes of the largest function body.
    body_bytes BodyBytes = 1 << 20, 4 << 20;
    /// Steps of validating one function; its stack contents are in memory during validation.
    body_steps BodySteps = 8_000_000, 16_000_000;
    /// Locals of one function.
    locals Locals = 10_000, 50_000;
    /// Locals of all functions together.
    total_locals TotalLocals = 8_000_000, 16_000_000;
    /// Targets of one `br_table`.
    br_table_targets BrTableTargets = 16_384, 100_000;
    /// Imports, exports and other names that are kept while validating.
    names Names = 200_000, 200_000;
    /// Functions the outermost module or component exports.
    exported_functions ExportedFunctions = 128, 128;
    /// Globals.
    globals Globals = 100_000, 200_000;
    /// Tables.
    tables Tables = 100, 200;
    /// Elements of all tables at the start.
    table_elements TableElements = 1_000_000, 10_000_000;
    /// Items of element segments.
    segment_elements SegmentElements = 2_000_000, 4_000_000;
    /// Data segments.
    data_segments DataSegments = 100_000, 100_000;
    /// Bytes of all custom sections: names, producers, debug information.
    custom_bytes CustomBytes = 2 << 20, 32 << 20;
    /// Memories.
    memories Memories = 64, 100;
    /// Bytes of all memories at the start.
    initial_memory_bytes InitialMemory = 1 << 30, 4 << 30;
    /// Bytes of the sections that wire a component together.
    component_bytes ComponentBytes = 1 << 20, 1 << 20;
    /// Instances, imports and exports of components, each of which may copy a type.
    component_items ComponentItems = 10_000, 20_000;
    /// Component bytes times items, the bound on types that copy each other.
    component_growth ComponentGrowth = 1 << 28, 1 << 28;
    /// Steps of validation: one for an instruction, one for each value it takes or gives.
    work Work = 120_000_000, 120_000_000;
}

/// Scope of the audit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditWork {
    /// Bytes of modules.
    pub module_bytes: u64,
    /// Modules and components, nested ones included.
    pub modules: u64,
    /// Function bodies.
    pub functions: u64,
    /// Steps of validation.
    pub steps: u64,
    /// Bytes of data and assets searched for patterns.
    pub searched_bytes: u64,
}

/// A budget that was exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exceeded {
    pub(crate) kind: BudgetKind,
    pub(crate) used: u64,
    pub(crate) allowed: u64,
}

/// Counts against budgets while one module file is read.
pub(crate) struct Meter<'policy> {
    budgets: &'policy Budgets,
    sums: [u64; KINDS],
    steps: u64,
    /// What all modules of the skill have used of the work budget before this one.
    steps_before: u64,
}

impl<'policy> Meter<'policy> {
    pub(crate) fn new(budgets: &'policy Budgets, work: &AuditWork) -> Self {
        Self { budgets, sums: [0; KINDS], steps: 0, steps_before: work.steps }
    }

    /// Adds to a sum.
    pub(crate) fn charge(&mut self, kind: BudgetKind, amount: impl TryInto<u64>) -> Result<(), Exceeded> {
        let amount = amount.try_into().unwrap_or(u64::MAX);
        let used = match self.sums.get_mut(kind as usize) {
            Some(sum) => {
                *sum = sum.saturating_add(amount);
                *sum
            }
            None => amount,
        };
        self.limit(kind, used)
    }

    /// Compares one value.
    pub(crate) fn limit(&self, kind: BudgetKind, used: impl TryInto<u64>) -> Result<(), Exceeded> {
        let used = used.try_into().unwrap_or(u64::MAX);
        let allowed = self.budgets.get(kind);
        if used > allowed { Err(Exceeded { kind, used, allowed }) } else { Ok(()) }
    }

    /// Adds steps of validation; all modules of a skill share this budget.
    pub(crate) fn step(&mut self, steps: u64) -> Result<(), Exceeded> {
        self.steps = self.steps.saturating_add(steps);
        self.limit(BudgetKind::Work, self.steps.saturating_add(self.steps_before))
    }

    pub(crate) fn sum(&self, kind: BudgetKind) -> u64 {
        self.sums.get(kind as usize).copied().unwrap_or_default()
    }

    /// Adds what was done here to the whole.
    pub(crate) fn add_to(&self, work: &mut AuditWork) {
        work.module_bytes = work.module_bytes.saturating_add(self.sum(BudgetKind::ModuleBytes));
        work.modules = work.modules.saturating_add(self.sum(BudgetKind::Modules));
        work.functions = work.functions.saturating_add(self.sum(BudgetKind::Functions));
        work.steps = work.steps.saturating_add(self.steps);
    }
}
