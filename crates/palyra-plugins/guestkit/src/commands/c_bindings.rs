//! The `guestkit c-bindings` command.

use std::path::PathBuf;

use palyra_plugins_guestkit::{GuestkitError, write_c_bindings};

use super::output;

/// Write C bindings for a world: a header, a source file and an object that carries the WIT.
///
/// Example: guestkit c-bindings crates/palyra-plugins/sdk/wit tool-plugin bindings
#[derive(clap::Args)]
pub(super) struct Args {
    /// A WIT file or directory.
    #[arg(value_name = "WIT")]
    wit: PathBuf,
    /// The world.
    #[arg(value_name = "WORLD")]
    world: String,
    /// The target directory.
    #[arg(value_name = "OUT_DIR")]
    out: PathBuf,
}

pub(super) fn run(args: Args) -> Result<(), GuestkitError> {
    for path in write_c_bindings(&args.wit, &args.world, &args.out)? {
        output::print(&path.display().to_string());
    }
    Ok(())
}
