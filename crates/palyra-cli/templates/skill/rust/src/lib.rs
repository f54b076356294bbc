//! The tools of `{{skill_id}}`.

use palyra_plugins_sdk::plugin;
use palyra_plugins_sdk::prelude::*;

plugin! { tools: [greet] }

// The schemas in skill.toml follow from these types; after a change run
// `palyra skills build . --write`.

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Person {
    /// The person to greet.
    #[schemars(length(min = 1, max = 100))]
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct Greeting {
    greeting: String,
}

#[tool(id = "{{tool}}", description = "Greets a person by name")]
fn greet(person: Person) -> Greeting {
    log::info!("greeting {}", person.name);
    Greeting { greeting: format!("Hello, {}!", person.name) }
}

#[cfg(test)]
mod tests {
    use palyra_plugins_sdk::serde_json::json;
    use palyra_plugins_sdk::testing::Harness;

    #[test]
    fn greets_by_name() {
        let mut harness = Harness::new(&crate::PLUGIN);
        let output = harness.call("{{tool}}", &json!({ "name": "Ada" })).unwrap();
        assert_eq!(output, json!({ "greeting": "Hello, Ada!" }));
    }
}
