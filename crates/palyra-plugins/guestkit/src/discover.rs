//! Finding guests: every directory with a `guest.toml` below some roots.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::GuestkitError;
use crate::guest::{GUEST_FILE, Guest};

/// Directories of a project that are searched for guests.
const GUEST_ROOTS: &[&str] = &["examples/skills", "tests/guests"];

const NEVER_ENTERED: &[&str] = &["target", "node_modules", "__pycache__", ".git"];

/// Reads every guest below `roots`, or below the default directories of `project` if `roots` is empty.
///
/// The guests are sorted by path and have distinct names.
pub fn find_guests(project: &Path, roots: &[PathBuf]) -> Result<Vec<Guest>, GuestkitError> {
    let usual: Vec<PathBuf> =
        GUEST_ROOTS.iter().map(|root| project.join(root)).filter(|root| root.is_dir()).collect();
    let roots = if roots.is_empty() { &usual } else { roots };
    let mut directories = Vec::new();
    for root in roots {
        collect(root, &mut directories)?;
    }
    directories.sort();
    directories.dedup();
    let guests = directories.iter().map(|path| Guest::read(path)).collect::<Result<Vec<_>, _>>()?;
    refuse_shared_names(&guests)?;
    Ok(guests)
}

/// Returns the project of a path: the nearest parent directory with a `Cargo.toml` and a directory for guests, or the
/// path itself if there is none.
pub fn project_root(path: &Path) -> PathBuf {
    path.ancestors().find(|directory| is_project(directory)).unwrap_or(path).to_path_buf()
}

fn is_project(directory: &Path) -> bool {
    directory.join("Cargo.toml").is_file() && GUEST_ROOTS.iter().any(|root| directory.join(root).is_dir())
}

fn collect(directory: &Path, found: &mut Vec<PathBuf>) -> Result<(), GuestkitError> {
    if directory.join(GUEST_FILE).is_file() {
        found.push(directory.canonicalize().map_err(GuestkitError::file("find", directory))?);
        return Ok(());
    }
    for entry in std::fs::read_dir(directory).map_err(GuestkitError::file("list", directory))? {
        let entry = entry.map_err(GuestkitError::file("list", directory))?;
        let entered = entry.file_type().is_ok_and(|kind| kind.is_dir())
            && !NEVER_ENTERED.iter().any(|name| entry.file_name() == *name);
        if entered {
            collect(&entry.path(), found)?;
        }
    }
    Ok(())
}

fn refuse_shared_names(guests: &[Guest]) -> Result<(), GuestkitError> {
    let mut seen: BTreeMap<&str, &Guest> = BTreeMap::new();
    for guest in guests {
        if let Some(first) = seen.insert(guest.name(), guest) {
            return Err(GuestkitError::DuplicateName {
                name: guest.name().to_owned(),
                first: first.directory().to_path_buf(),
                second: guest.directory().to_path_buf(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add_guest(project: &Path, path: &str, name: &str) {
        let directory = project.join(path);
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("guest.wat"), "(module)").unwrap();
        std::fs::write(directory.join(GUEST_FILE), format!("lang = \"wat\"\nname = \"{name}\"")).unwrap();
    }

    fn names(project: &Path, roots: &[PathBuf]) -> Vec<String> {
        find_guests(project, roots).unwrap().iter().map(|guest| guest.name().to_owned()).collect()
    }

    #[test]
    fn guests_are_found_in_the_usual_places_in_order() {
        let project = tempfile::tempdir().unwrap();
        assert!(names(project.path(), &[]).is_empty());
        add_guest(project.path(), "tests/guests/wat/b", "b");
        add_guest(project.path(), "examples/skills/a", "a");
        add_guest(project.path(), "examples/skills/a/target/copy", "a");
        add_guest(project.path(), "elsewhere/c", "c");
        assert_eq!(names(project.path(), &[]), ["a", "b"]);
        assert_eq!(names(project.path(), &[project.path().join("elsewhere")]), ["c"]);
        let twice = [project.path().join("elsewhere"), project.path().join("elsewhere/c")];
        assert_eq!(names(project.path(), &twice), ["c"]);
    }

    #[test]
    fn two_guests_of_one_name_are_refused() {
        let project = tempfile::tempdir().unwrap();
        add_guest(project.path(), "examples/skills/a", "same");
        add_guest(project.path(), "tests/guests/b", "same");
        let error = find_guests(project.path(), &[]).unwrap_err();
        assert!(matches!(error, GuestkitError::DuplicateName { .. }), "{error:?}");
    }

    #[test]
    fn the_project_is_where_guests_have_their_place() {
        let project = tempfile::tempdir().unwrap();
        let inner = project.path().join("tests/guests/rust/a");
        std::fs::create_dir_all(&inner).unwrap();
        assert_eq!(project_root(&inner), inner);
        std::fs::write(inner.join("Cargo.toml"), "").unwrap();
        std::fs::write(project.path().join("tests/guests/rust/Cargo.toml"), "").unwrap();
        assert_eq!(project_root(&inner), inner);
        std::fs::write(project.path().join("Cargo.toml"), "").unwrap();
        assert_eq!(project_root(&inner), project.path());
    }
}
