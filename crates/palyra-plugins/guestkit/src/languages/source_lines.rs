//! From lines of a bundle to lines of the author's files, read from the bundler's source map.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The fields of a source map that locate lines.
#[derive(Deserialize)]
struct SourceMap {
    sources: Vec<String>,
    mappings: String,
}

/// The source and line, counted from 1, of each line of the bundle; lines of the wrapper have none.
///
/// Lines before `first` and after the end of `at` are the wrapper's: reading the table costs the guest fuel.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct SourceLines {
    sources: Vec<String>,
    first: usize,
    at: Vec<Option<(usize, i64)>>,
}

/// Reads the map of a bundle in `bundle_directory`; files below `wrapper` are not the author's, and names of others are
/// relative to `guest`.
pub(super) fn read(
    map: &[u8],
    bundle_directory: &Path,
    wrapper: &Path,
    guest: &Path,
) -> Result<SourceLines, serde_json::Error> {
    let map: SourceMap = serde_json::from_slice(map)?;
    let paths: Vec<PathBuf> =
        map.sources.iter().map(|source| normalized(&bundle_directory.join(source))).collect();
    let is_own = |source: usize| paths.get(source).is_some_and(|path| !path.starts_with(wrapper));
    let at = origins(&map.mappings);
    let at: Vec<_> = at.into_iter().map(|origin| origin.filter(|(source, _)| is_own(*source))).collect();
    let first = at.iter().position(Option::is_some).unwrap_or(0);
    let end = at.iter().rposition(Option::is_some).map_or(first, |last| last + 1);
    // A name of the machine's directories would make the bytes differ from machine to machine.
    let name = |path: &PathBuf| match path.strip_prefix(guest) {
        Ok(relative) => relative.display().to_string(),
        Err(_) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    };
    Ok(SourceLines { sources: paths.iter().map(name).collect(), first, at: at[first..end].to_vec() })
}

fn normalized(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut whole, part| {
        match part {
            Component::ParentDir => drop(whole.pop()),
            Component::CurDir => {}
            part => whole.push(part),
        }
        whole
    })
}

/// Returns one origin per line, because a table with columns would be many times larger.
///
/// The bundler starts an indented line with a copy of the previous segment, so the second segment is the line's own.
fn origins(mappings: &str) -> Vec<Option<(usize, i64)>> {
    let (mut source, mut line) = (0_i64, 0_i64);
    let lines = mappings.split(';').map(|pieces| {
        let mut found = Vec::new();
        for piece in pieces.split(',') {
            // column in the bundle, source, line, column, and sometimes a name; all except the first are relative
            // values
            if let [_, source_step, line_step, ..] = numbers(piece)[..] {
                source += source_step;
                line += line_step;
                found.extend(usize::try_from(source).ok().map(|source| (source, line + 1)));
            }
        }
        found.get(1).or(found.first()).copied()
    });
    lines.collect()
}

/// Decodes the base64 VLQ numbers of source maps: five bits per digit, with a sign.
fn numbers(piece: &str) -> Vec<i64> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut found, mut value, mut shift) = (Vec::new(), 0_i64, 0_u32);
    for digit in piece.bytes() {
        let bits = DIGITS.iter().position(|known| *known == digit).unwrap_or(0) as i64;
        value |= (bits & 31) << shift.min(58);
        shift += 5;
        if bits & 32 == 0 {
            found.push(if value & 1 == 1 { -(value >> 1) } else { value >> 1 });
            (value, shift) = (0, 0);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_signs_and_more_than_one_digit() {
        assert_eq!(numbers("AAgBC"), [0, 0, 16, 1]);
        assert_eq!(numbers("D"), [-1]);
    }

    #[test]
    fn lines_of_the_author_keep_their_place_and_names() {
        let map = br#"{"sources":["wrapper/a.js","../guest/lib/b.js"],"mappings":"AAAA;ACEA,IAAI;;AACA"}"#;
        let [bundle, wrapper, guest] = ["/w", "/w/wrapper", "/guest"].map(Path::new);
        let lines = read(map, bundle, wrapper, guest).unwrap();
        assert_eq!(lines.sources, ["a.js", "lib/b.js"]);
        assert_eq!((lines.first, lines.at), (1, vec![Some((1, 3)), None, Some((1, 4))]));
    }
}
