//! A document: read once, valid from then on.

use std::collections::BTreeSet;

use palyra_common::JsonText;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::bounded;
use crate::component::{Component, RawComponent};
use crate::error::{A2uiError, read};
use crate::limits::{MAX_COMPONENTS, MAX_DOCUMENT_BYTES};
use crate::text::{self, Name};

/// The version of documents and patches.
pub(crate) const VERSION: u32 = 1;

/// A document that follows every rule of its version.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct A2uiDocument {
    /// Always 1.
    #[schemars(extend("const" = 1))]
    v: u32,
    /// The name of what is shown; a later document or patch with the same name replaces it.
    #[schemars(regex(pattern = "^[A-Za-z0-9_.-]{1,64}$"))]
    surface: String,
    /// From top to bottom.
    #[schemars(length(max = MAX_COMPONENTS))]
    components: Vec<Component>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDocument<'a> {
    #[serde(deserialize_with = "version")]
    v: u32,
    #[serde(deserialize_with = "text::string::<_, Name>")]
    surface: String,
    #[serde(borrow, deserialize_with = "bounded::list::<_, _, MAX_COMPONENTS>")]
    components: Vec<RawComponent<'a>>,
}

impl A2uiDocument {
    /// Parses and checks a document.
    ///
    /// ```
    /// let text = r#"{"v":1,"surface":"demo","components":[{"id":"a","type":"text","props":{"value":"Hi"}}]}"#;
    /// assert_eq!(palyra_a2ui::A2uiDocument::parse(text)?.surface(), "demo");
    /// let error = palyra_a2ui::A2uiDocument::parse(&text.replace("Hi", "\\u001b[2J")).unwrap_err();
    /// assert_eq!(error.pointer, "/components/0/props/value");
    /// # Ok::<(), palyra_a2ui::A2uiError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, A2uiError> {
        check_size(text)?;
        let RawDocument { v, surface, components } = read(text)?;
        let components = components.into_iter().enumerate().map(|(index, component)| {
            component.read().map_err(|error| error.under(format!("/components/{index}")))
        });
        let document = Self { v, surface, components: components.collect::<Result<_, _>>()? };
        document.check()?;
        Ok(document)
    }

    /// Returns the name of the surface that the document is displayed on.
    pub fn surface(&self) -> &str {
        &self.surface
    }

    /// Returns the components from top to bottom.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// Returns the component with an id.
    pub fn component(&self, id: &str) -> Option<&Component> {
        self.components.iter().find(|component| component.id == id)
    }

    /// Returns the document as JSON with the members of all objects sorted by name.
    pub fn to_json(&self) -> JsonText {
        // Every key is a string and every number finite, so the conversion cannot fail.
        JsonText::from(&serde_json::to_value(self).unwrap_or_default())
    }

    /// Returns the document with other components, if they satisfy the rules between components and the size limit.
    pub(crate) fn with_components(&self, components: Vec<Component>) -> Result<Self, A2uiError> {
        let document = Self { v: self.v, surface: self.surface.clone(), components };
        document.check()?;
        check_size(document.to_json().as_str())?;
        Ok(document)
    }

    fn check(&self) -> Result<(), A2uiError> {
        if self.components.len() > MAX_COMPONENTS {
            return Err(A2uiError::new("/components", format!("more than {MAX_COMPONENTS} entries")));
        }
        let mut ids = BTreeSet::new();
        match self.components.iter().position(|component| !ids.insert(&component.id)) {
            Some(index) => Err(A2uiError::new(format!("/components/{index}/id"), "duplicate component id")),
            None => Ok(()),
        }
    }
}

/// Checks the length of a text before anything of it is read.
pub(crate) fn check_size(text: &str) -> Result<(), A2uiError> {
    if text.len() > MAX_DOCUMENT_BYTES {
        Err(A2uiError::new("", format!("{} bytes are more than {MAX_DOCUMENT_BYTES}", text.len())))
    } else {
        Ok(())
    }
}

/// Reads the version of a document or patch.
pub(crate) fn version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        VERSION => Ok(VERSION),
        other => Err(serde::de::Error::custom(format!("unknown version {other}, expected {VERSION}"))),
    }
}
