//! The files of a new skill; `templates/skill` has them with `{{names}}` to fill in.

use super::{Lang, Names};
use crate::error::CliError;
use palyra_plugins_guestkit::{sdk_files, sdk_lock_file};

/// Directory of the SDK in a Rust skill.
pub(super) const SDK: &str = "palyra-sdk/";

/// Path and text of a file in the skill.
type Template = (&'static str, &'static str);

macro_rules! template {
    ($path:literal, $file:literal) => {
        ($path, include_str!(concat!("../../../../templates/skill/", $file)))
    };
}

const COMMON: [Template; 4] = [
    template!(".gitignore", "common/gitignore"),
    template!("guest.toml", "common/guest.toml"),
    template!("skill.toml", "common/skill.toml"),
    template!("tests/greet.json", "common/tests.json"),
];

/// Higher limits for Python, whose interpreter needs more than the defaults to start.
const PYTHON_QUOTAS: &str = include_str!("../../../../templates/skill/python/quotas.toml");

fn of_language(lang: Lang) -> Vec<Template> {
    match lang {
        Lang::Rust => vec![
            template!("Cargo.toml", "rust/Cargo.toml"),
            template!("src/lib.rs", "rust/src/lib.rs"),
            template!(".cargo/config.toml", "rust/.cargo/config.toml"),
        ],
        Lang::Js => vec![template!("guest.js", "js/guest.js")],
        Lang::Ts => vec![template!("guest.ts", "ts/guest.ts")],
        Lang::Python => vec![template!("guest.py", "python/guest.py")],
        Lang::C => vec![
            template!("src/guest.c", "c/src/guest.c"),
            ("src/json.c", include_str!("../../../../../../examples/skills/wordcount-c/src/json.c")),
            ("src/json.h", include_str!("../../../../../../examples/skills/wordcount-c/src/json.h")),
        ],
        Lang::Wat => vec![template!("guest.wat", "wat/guest.wat")],
    }
}

/// Returns every file of the skill, sorted by path.
pub(super) fn files(lang: Lang, names: &Names) -> Result<Vec<(String, String)>, CliError> {
    let templates = COMMON.into_iter().chain(of_language(lang));
    let mut files: Vec<(String, String)> =
        templates.map(|(path, text)| (path.to_owned(), filled(text, lang, names))).collect();
    for (path, text) in &mut files {
        match (path.as_str(), lang) {
            ("skill.toml", Lang::Python) => text.push_str(&format!("\n{PYTHON_QUOTAS}")),
            ("guest.toml", Lang::C) => text.push_str("source = \"src\"\n"),
            _ => {}
        }
    }
    if lang == Lang::Rust {
        let sdk = sdk_files().map_err(CliError::from)?;
        files.extend(sdk.into_iter().map(|(path, text)| (format!("{SDK}{path}"), text)));
        files.push(("Cargo.lock".to_owned(), sdk_lock_file(&package(names))));
    }
    files.sort();
    Ok(files)
}

fn filled(text: &str, lang: Lang, names: &Names) -> String {
    let language = match lang {
        Lang::Rust => "rust",
        Lang::Js => "js",
        Lang::Ts => "ts",
        Lang::Python => "python",
        Lang::C => "c",
        Lang::Wat => "wat",
    };
    // A core module has exported functions, a component the interface of the contract.
    let export = if lang == Lang::Wat { "\nexport = \"palyra_plugin_main\"" } else { "" };
    let values = [
        ("{{skill_id}}", names.skill_id()),
        ("{{publisher}}", names.publisher.clone()),
        ("{{guest}}", names.name.clone()),
        ("{{title}}", names.title()),
        ("{{tool}}", names.tool()),
        ("{{package}}", package(names)),
        ("{{lang}}", language.to_owned()),
        ("{{export}}", export.to_owned()),
        ("{{palyra_version}}", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
}

/// Returns the name of the Cargo package; the publisher keeps it different from dependencies.
fn package(names: &Names) -> String {
    format!("{}-{}", names.publisher, names.name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use palyra_skills::parse_manifest_toml;

    #[test]
    fn every_name_is_filled_in_and_every_manifest_is_valid() {
        let names = Names { publisher: "acme".into(), name: "hello-world".into() };
        for lang in [Lang::Rust, Lang::Js, Lang::Ts, Lang::Python, Lang::C, Lang::Wat] {
            let files = files(lang, &names).unwrap();
            for (path, text) in files.iter().filter(|(path, _)| !path.starts_with(SDK)) {
                assert!(!text.contains("{{"), "{lang:?}: {path}");
            }
            let text = |name: &str| &files.iter().find(|(path, _)| path == name).unwrap().1;
            let manifest = parse_manifest_toml(text("skill.toml")).unwrap();
            assert_eq!(manifest.entrypoints.tools[0].id, "acme.hello_world.greet");
            assert_eq!(manifest.entrypoints.tools[0].module, "modules/hello-world.wasm");
        }
    }
}
