//! `cargo xtask router`

mod cases;
mod judge;

use anyhow::{Result, ensure};
use jiff::Zoned;
use palyra_router::{ToolIndex, prefill, rank_among};

use self::cases::Case;
use crate::{output, project, shell};

/// The package with the cases; Apache-2.0, downloaded and never committed.
const PACKAGE: &str = "bfcl-eval==2026.3.23";

/// Measure the local router on the Berkeley function-calling cases
///
/// Fetches PyPI `bfcl-eval` into target/router and prints, for its slices `multiple` and `live_multiple`, how often the
/// right tool comes first among the tools of a case and among all tools of the slice, and how often all required
/// arguments of the right tool are filled in as the answers have them. The rarity of terms always follows from all tools
/// of the slice. Fails if a slice is below its goal.
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

pub(super) fn run(args: Args) -> Result<()> {
    let folder = project::target().join("router");
    let mut pip = shell::command("python3");
    pip.args(["-m", "pip", "download", "--no-deps", "--quiet", "--dest"]).arg(&folder).arg(PACKAGE);
    shell::run(pip)?;
    let mut below = Vec::new();
    for slice in SLICES {
        let cases = cases::read(&folder, slice.name)?;
        let shares = measure(&slice, &cases, args.failures)?;
        if shares.0 < slice.tool || shares.1 < slice.arguments {
            below.push(slice.name);
        }
    }
    ensure!(below.is_empty(), "below the goal: {}", below.join(", "));
    Ok(())
}

/// Prints one slice, and returns the shares of right tools and of right required arguments.
fn measure(slice: &Slice, cases: &[Case], failures: bool) -> Result<(f64, f64)> {
    let now: Zoned = "2024-06-03T09:00[UTC]".parse()?;
    let tools = cases::distinct_tools(cases);
    let index = ToolIndex::new(tools.iter().map(|tool| tool.text()));
    let (mut offered, mut all, mut arguments) = (0_usize, 0_usize, 0_usize);
    for case in cases {
        let first = |accept: &dyn Fn(usize) -> bool| {
            let ranked = rank_among(&index, &case.sentence, accept);
            ranked.first().map(|ranked| tools[ranked.tool].name.as_str())
        };
        let among_offered = first(&|tool| case.tools.iter().any(|offered| offered.name == tools[tool].name));
        offered += usize::from(among_offered == Some(&case.right));
        all += usize::from(first(&|_| true) == Some(&case.right));
        if failures && among_offered != Some(&case.right) {
            output::line(&format!(
                "tool  {}\n      {among_offered:?} instead of {}",
                case.sentence, case.right
            ));
        }
        let Some(tool) = case.tools.iter().find(|tool| tool.name == case.right) else { continue };
        let filled = prefill(&tool.schema, &case.sentence, &now);
        let wrong = judge::wrong_arguments(&tool.schema, &filled.arguments, &case.answer);
        arguments += usize::from(wrong.is_empty());
        if failures && !wrong.is_empty() && slice.arguments > 0.0 {
            output::line(&format!("args  {} {}", case.right, case.sentence));
            wrong.iter().for_each(|wrong| output::line(&format!("      {wrong}")));
        }
    }
    let share = |count: usize| count as f64 / cases.len().max(1) as f64;
    output::line(&format!(
        "{:<14} {} cases, {} tools: right tool {:.1} % of those offered (goal {:.1} %), {:.1} % of all; arguments {:.1} % \
         (goal {:.1} %)",
        slice.name,
        cases.len(),
        tools.len(),
        share(offered) * 100.0,
        slice.tool * 100.0,
        share(all) * 100.0,
        share(arguments) * 100.0,
        slice.arguments * 100.0,
    ));
    Ok((share(offered), share(arguments)))
}
