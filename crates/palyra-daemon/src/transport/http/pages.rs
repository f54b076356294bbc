//! The static files of the console, which are public; the data shown in them requires a session.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    HeaderName, IF_NONE_MATCH, REFERRER_POLICY, VARY,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use palyra_api::Problem;
use palyra_common::ErrorCode;
use palyra_console_page::PageFile;

use super::answer::Failure;

/// First path segments that do not belong to the pages of the console.
const OTHERS: [&str; 3] = ["v1", "mcp", "console"];
/// Prefix of files whose names contain a digest of their content, so that they can be cached forever.
const HASHED: &str = "/assets/";
const INDEX: &str = "/index.html";
/// Content security policy: only files of this daemon, no inline code, no framing, and no evaluation of text.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
    connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";
const NOT_BUILT: &str = include_str!("pages/not_built.html");
/// Content security policy of the page that replaces a missing console: inline styles only.
const NOT_BUILT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// Returns whether a request is for a file of the console, or for a path that the console routes itself.
pub(super) fn is_page(method: &Method, path: &str) -> bool {
    let first = path.split('/').nth(1).unwrap_or_default();
    matches!(*method, Method::GET | Method::HEAD) && !OTHERS.contains(&first)
}

/// Returns the file of a path, or the index for any other path outside of `/assets/`.
pub(super) fn respond(files: &[PageFile], path: &str, headers: &HeaderMap) -> Response {
    let find = |path: &str| files.iter().find(|file| file.path == path);
    let hashed = path.starts_with(HASHED);
    let file = find(path).or_else(|| find(INDEX).filter(|_| !hashed));
    let mut response = match file {
        Some(file) => serve(file, headers),
        None if hashed => {
            return Failure::from(Problem::new(ErrorCode::NotFound, "the console does not have this file"))
                .into_response();
        }
        None => not_built(),
    };
    let headers = response.headers_mut();
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    for name in ["cross-origin-opener-policy", "cross-origin-resource-policy"] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static("same-origin"));
    }
    response
}

fn serve(file: &PageFile, asked: &HeaderMap) -> Response {
    let lifetime =
        if file.path.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let mut response = if has(asked, IF_NONE_MATCH, file.etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        content(file, asked)
    };
    let headers = response.headers_mut();
    headers.insert(ETAG, HeaderValue::from_static(file.etag));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(lifetime));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

fn content(file: &PageFile, asked: &HeaderMap) -> Response {
    let gzip = file.gzip.filter(|_| has(asked, ACCEPT_ENCODING, "gzip"));
    let mut response = Response::new(Body::from(Bytes::from_static(gzip.unwrap_or(file.bytes))));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(file.media_type));
    if gzip.is_some() {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

fn not_built() -> Response {
    let mut response = Response::new(Body::from(NOT_BUILT));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(NOT_BUILT_POLICY));
    response
}

/// Returns whether a list header contains this member, with a quality above zero if it has one.
fn has(headers: &HeaderMap, name: HeaderName, member: &str) -> bool {
    let lines = headers.get_all(name).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|entry| {
        let (value, quality) = entry.split_once(';').unwrap_or((entry, ""));
        let value = value.trim().trim_start_matches("W/");
        let refused = quality.trim().strip_prefix("q=").and_then(|q| q.parse::<f32>().ok()) == Some(0.0);
        value.eq_ignore_ascii_case(member) && !refused
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    const FILES: &[PageFile] = &[
        PageFile {
            path: "/assets/app-1a2b.js",
            media_type: "text/javascript; charset=utf-8",
            etag: "\"one\"",
            bytes: b"script",
            gzip: Some(b"small"),
        },
        PageFile {
            path: "/index.html",
            media_type: "text/html; charset=utf-8",
            etag: "\"two\"",
            bytes: b"page",
            gzip: None,
        },
    ];

    fn ask(files: &[PageFile], path: &str, name: HeaderName, value: &'static str) -> Response {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static(value));
        respond(files, path, &headers)
    }

    fn header(response: &Response, name: HeaderName) -> &str {
        response.headers().get(name).map_or("", |value| value.to_str().unwrap())
    }

    async fn body(response: Response) -> Bytes {
        axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap()
    }

    #[test]
    fn paths_of_the_api_are_no_pages() {
        for page in
            ["/", "/home", "/runs/run_1/log", "/skills/acme.notes", "/assets/x.js", "/v1x", "//v1/health"]
        {
            assert!(is_page(&Method::GET, page) && is_page(&Method::HEAD, page), "{page}");
            assert!(!is_page(&Method::POST, page) && !is_page(&Method::OPTIONS, page), "{page}");
        }
        for other in
            ["/v1", "/v1/health", "/v1/unknown", "/mcp", "/mcp/stdio", "/console", "/console/session"]
        {
            assert!(!is_page(&Method::GET, other), "{other}");
        }
    }

    #[tokio::test]
    async fn hashed_file_is_kept_forever_and_compressed_where_the_browser_can_read_it() {
        let path = "/assets/app-1a2b.js";
        let plain = ask(FILES, path, ACCEPT_ENCODING, "br, gzip;q=0");
        assert_eq!(header(&plain, CACHE_CONTROL), "public, max-age=31536000, immutable");
        assert_eq!((header(&plain, CONTENT_ENCODING), header(&plain, VARY)), ("", "accept-encoding"));
        assert_eq!(body(plain).await, "script");
        let small = ask(FILES, path, ACCEPT_ENCODING, "deflate, gzip;q=0.5");
        assert_eq!(header(&small, CONTENT_ENCODING), "gzip");
        assert_eq!(body(small).await, "small");
    }

    #[tokio::test]
    async fn every_path_of_the_console_is_its_index_under_a_strict_policy() {
        for path in ["/", "/home", "/skills/acme.notes/versions", "/index.html"] {
            let page = ask(FILES, path, ACCEPT_ENCODING, "gzip");
            assert_eq!(
                (header(&page, CACHE_CONTROL), header(&page, ETAG)),
                ("no-cache", "\"two\""),
                "{path}"
            );
            let policy = header(&page, CONTENT_SECURITY_POLICY).to_owned();
            assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
            assert!(policy.contains("require-trusted-types-for 'script'"), "{policy}");
            assert_eq!(body(page).await, "page");
        }
    }

    #[tokio::test]
    async fn unchanged_file_is_not_sent_again() {
        for tags in ["\"two\"", "W/\"two\"", "\"one\", \"two\""] {
            let page = ask(FILES, "/", IF_NONE_MATCH, tags);
            assert_eq!(page.status(), StatusCode::NOT_MODIFIED, "{tags}");
            assert!(body(page).await.is_empty());
        }
        assert_eq!(ask(FILES, "/", IF_NONE_MATCH, "\"one\"").status(), StatusCode::OK);
    }

    #[tokio::test]
    async fn missing_file_is_not_the_index_and_a_build_without_console_says_so() {
        let none = ask(FILES, "/assets/other.js", ACCEPT_ENCODING, "gzip");
        assert_eq!(none.status(), StatusCode::NOT_FOUND);
        let page = ask(&[], "/", ACCEPT_ENCODING, "gzip");
        assert!(header(&page, CONTENT_SECURITY_POLICY).starts_with("default-src 'none'"));
        let text = String::from_utf8(body(page).await.to_vec()).unwrap();
        assert!(text.contains("cargo xtask build"), "{text}");
    }
}
