//! The files of the console that are compiled into `palyrad`.
//!
//! `cargo xtask build` builds `apps/web` with Node.js and embeds what that wrote. Without it this crate is empty, and
//! the daemon serves a page that says how to build the console.

#![forbid(unsafe_code)]

/// One file of the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageFile {
    /// Its path below the root of the daemon, for example `/index.html`.
    pub path: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// A strong validator made of its content, with quotes.
    pub etag: &'static str,
    /// Its bytes.
    pub bytes: &'static [u8],
    /// The same compressed with gzip, where that is much smaller.
    pub gzip: Option<&'static [u8]>,
}

/// Every file, by path.
pub const FILES: &[PageFile] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Whether this program has the console.
pub const fn is_built() -> bool {
    !FILES.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_console_has_an_index_and_paths_from_the_root() {
        assert_eq!(is_built(), FILES.iter().any(|file| file.path == "/index.html"));
        for file in FILES {
            assert!(file.path.starts_with('/') && file.etag.len() == 34, "{}", file.path);
            assert!(file.gzip.is_none_or(|gzip| gzip.starts_with(&[0x1f, 0x8b])), "{}", file.path);
        }
    }
}
