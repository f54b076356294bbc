//! An iterator over the keys of all pages.

use super::raw;
use crate::guest::error::HostError;
use std::vec::IntoIter;

/// Number of keys per page, which is the maximum of the host.
const PAGE: u32 = 1_000;

/// An iterator over keys; it ends after the first error.
#[derive(Debug)]
pub struct Keys {
    handle: i32,
    prefix: String,
    page: IntoIter<String>,
    next: Next,
}

#[derive(Debug)]
enum Next {
    First,
    After(String),
    Nothing,
}

impl Keys {
    pub(super) fn new(handle: i32, prefix: &str) -> Self {
        Self { handle, prefix: prefix.to_owned(), page: Vec::new().into_iter(), next: Next::First }
    }

    fn fetch(&mut self) -> Result<(), HostError> {
        let cursor = match std::mem::replace(&mut self.next, Next::Nothing) {
            Next::First => None,
            Next::After(cursor) => Some(cursor),
            Next::Nothing => return Ok(()),
        };
        let page = raw::list(self.handle, &self.prefix, cursor.as_deref(), PAGE)?;
        self.page = page.keys.into_iter();
        self.next = page.next.map_or(Next::Nothing, Next::After);
        Ok(())
    }
}

impl Iterator for Keys {
    type Item = Result<String, HostError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(key) = self.page.next() {
                return Some(Ok(key));
            }
            if matches!(self.next, Next::Nothing) {
                return None;
            }
            if let Err(error) = self.fetch() {
                return Some(Err(error));
            }
        }
    }
}
