//! Files and directories that other users can access.

use crate::support::{Home, files_in, fill, read_all, set_mode};
use palyra_vault::{KeySourceChoice, Vault, VaultError};
use std::os::unix::fs::{MetadataExt, symlink};

#[test]
fn everything_is_private_from_the_start() {
    let (home, vault) = Home::with_vault();
    fill(&vault);
    for file in files_in(&home.path) {
        assert_eq!(file.metadata().unwrap().mode() & 0o7777, 0o600, "{}", file.display());
    }
    for directory in ["", "secrets", "keys"] {
        assert_eq!(home.path.join(directory).metadata().unwrap().mode() & 0o7777, 0o700, "{directory}");
    }
}

#[test]
fn a_file_that_others_may_read_or_write_is_refused() {
    let (home, vault) = Home::with_vault();
    fill(&vault);
    for file in files_in(&home.path) {
        for mode in [0o640, 0o604, 0o620, 0o602, 0o644, 0o660] {
            set_mode(&file, mode);
            let refused = read_all(&home.path).unwrap_err();
            assert!(
                root_text(&refused).contains("is accessible to other users"),
                "{}: {refused}",
                file.display()
            );
            assert_eq!(refused.hint(), Some(format!("chmod 600 {}", file.display())));
        }
        set_mode(&file, 0o600);
    }
    read_all(&home.path).unwrap();
}

#[test]
fn a_directory_that_others_may_enter_is_refused() {
    let (home, vault) = Home::with_vault();
    fill(&vault);
    for name in ["", "secrets", "keys"] {
        let directory = home.path.join(name);
        for mode in [0o750, 0o705, 0o711, 0o777] {
            set_mode(&directory, mode);
            assert!(
                read_all(&home.path).unwrap_err().to_string().contains("is accessible to other users"),
                "{name}"
            );
        }
        set_mode(&directory, 0o700);
    }
    read_all(&home.path).unwrap();
}

#[test]
fn links_are_refused() {
    let (home, vault) = Home::with_vault();
    fill(&vault);
    let outside = home.path.parent().unwrap().join("outside");
    for file in files_in(&home.path) {
        std::fs::hard_link(&file, &outside).unwrap();
        assert!(root_text(&read_all(&home.path).unwrap_err()).contains("2 names"), "{}", file.display());
        std::fs::remove_file(&file).unwrap();
        symlink(&outside, &file).unwrap();
        assert!(
            root_text(&read_all(&home.path).unwrap_err()).contains("symbolic link"),
            "{}",
            file.display()
        );
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        assert!(root_text(&read_all(&home.path).unwrap_err()).contains("directory"), "{}", file.display());
        std::fs::remove_dir(&file).unwrap();
        std::fs::rename(&outside, &file).unwrap();
    }
    read_all(&home.path).unwrap();
}

#[test]
fn a_linked_directory_is_refused() {
    let (home, vault) = Home::with_vault();
    fill(&vault);
    let elsewhere = home.path.parent().unwrap().join("elsewhere");
    for name in ["secrets", "keys", ""] {
        let directory = home.path.join(name);
        let directory = directory.components().collect::<std::path::PathBuf>();
        std::fs::rename(&directory, &elsewhere).unwrap();
        symlink(&elsewhere, &directory).unwrap();
        assert!(read_all(&home.path).unwrap_err().to_string().contains("is not a directory"), "{name}");
        std::fs::remove_file(&directory).unwrap();
        std::fs::rename(&elsewhere, &directory).unwrap();
    }
    read_all(&home.path).unwrap();
}

#[test]
fn a_vault_is_made_once_and_opened_only_where_it_is() {
    let home = Home::empty();
    assert!(matches!(Vault::open(&home.path, None), Err(VaultError::NotInitialised { .. })));
    std::fs::create_dir(&home.path).unwrap();
    set_mode(&home.path, 0o700);
    assert!(matches!(Vault::open(&home.path, None), Err(VaultError::NotInitialised { .. })));
    Vault::init(&home.path, KeySourceChoice::File).unwrap();
    assert!(matches!(
        Vault::init(&home.path, KeySourceChoice::File),
        Err(VaultError::AlreadyInitialised { .. })
    ));
    home.open();
}

#[test]
fn a_directory_open_to_others_gets_no_vault() {
    let home = Home::empty();
    std::fs::create_dir(&home.path).unwrap();
    set_mode(&home.path, 0o755);
    assert!(Vault::init(&home.path, KeySourceChoice::File).is_err());
    assert!(files_in(&home.path).is_empty());
}

/// The whole chain as one text.
fn root_text(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", root_text(source)),
        None => error.to_string(),
    }
}
