//! The WIT contract that guests are built against, compiled in so that guestkit works anywhere.

use std::path::{Path, PathBuf};

use wit_parser::{Resolve, WorldId};

use crate::cache::write_whole;
use crate::error::GuestkitError;

/// The text of `palyra:plugin`.
pub(crate) const WIT: &str = include_str!("../../sdk/wit/palyra-sdk.wit");

const FILE_NAME: &str = "palyra-sdk.wit";

/// Parses the contract and finds `world` in it.
pub(crate) fn resolve_world(world: &str) -> Result<(Resolve, WorldId), GuestkitError> {
    let fail = |source: Box<dyn std::error::Error + Send + Sync>| GuestkitError::Wit {
        world: world.to_owned(),
        source,
    };
    let mut resolve = Resolve::default();
    let package = resolve.push_str(FILE_NAME, WIT).map_err(|error| fail(error.into()))?;
    let id = resolve.select_world(&[package], Some(world)).map_err(|error| fail(error.into()))?;
    Ok((resolve, id))
}

/// Writes the contract into `directory`, for a tool that needs a path.
pub(crate) fn write_wit(directory: &Path) -> Result<PathBuf, GuestkitError> {
    let folder = directory.join("wit");
    write_whole(&folder.join(FILE_NAME), WIT.as_bytes())?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_worlds_exist_and_others_do_not() {
        for world in ["tool-plugin", "described-tool-plugin", "hook-plugin", "full-plugin"] {
            assert!(resolve_world(world).is_ok(), "{world}");
        }
        assert!(matches!(resolve_world("nothing"), Err(GuestkitError::Wit { .. })));
    }
}
