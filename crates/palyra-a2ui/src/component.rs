//! One component of a document: its id, its type, and the properties of that type.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::chart::Chart;
use crate::error::{A2uiError, read};
use crate::form::Form;
use crate::list::List;
use crate::table::Table;
use crate::text::{self, Block, Document, Name};
use crate::unknown::UnknownComponent;

/// A part of a document; patches and submitted forms refer to it by its id.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Component {
    /// Unique within the document.
    #[schemars(regex(pattern = "^[A-Za-z0-9_.-]{1,64}$"))]
    pub id: String,
    /// Its type and properties.
    #[serde(flatten)]
    pub body: ComponentBody,
}

/// The type of a component with its properties.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", content = "props", rename_all = "snake_case")]
pub enum ComponentBody {
    /// A paragraph.
    Text(Text),
    /// Formatted text.
    Markdown(Markdown),
    /// Items, one below the other.
    List(List),
    /// Rows and columns.
    Table(Table),
    /// Fields for a person to fill in.
    Form(Form),
    /// Numbers as a picture.
    Chart(Chart),
    /// A type of a later version, shown as a placeholder.
    #[serde(untagged)]
    Unknown(UnknownComponent),
}

/// A paragraph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// The text; a line break starts a new line.
    #[serde(deserialize_with = "text::string::<_, Block>")]
    pub value: String,
    /// Its purpose.
    #[serde(default, skip_serializing_if = "Tone::is_normal")]
    pub tone: Tone,
}

/// GitHub-flavoured markdown. Links lead to `http`, `https` or `mailto`; images are refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Markdown {
    /// The markdown text.
    #[serde(deserialize_with = "text::string::<_, Document>")]
    pub value: String,
}

/// How a text is meant; no tone is shown by colour alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Plain.
    #[default]
    Normal,
    /// Less important than what is around it.
    Muted,
    /// Something went well.
    Success,
    /// Something needs attention.
    Warning,
    /// Something is wrong.
    Critical,
}

impl Tone {
    pub(crate) fn is_normal(&self) -> bool {
        *self == Self::Normal
    }
}

/// A component whose properties are not parsed yet, because they depend on its type.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawComponent<'a> {
    #[serde(deserialize_with = "text::string::<_, Name>")]
    id: String,
    #[serde(rename = "type", deserialize_with = "text::string::<_, Name>")]
    kind: String,
    #[serde(borrow)]
    props: &'a RawValue,
}

impl RawComponent<'_> {
    /// Parses the properties. Pointers of errors are relative to the component.
    pub(crate) fn read(self) -> Result<Component, A2uiError> {
        let body = body(self.kind, self.props.get()).map_err(|error| error.under("/props"))?;
        Ok(Component { id: self.id, body })
    }
}

fn body(kind: String, props: &str) -> Result<ComponentBody, A2uiError> {
    Ok(match kind.as_str() {
        "text" => ComponentBody::Text(read(props)?),
        "markdown" => ComponentBody::Markdown(read(props)?),
        "list" => ComponentBody::List(read(props)?),
        "table" => {
            let table: Table = read(props)?;
            table.check()?;
            ComponentBody::Table(table)
        }
        "form" => {
            let form: Form = read(props)?;
            form.check()?;
            ComponentBody::Form(form)
        }
        "chart" => {
            let chart: Chart = read(props)?;
            chart.check()?;
            ComponentBody::Chart(chart)
        }
        _ => ComponentBody::Unknown(UnknownComponent::read(kind, props)?),
    })
}
