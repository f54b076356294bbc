//! Identity of a skill: format version, publisher, release counter, compatibility and texts.

use super::{Checked, Rule, at_most, bounded, distinct, indexed, one_line, require, steps};
use crate::manifest::error::ManifestProblem;
use crate::manifest::model::SkillManifest;
use crate::manifest::names::{MAX_RELEASE_COUNTER, PublisherName, is_skill_name, is_word};

pub(super) const RULES: [Rule; 5] = [check_format, check_publisher, check_counter, check_compat, check_texts];

fn check_format(manifest: &SkillManifest) -> Checked {
    require(
        manifest.manifest_version == 1,
        || steps!["manifest_version"],
        || {
            ManifestProblem::text(
                &manifest.manifest_version.to_string(),
                "`1`, the only version of this format",
            )
        },
    )
}

fn check_counter(manifest: &SkillManifest) -> Checked {
    let counter = manifest.release_counter;
    require(
        (1..=MAX_RELEASE_COUNTER).contains(&counter),
        || steps!["release_counter"],
        || {
            ManifestProblem::text(&counter.to_string(), format!("a number from 1 to {MAX_RELEASE_COUNTER}"))
                .with_fix("start at 1 and add 1 with each release")
        },
    )
}

fn check_publisher(manifest: &SkillManifest) -> Checked {
    let publisher = &manifest.publisher;
    require(
        publisher.parse::<PublisherName>().is_ok(),
        || steps!["publisher"],
        || ManifestProblem::text(publisher, "a publisher like `acme` or `acme_labs`, at most 32 bytes"),
    )?;
    let rest = manifest.skill_id.strip_prefix(publisher.as_str()).and_then(|rest| rest.strip_prefix('.'));
    let name = rest.unwrap_or_default();
    require(
        rest.is_some(),
        || steps!["skill_id"],
        || {
            ManifestProblem::text(
                &manifest.skill_id,
                format!("an id of publisher `{publisher}` such as `{publisher}.notes`"),
            )
            .with_fix(format!("start it with `{publisher}.`"))
        },
    )?;
    require(
        is_skill_name(name),
        || steps!["skill_id"],
        || {
            ManifestProblem::text(
                name,
                "a name of `[a-z0-9]` with single `-` or `_` inside, at most 64 bytes",
            )
        },
    )
}

fn check_compat(manifest: &SkillManifest) -> Checked {
    let compat = &manifest.compat;
    require(
        compat.required_protocol_major >= 1,
        || steps!["compat", "required_protocol_major"],
        || ManifestProblem::text("0", "a major version of the plugin contract, from 1"),
    )?;
    let Some(most) = &compat.max_palyra_version else { return Ok(()) };
    require(
        *most >= compat.min_palyra_version,
        || steps!["compat", "max_palyra_version"],
        || ManifestProblem::text(&most.to_string(), format!("at least `{}`", compat.min_palyra_version)),
    )
}

fn check_texts(manifest: &SkillManifest) -> Checked {
    one_line(&manifest.name, 80, || steps!["name"])?;
    if let Some(summary) = &manifest.summary {
        one_line(summary, 240, || steps!["summary"])?;
    }
    if let Some(description) = &manifest.description {
        bounded(description, 8_192, || steps!["description"])?;
    }
    if let Some(license) = &manifest.license {
        let plain = |c: char| c.is_ascii_alphanumeric() || " .+-:()".contains(c);
        one_line(license, 200, || steps!["license"])?;
        require(
            license.chars().all(plain),
            || steps!["license"],
            || ManifestProblem::text(license, "an SPDX expression such as `MIT OR Apache-2.0`"),
        )?;
    }
    if let Some(homepage) = &manifest.homepage {
        require(
            is_homepage(homepage),
            || steps!["homepage"],
            || ManifestProblem::text(homepage, "an address like `https://example.com/notes`"),
        )?;
    }
    for (key, words) in [("categories", &manifest.categories), ("tags", &manifest.tags)] {
        at_most(words, 16, || steps![key])?;
        for (index, word) in words.iter().enumerate() {
            require(
                word.len() <= 32 && is_word(word, "-"),
                || steps![key, index],
                || {
                    ManifestProblem::text(
                        word,
                        "a word of `[a-z0-9]` with single `-` inside, at most 32 bytes",
                    )
                },
            )?;
        }
        distinct(indexed(words, &[key]))?;
    }
    Ok(())
}

fn is_homepage(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://") else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    text.len() <= 300
        && text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>`\\".contains(&byte))
        && super::manifest_host(host).is_ok_and(|host| !host.is_wildcard())
}
