//! `cargo xtask router`

mod cases;
mod judge;

use anyhow::{Result, ensure};
use jiff::Zoned;
use palyra_router::{ToolIndex, fit, prefill, rank_among};

use self::cases::Case;
use crate::{output, project, shell};

/// The package with the cases; Apache-2.0, downloaded and never committed.
const PACKAGE: &str = "bfcl-eval==2026.3.23";

/// Measure the local router on the Berkeley function-calling cases
///
/// Fetches PyPI `bfcl-eval` into target/router and prints, for its slices `multiple` and `live_multiple`, how often the
/// right tool comes first among the tools of a case, among all tools of 60 cases and among all tools of the slice, and how
/// often all required arguments of the right tool are filled in as the answers have them. The rarity of terms always
/// follows from all tools of the set. Fails if the first figure or the arguments of a slice are below their goal; the
/// other two are lower because different cases bring tools that do the same.
///
/// Example: cargo xtask router
#[derive(clap::Args)]
pub(super) struct Args {
    /// Print every case that is not answered as expected
    #[arg(long)]
    failures: bool,
}

/// A slice of the package with its minimum shares of correct cases: right tool, required arguments.
struct Slice {
    name: &'static str,
    tool: f64,
    arguments: f64,
}

const SLICES: [Slice; 2] = [
    Slice { name: "multiple", tool: 0.975, arguments: 0.62 },
    Slice { name: "live_multiple", tool: 0.86, arguments: 0.0 },
];

/// Number of cases in a small set, which has as many tools as a user may have installed.
const SMALL_SET: usize = 60;

pub(super) fn run(args: Args) -> Result<()> {
    let folder = project::target().join("router");
    let mut pip = shell::command("python3");
    pip.args(["-m", "pip", "download", "--no-deps", "--quiet", "--dest"]).arg(&folder).arg(PACKAGE);
    shell::run(pip)?;
    let mut below = Vec::new();
    for slice in SLICES {
        let cases = cases::read(&folder, slice.name)?;
        let shares = measure(&cases, args.failures)?;
        output::line(&shares.text(&slice, cases.len()));
        if shares.offered < slice.tool || shares.arguments < slice.arguments {
            below.push(slice.name);
        }
    }
    ensure!(below.is_empty(), "below the goal: {}", below.join(", "));
    Ok(())
}

/// Shares of correct cases.
#[derive(Default)]
struct Shares {
    /// The right tool ranks first among those of its case.
    offered: f64,
    /// The right tool ranks first among all tools of the slice.
    all: f64,
    /// The right tool ranks first among all tools of a small set of cases.
    small: f64,
    /// All required arguments of the right tool are correct.
    arguments: f64,
}

impl Shares {
    fn text(&self, slice: &Slice, cases: usize) -> String {
        let percent = |share: f64| share * 100.0;
        format!(
            "{:<14} {cases} cases: right tool {:.1} % of those offered (goal {:.1} %), {:.1} % of all tools of \
             {SMALL_SET} cases, {:.1} % of all tools of the slice; arguments {:.1} % (goal {:.1} %)",
            slice.name,
            percent(self.offered),
            percent(slice.tool),
            percent(self.small),
            percent(self.all),
            percent(self.arguments),
            percent(slice.arguments),
        )
    }
}

fn measure(cases: &[Case], failures: bool) -> Result<Shares> {
    let now: Zoned = "2024-06-03T09:00[UTC]".parse()?;
    let (mut offered, mut small, mut arguments) = (0, 0, 0);
    let all = Set::of(cases, &now);
    for case in cases {
        let first = all.first(case, |name| case.tools.iter().any(|offered| offered.name == name));
        offered += usize::from(first == Some(&case.right));
        if failures && first != Some(&case.right) {
            output::line(&format!("tool  {}\n      {first:?} instead of {}", case.sentence, case.right));
        }
        let wrong = wrong_arguments(case, &now);
        arguments += usize::from(wrong.is_empty());
        if failures && !wrong.is_empty() {
            output::line(&format!(
                "args  {} {}\n      {}",
                case.right,
                case.sentence,
                wrong.join("\n      ")
            ));
        }
    }
    for cases in cases.chunks(SMALL_SET) {
        small += Set::of(cases, &now).right(cases);
    }
    let share = |count: usize| count as f64 / cases.len().max(1) as f64;
    Ok(Shares {
        offered: share(offered),
        all: share(all.right(cases)),
        small: share(small),
        arguments: share(arguments),
    })
}

/// Returns the errors in the arguments that are filled in for the right tool.
fn wrong_arguments(case: &Case, now: &Zoned) -> Vec<String> {
    let Some(tool) = case.tools.iter().find(|tool| tool.name == case.right) else {
        return vec!["the right tool is not offered".to_owned()];
    };
    let filled = prefill(&tool.schema, &case.sentence, now);
    judge::wrong_arguments(&tool.schema, &filled.arguments, &case.answer)
}

/// The tools of some cases, with their index.
struct Set<'n> {
    tools: Vec<cases::Tool>,
    index: ToolIndex,
    now: &'n Zoned,
}

impl<'n> Set<'n> {
    fn of(cases: &[Case], now: &'n Zoned) -> Self {
        let tools = cases::distinct_tools(cases);
        let index = ToolIndex::new(tools.iter().map(|tool| tool.text()));
        Self { tools, index, now }
    }

    /// Returns the tool that ranks first among those that `offered` accepts by their names.
    fn first(&self, case: &Case, offered: impl Fn(&str) -> bool) -> Option<&String> {
        let ranked = rank_among(&self.index, &case.sentence, |tool| offered(&self.tools[tool].name));
        let fitted = fit(ranked, &case.sentence, self.now, |tool| &self.tools[tool].schema);
        fitted.first().map(|(ranked, _)| &self.tools[ranked.tool].name)
    }

    /// Counts the cases whose right tool ranks first among all tools of the set.
    fn right(&self, cases: &[Case]) -> usize {
        cases.iter().filter(|case| self.first(case, |_| true) == Some(&case.right)).count()
    }
}
