//! Resolves paths of a guest: into a granted root, to `/` itself, or outside.

use super::Node;
use palyra_common::CapabilityGrantSet;

/// A path, resolved by its text alone; links are resolved where the file is opened.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Located {
    /// The directory that holds the roots.
    Top,
    /// In a granted root.
    Inside {
        root: usize,
        /// Whether `relative` starts at the given descriptor instead of the root.
        from_descriptor: bool,
        relative: String,
        path: String,
    },
    /// In no granted root.
    Outside { path: String },
}

/// Resolves `path` as seen from a descriptor.
pub(super) fn locate(node: &Node, path: &str, grants: &CapabilityGrantSet) -> Located {
    let absolute = if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", node.path) };
    let segments = normal_segments(&absolute);
    let whole = format!("/{}", segments.join("/"));
    if let Some(root) = node.root
        && !path.starts_with('/')
        && !climbs(path)
    {
        return Located::Inside { root, from_descriptor: true, relative: path.to_owned(), path: whole };
    }
    let Some((first, rest)) = segments.split_first() else { return Located::Top };
    match grants.filesystem().iter().position(|grant| grant.root.as_str() == *first) {
        Some(root) => {
            let relative = if rest.is_empty() { ".".to_owned() } else { rest.join("/") };
            Located::Inside { root, from_descriptor: false, relative, path: whole }
        }
        None => Located::Outside { path: whole },
    }
}

/// Returns whether a relative path leaves its start at any point.
fn climbs(path: &str) -> bool {
    let mut depth = 0_usize;
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

/// Returns the segments without `.` and `..`; `..` at the start is dropped.
fn normal_segments(path: &str) -> Vec<&str> {
    let mut segments = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            name => segments.push(name),
        }
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;
    use palyra_common::OperatorGrants;

    #[test]
    fn paths_lead_into_roots_or_nowhere() {
        let grants = OperatorGrants::parse(["fs-read:docs=/srv/docs", "fs-write:out=/srv/out"]).unwrap();
        let grants = grants.capabilities;
        let docs = Node { path: "/docs".into(), root: Some(0), ..Node::top() };
        let deeper = Node { path: "/docs/a".into(), root: Some(0), ..Node::top() };
        let inside = |root, from_descriptor, relative: &str, path: &str| Located::Inside {
            root,
            from_descriptor,
            relative: relative.into(),
            path: path.into(),
        };
        let outside = |path: &str| Located::Outside { path: path.into() };
        for (node, path, expected) in [
            (&Node::top(), ".", Located::Top),
            (&Node::top(), "../..", Located::Top),
            (&Node::top(), "docs/x", inside(0, false, "x", "/docs/x")),
            (&Node::top(), "docs", inside(0, false, ".", "/docs")),
            (&Node::top(), "docs/../out/x", inside(1, false, "x", "/out/x")),
            (&Node::top(), "etc/passwd", outside("/etc/passwd")),
            (&Node::top(), "/etc/passwd", outside("/etc/passwd")),
            (&docs, "x/../y", inside(0, true, "x/../y", "/docs/y")),
            (&docs, "../secret.txt", outside("/secret.txt")),
            (&docs, "x/../../out/y", inside(1, false, "y", "/out/y")),
            (&docs, "/etc/passwd", outside("/etc/passwd")),
            (&deeper, "../b", inside(0, false, "b", "/docs/b")),
            (&deeper, "../../etc", outside("/etc")),
        ] {
            assert_eq!(locate(node, path, &grants), expected, "{path} from {}", node.path);
        }
    }
}
