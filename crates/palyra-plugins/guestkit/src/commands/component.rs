//! The `guestkit component` command.

use std::path::{Path, PathBuf};

use palyra_plugins_guestkit::{GuestkitError, encode_component};

/// Encode a core module that has WIT bindings into a component.
///
/// Example: guestkit component guest.core.wasm guest.wasm
#[derive(clap::Args)]
pub(super) struct Args {
    /// The core module.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The component.
    #[arg(value_name = "OUT")]
    output: PathBuf,
}

pub(super) fn run(args: Args) -> Result<(), GuestkitError> {
    let core = std::fs::read(&args.input).map_err(file("read", &args.input))?;
    let component = encode_component(&core)?;
    std::fs::write(&args.output, component).map_err(file("write", &args.output))
}

fn file(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> GuestkitError {
    let path = path.to_path_buf();
    move |source| GuestkitError::File { action, path, source }
}
