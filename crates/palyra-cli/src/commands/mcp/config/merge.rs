//! Inserts a server into the JSON configuration of a client; other values keep their text and their order.

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;

/// The change made to a configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Change {
    /// There was no server of this name.
    Added,
    /// Another server of this name was replaced.
    Replaced {
        /// The original text of the replaced server.
        before: String,
    },
    /// The file contained exactly this server already.
    Unchanged,
}

/// Returns the configuration with the server added; the error explains why the file must not be modified.
pub(super) fn with_server(
    text: &[u8],
    field: &str,
    name: &str,
    server: &Value,
) -> Result<(String, Change), String> {
    let text = std::str::from_utf8(text).map_err(|error| format!("it is not UTF-8: {error}"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut whole = read(text).map_err(|error| format!("it is not a JSON object: {error}"))?;
    let servers = whole.get(field).unwrap_or_default();
    let mut servers =
        read(servers).map_err(|error| format!("its `{field}` is not a JSON object: {error}"))?;
    let before = servers.get(name).map(str::to_owned);
    if before.as_deref().and_then(|before| serde_json::from_str(before).ok()).as_ref() == Some(server) {
        return Ok((text.to_owned(), Change::Unchanged));
    }
    servers.set(name, in_writing_order(server, 4));
    whole.set(field, servers.written(2));
    let change = before.map_or(Change::Added, |before| Change::Replaced { before: one_line(&before) });
    Ok((whole.written(0) + "\n", change))
}

/// A JSON object whose values are kept as text, in order.
#[derive(Default)]
struct Fields(Vec<(String, String)>);

impl Fields {
    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }

    fn set(&mut self, name: &str, text: String) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, value)) => *value = text,
            None => self.0.push((name.to_owned(), text)),
        }
    }

    /// Formats one field per line, indented by `indent` more than the brackets.
    fn written(&self, indent: usize) -> String {
        if self.0.is_empty() {
            return "{}".to_owned();
        }
        let (inner, outer) = (" ".repeat(indent + 2), " ".repeat(indent));
        let line = |(name, text): &(String, String)| format!("{inner}{}: {text}", Value::from(name.as_str()));
        let lines: Vec<String> = self.0.iter().map(line).collect();
        format!("{{\n{}\n{outer}}}", lines.join(",\n"))
    }
}

/// Parses an object; an empty text is an empty object.
fn read(text: &str) -> serde_json::Result<Fields> {
    if text.trim().is_empty() { Ok(Fields::default()) } else { serde_json::from_str(text) }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Fields::default();
                while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    if fields.get(&name).is_some() {
                        return Err(A::Error::custom(format!("duplicate key `{name}`")));
                    }
                    fields.0.push((name, value.get().to_owned()));
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// Formats the server with `command` before `args`, as in the manuals of clients.
fn in_writing_order(server: &Value, indent: usize) -> String {
    let mut fields = Fields::default();
    let known = ["type", "command", "args"];
    let of_server = server.as_object().into_iter().flatten();
    let (first, rest): (Vec<_>, Vec<_>) = of_server.partition(|(name, _)| known.contains(&name.as_str()));
    for name in known {
        if let Some((_, value)) = first.iter().find(|(known, _)| *known == name) {
            fields.set(name, spaced(value));
        }
    }
    for (name, value) in rest {
        fields.set(name, spaced(value));
    }
    fields.written(indent)
}

/// Formats a list with a space after each comma.
fn spaced(value: &Value) -> String {
    match value.as_array() {
        Some(items) => {
            let items: Vec<String> = items.iter().map(ToString::to_string).collect();
            format!("[{}]", items.join(", "))
        }
        None => value.to_string(),
    }
}

fn one_line(text: &str) -> String {
    serde_json::from_str::<Value>(text).map_or_else(|_| text.to_owned(), |value| value.to_string())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use serde_json::json;

    fn merged(text: &str) -> Result<(String, Change), String> {
        let server = json!({"args": ["mcp", "serve"], "command": "/bin/palyra"});
        with_server(text.as_bytes(), "mcpServers", "palyra", &server)
    }

    #[test]
    fn other_servers_and_their_layout_stay() {
        let before = "{\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n    \"files\": { \"command\": \"npx\" }\n  },\n  \"a\": [1,  2.50]\n}\n";
        let (text, change) = merged(before).unwrap();
        assert_eq!(change, Change::Added);
        assert_snapshot!(text, @r#"
        {
          "theme": "dark",
          "mcpServers": {
            "files": { "command": "npx" },
            "palyra": {
              "command": "/bin/palyra",
              "args": ["mcp", "serve"]
            }
          },
          "a": [1,  2.50]
        }
        "#);
        assert_eq!(merged(&text).unwrap(), (text, Change::Unchanged));
    }

    #[test]
    fn empty_and_missing_parts_are_made() {
        for before in ["", " \n", "{}", "{\"mcpServers\": {}}"] {
            let (text, change) = merged(before).unwrap();
            assert_eq!(change, Change::Added, "{before}");
            let written: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(written["mcpServers"]["palyra"]["command"], "/bin/palyra");
        }
        let (_, change) = merged("{\"mcpServers\": {\"palyra\": {\"command\": \"old\"}}}").unwrap();
        assert_eq!(change, Change::Replaced { before: "{\"command\":\"old\"}".into() });
    }

    #[test]
    fn what_is_not_plain_json_is_refused() {
        for (before, part) in [
            ("[]", "it is not a JSON object"),
            ("{\"a\": 1,}", "it is not a JSON object"),
            ("// mine\n{}", "it is not a JSON object"),
            ("{\"a\": 1, \"a\": 2}", "duplicate key `a`"),
            ("{\"mcpServers\": []}", "its `mcpServers` is not a JSON object"),
            ("{} x", "it is not a JSON object"),
        ] {
            let error = merged(before).unwrap_err();
            assert!(error.contains(part), "{before}: {error}");
        }
    }
}
