//! Embeds the built console: what `npm run build` wrote to `apps/web/dist`, or nothing where it was not built.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// Names the directory of the built console; set by `cargo xtask`, which builds it.
///
/// Cargo looks at it to notice a console that was built since: a directory that does not exist cannot be watched.
const DIRECTORY: &str = "PALYRA_CONSOLE_PAGE";
/// A file that gzip makes smaller by less than a tenth is not worth a second copy.
const WORTH_IT: f64 = 0.9;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={DIRECTORY}");
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let manifest = variable("CARGO_MANIFEST_DIR").ok_or("cargo sets CARGO_MANIFEST_DIR")?;
    let directory = variable(DIRECTORY).unwrap_or_else(|| manifest.join("../../apps/web/dist"));
    let output = variable("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    let mut source = String::from("&[\n");
    if directory.join("index.html").is_file() {
        println!("cargo::rerun-if-changed={}", directory.display());
        let directory = directory.canonicalize()?;
        for path in files(&directory)? {
            source.push_str(&embedded(&directory, &path, &output)?);
        }
    }
    source.push_str("]\n");
    Ok(fs::write(output.join("files.rs"), source)?)
}

/// Every file below a directory, in order.
fn files(directory: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() { found.extend(files(&path)?) } else { found.push(path) }
    }
    found.sort();
    Ok(found)
}

/// The row of one file, whose compressed form is written beside the table.
fn embedded(directory: &Path, path: &Path, output: &Path) -> Result<String, Box<dyn Error>> {
    let name = path.strip_prefix(directory)?.to_str().ok_or("a file of the console has no UTF-8 name")?;
    let bytes = fs::read(path)?;
    let digest = hex::encode(Sha256::digest(&bytes));
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&bytes)?;
    let gzip = encoder.finish()?;
    let mut compressed = "None".to_owned();
    if (gzip.len() as f64) < bytes.len() as f64 * WORTH_IT {
        let file = output.join(format!("{digest}.gz"));
        fs::write(&file, gzip)?;
        compressed = format!("Some(include_bytes!({file:?}))");
    }
    let (tag, media_type) = (format!("\"{}\"", digest.get(..32).unwrap_or_default()), media_type(name)?);
    let mut row = String::new();
    writeln!(
        row,
        "PageFile {{ path: {:?}, media_type: {media_type:?}, etag: {tag:?}, bytes: include_bytes!({path:?}), gzip: {compressed} }},",
        format!("/{name}")
    )?;
    Ok(row)
}

fn media_type(name: &str) -> Result<&'static str, String> {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending).unwrap_or_default();
    Ok(match ending {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => return Err(format!("the console has a file of a kind that is not known: `{name}`")),
    })
}
