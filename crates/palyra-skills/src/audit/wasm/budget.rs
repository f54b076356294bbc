//! Size limits for modules, and the meter that stops a scan before it becomes slow.
//!
//! A budget is charged with a declared count before the counted items are read, so a hostile module costs at most
//! as much as an honest one at the limit.

use serde::{Deserialize, Serialize};

macro_rules! budgets {
    ($( $(#[doc = $doc:literal])* $field:ident $kind:ident = $default:expr, $ceiling:expr; )*) => {
        /// The largest values an audit accepts; sums include all nested modules of a module file.
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
            /// Returns the first budget over its ceiling: name, value and ceiling.
            pub(crate) fn over_ceiling(&self) -> Option<(&'static str, u64, u64)> {
                $( if self.$field > $ceiling { return Some((stringify!($field), self.$field, $ceiling)); } )*
                None
            }

            /// Iterates over the budgets, with their names in the policy.
            pub fn by_name(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
                [$( (stringify!($field), self.$field), )*].into_iter()
            }

            const fn get(&self, kind: BudgetKind) -> u64 {
                match kind { $( BudgetKind::$kind => self.$field, )* }
            }
        }

        /// The quantity that a budget limits.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum BudgetKind {
            $( $kind, )*
        }

        impl BudgetKind {
            /// Returns the name of the budget in the policy.
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
    /// Nesting depth of modules and components.
    nesting Nesting = 16, 32;
    /// Modules and components in one file.
    modules Modules = 256, 1_000;
    /// Type definitions, including those of nested modules.
    types Types = 100_000, 200_000;
    /// Parameters and results of one function type.
    type_arity TypeArity = 256, 1_000;
    /// Parameters and results of all types together.
    type_items TypeItems = 1_000_000, 2_000_000;
    /// Functions, including those of nested modules.
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
    /// Imports, exports and other names that are kept during validation.
    names Names = 200_000, 200_000;
    /// Functions that the outermost module or component exports.
    exported_functions ExportedFunctions = 128, 128;
    /// Globals, including those of nested modules.
    globals Globals = 100_000, 200_000;
    /// Tables, including those of nested modules.
    tables Tables = 100, 200;
    /// Initial elements of all tables.
    table_elements TableElements = 1_000_000, 10_000_000;
    /// Items of element segments.
    segment_elements SegmentElements = 2_000_000, 4_000_000;
    /// Data segments, including those of nested modules.
    data_segments DataSegments = 100_000, 100_000;
    /// Bytes of all custom sections: names, producers, debug information.
    custom_bytes CustomBytes = 2 << 20, 32 << 20;
    /// Memories, including those of nested modules.
    memories Memories = 64, 100;
    /// Initial bytes of all memories.
    initial_memory_bytes InitialMemory = 1 << 30, 4 << 30;
    /// Bytes of the component sections that connect nested modules.
    component_bytes ComponentBytes = 1 << 20, 1 << 20;
    /// Instances, imports and exports of components; each may copy a type.
    component_items ComponentItems = 10_000, 20_000;
    /// Component bytes times component items, which bounds types that copy each other.
    component_growth ComponentGrowth = 1 << 28, 1 << 28;
    /// Steps of validation: one for each instruction and one for each operand or result.
    work Work = 120_000_000, 120_000_000;
}

/// The amount of data and validation work of an audit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditWork {
    /// Bytes of all module files.
    pub module_bytes: u64,
    /// Modules and components, nested ones included.
    pub modules: u64,
    /// Validated function bodies.
    pub functions: u64,
    /// Steps of validation, as counted by the `work` budget.
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

/// Counts against the budgets while one module file is read.
pub(crate) struct Meter<'policy> {
    budgets: &'policy Budgets,
    sums: [u64; KINDS],
    steps: u64,
    /// Steps that earlier modules of the skill charged to the shared `work` budget.
    steps_before: u64,
}

impl<'policy> Meter<'policy> {
    pub(crate) fn new(budgets: &'policy Budgets, work: &AuditWork) -> Self {
        Self { budgets, sums: [0; KINDS], steps: 0, steps_before: work.steps }
    }

    /// Adds `amount` to a sum and checks it; an amount that does not fit into `u64` counts as `u64::MAX`.
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

    /// Checks a single value against a budget, without adding it to a sum.
    pub(crate) fn limit(&self, kind: BudgetKind, used: impl TryInto<u64>) -> Result<(), Exceeded> {
        let used = used.try_into().unwrap_or(u64::MAX);
        let allowed = self.budgets.get(kind);
        if used > allowed { Err(Exceeded { kind, used, allowed }) } else { Ok(()) }
    }

    /// Adds steps of validation. All modules of a skill share this budget.
    pub(crate) fn step(&mut self, steps: u64) -> Result<(), Exceeded> {
        self.steps = self.steps.saturating_add(steps);
        self.limit(BudgetKind::Work, self.steps.saturating_add(self.steps_before))
    }

    pub(crate) fn sum(&self, kind: BudgetKind) -> u64 {
        self.sums.get(kind as usize).copied().unwrap_or_default()
    }

    /// Adds the counts of this module to those of the skill.
    pub(crate) fn add_to(&self, work: &mut AuditWork) {
        work.module_bytes = work.module_bytes.saturating_add(self.sum(BudgetKind::ModuleBytes));
        work.modules = work.modules.saturating_add(self.sum(BudgetKind::Modules));
        work.functions = work.functions.saturating_add(self.sum(BudgetKind::Functions));
        work.steps = work.steps.saturating_add(self.steps);
    }
}
