//! Finds secrets in bytes, in every encoding that [`Redactor`] lists, and masks them.

mod forms;
mod large;
mod stream;
#[cfg(test)]
mod tests;
mod unescape;

pub use stream::RedactorStream;

use crate::limits::MIN_SECRET_BYTES;
use forms::{Form, forms_of};
use memchr::memmem;
use palyra_common::SecretValue;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use unescape::Escape;

/// Number of bytes that are searched at once, which bounds the memory for any input.
const WINDOW_BYTES: usize = 64 << 10;

/// The replacement of a secret.
const MASK: &[u8] = b"****";

/// Masks secrets in bodies, headers, logs, errors and tapes.
///
/// A secret is found verbatim, in base64 (both alphabets, padded or not, at any position of a longer text) and in
/// hexadecimal (both cases). In each of these forms, any characters may be percent-encoded, escaped for JSON
/// (`\\u0026`,
/// `\\/`, surrogate pairs), or written as HTML or XML references (`&amp;`, `&#38;`, `&#x26;`). Secrets shorter than
/// four bytes are not masked, because they would match everywhere.
#[derive(Clone)]
pub struct Redactor {
    forms: Arc<[Form]>,
    /// The bytes with which a form can start.
    first_bytes: [bool; 256],
    /// The maximum number of bytes that a match can cover.
    reach: usize,
}

impl Redactor {
    /// Creates a redactor for these values.
    pub fn new<'v>(values: impl IntoIterator<Item = &'v SecretValue>) -> Self {
        let forms: Arc<[Form]> = values
            .into_iter()
            .enumerate()
            .filter(|(_, value)| value.expose().len() >= MIN_SECRET_BYTES)
            .flat_map(|(index, value)| forms_of(index, value.expose()))
            .collect();
        let reach = forms.iter().map(Form::reach).max().unwrap_or(0);
        let mut first_bytes = [false; 256];
        for byte in forms.iter().filter_map(|form| form.needle.first()) {
            first_bytes[usize::from(*byte)] = true;
        }
        Self { forms, first_bytes, reach }
    }

    /// Returns whether there are no secrets to search for.
    pub fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// Returns the bytes with `****` in place of each secret.
    pub fn redact<'d>(&self, data: &'d [u8]) -> Cow<'d, [u8]> {
        if self.find(data, |_| true).is_none() {
            return Cow::Borrowed(data);
        }
        let mut stream = self.stream();
        let mut clean = stream.push(data);
        clean.extend(stream.finish());
        Cow::Owned(clean)
    }

    /// Returns the text with `****` in place of each secret.
    pub fn redact_text<'d>(&self, text: &'d str) -> Cow<'d, str> {
        match self.redact(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(clean) => Cow::Owned(String::from_utf8_lossy(&clean).into_owned()),
        }
    }

    pub(crate) fn redact_string(&self, text: String) -> String {
        match self.redact_text(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(clean) => clean,
        }
    }

    /// Returns whether the bytes contain a secret.
    pub fn is_in(&self, data: &[u8]) -> bool {
        self.find(data, |_| true).is_some()
    }

    /// Returns the index, in the list of values, of a secret that the bytes contain.
    pub fn find_secret(&self, data: &[u8]) -> Option<usize> {
        self.find(data, |_| true)
    }

    /// Returns a redactor for bytes that arrive in parts.
    pub fn stream(&self) -> RedactorStream {
        RedactorStream::new(self.clone())
    }

    /// Returns the index, in the list of values, of a contained secret that `counts` accepts.
    pub(crate) fn find(&self, data: &[u8], counts: impl Fn(usize) -> bool) -> Option<usize> {
        self.windows(data).find_map(|window| self.find_in_window(window, &counts))
    }

    /// Returns overlapping windows, so that each possible match is inside of one; none if there is nothing to search
    /// for.
    fn windows<'d>(&self, data: &'d [u8]) -> impl Iterator<Item = &'d [u8]> + use<'d> {
        let reach = self.reach;
        let step = WINDOW_BYTES.max(reach);
        let end = if self.is_empty() { 0 } else { data.len() };
        (0..end)
            .step_by(step)
            .map(move |start| &data[start..end.min(start.saturating_add(step).saturating_add(reach))])
    }

    fn find_in_window(&self, window: &[u8], counts: &impl Fn(usize) -> bool) -> Option<usize> {
        self.find_plain(window, counts).or_else(|| {
            let mut decoded = Escape::ALL.iter().filter_map(|escape| escape.decode(window));
            decoded.find_map(|decoded| self.find_plain(&decoded.bytes, counts))
        })
    }

    fn find_plain(&self, data: &[u8], counts: &impl Fn(usize) -> bool) -> Option<usize> {
        // Preparing a fast search for each form takes longer than searching a short input directly.
        const SHORT: usize = 1_024;
        if data.len() > SHORT {
            let mut forms = self.forms.iter().filter(|form| counts(form.secret));
            return forms.find(|form| memmem::find(data, &form.needle).is_some()).map(|form| form.secret);
        }
        let starts = data.iter().enumerate().filter(|(_, byte)| self.first_bytes[usize::from(**byte)]);
        starts.map(|(at, _)| &data[at..]).find_map(|rest| {
            let mut forms = self.forms.iter().filter(|form| rest.starts_with(&form.needle));
            forms.find(|form| counts(form.secret)).map(|form| form.secret)
        })
    }

    /// Returns the offset of the first bytes that later input could complete to a secret, or the length if there are
    /// none.
    fn open_from(&self, data: &[u8]) -> usize {
        let unfinished = Escape::ALL.iter().flat_map(|escape| escape.unfinished(data));
        // The start of a secret may be followed by a truncated escape, so the search also ends before it.
        let ends = unfinished.chain([data.len()]);
        ends.map(|end| self.open_before(&data[..end])).min().unwrap_or(data.len())
    }

    fn open_before(&self, data: &[u8]) -> usize {
        let open = |data: &[u8]| self.forms.iter().filter_map(|form| form.open_from(data)).min();
        let decoded = Escape::ALL.iter().filter_map(|escape| escape.decode(data));
        let escaped = decoded.filter_map(|decoded| open(&decoded.bytes).map(|at| decoded.start(at)));
        escaped.chain(open(data)).min().unwrap_or(data.len())
    }

    /// Returns the ranges to mask, sorted and without overlaps.
    fn stretches(&self, data: &[u8]) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for form in self.forms.iter() {
            found.extend(form.stretches(data));
        }
        for decoded in Escape::ALL.iter().filter_map(|escape| escape.decode(data)) {
            for form in self.forms.iter() {
                found.extend(form.stretches(&decoded.bytes).map(|stretch| decoded.origin(stretch)));
            }
        }
        merged(found)
    }
}

/// A redactor without secrets, which changes no text.
impl Default for Redactor {
    fn default() -> Self {
        Self::new([])
    }
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redactor").field("forms", &self.forms.len()).finish()
    }
}

fn merged(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_unstable_by_key(|stretch| stretch.start);
    let mut out: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for stretch in found {
        match out.last_mut() {
            Some(last) if stretch.start < last.end => last.end = last.end.max(stretch.end),
            _ => out.push(stretch),
        }
    }
    out
}
