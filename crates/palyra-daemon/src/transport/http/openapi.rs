//! The OpenAPI document, generated from the table of routes.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use http::Method;
use palyra_api::Problem;
use palyra_common::Scope;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::path::{
    HttpMethod, Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    Components, Content, ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, PathsBuilder, Ref, RefOr,
    Required, ResponsesBuilder, ServerBuilder,
};

use super::answer::{Answer, Json};
use super::route::Route;
use super::router;
use crate::app::App;

const BEARER: &str = "bearer";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/openapi.json", Scope::Read, openapi)
            .summary("Show this document")
            .answers_with("application/json"),
    ]
}

async fn openapi(State(_): State<Arc<App>>) -> Answer<OpenApi> {
    Ok(Json(document()))
}

/// Builds the OpenAPI document.
pub fn document() -> OpenApi {
    let routes = router::routes();
    let mut schemas: Vec<(String, RefOr<Schema>)> =
        vec![(Problem::name().into_owned(), <Problem as utoipa::PartialSchema>::schema())];
    let mut paths = PathsBuilder::new();
    for route in &routes {
        for shape in route.takes.iter().chain(&route.answers) {
            (shape.schemas)(&mut schemas);
        }
        if let Some(method) = http_method(&route.method) {
            paths = paths.path(route.path, PathItem::new(method, operation(route)));
        }
    }
    let mut components = Components::new();
    components.schemas = schemas.into_iter().collect::<BTreeMap<_, _>>();
    components.add_security_scheme(BEARER, SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
    let info = InfoBuilder::new()
        .title("Palyra")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some("One process owns the state and runs every call through one pipeline. Errors are problem details with the codes of the command line."))
        .build();
    let server = ServerBuilder::new().url("/").description(Some("The daemon that serves this document"));
    OpenApiBuilder::new()
        .info(info)
        .servers(Some([server.build()]))
        .paths(paths)
        .components(Some(components))
        .security(Some([SecurityRequirement::new::<_, _, String>(BEARER, [])]))
        .build()
}

fn http_method(method: &Method) -> Option<HttpMethod> {
    Some(match *method {
        Method::GET => HttpMethod::Get,
        Method::POST => HttpMethod::Post,
        Method::PUT => HttpMethod::Put,
        Method::DELETE => HttpMethod::Delete,
        _ => return None,
    })
}

fn operation(route: &Route) -> Operation {
    let mut operation = OperationBuilder::new()
        .summary(Some(route.summary))
        .operation_id(Some(operation_id(route)))
        .tag(tag(route.path))
        .description(Some(if route.public {
            "Requires no token.".to_owned()
        } else {
            format!("Requires the scope `{}`.", route.scope)
        }));
    if route.public {
        operation = operation.securities(Some([SecurityRequirement::default()]));
    }
    for parameter in named_parts(route.path).chain(route.query.iter().cloned()) {
        operation = operation.parameter(parameter);
    }
    if let Some((media_type, content)) = takes(route) {
        let body = RequestBodyBuilder::new().content(media_type, content).required(Some(Required::True));
        operation = operation.request_body(Some(body.build()));
    }
    operation.responses(responses(route)).build()
}

/// Returns the media type and schema of a route's body.
fn takes(route: &Route) -> Option<(&'static str, Content)> {
    let json = route.takes.as_ref().map(|shape| {
        let content = ContentBuilder::new().schema(Some(shape.reference.clone()));
        ("application/json", content.example(example(&route.method, route.path)).build())
    });
    json.or_else(|| {
        let binary = SchemaFormat::KnownFormat(KnownFormat::Binary);
        let bytes = ObjectBuilder::new().schema_type(Type::String).format(Some(binary)).build();
        route.takes_type.map(|media_type| (media_type, ContentBuilder::new().schema(Some(bytes)).build()))
    })
}

/// Returns an example body for the most common requests.
fn example(method: &Method, path: &str) -> Option<Value> {
    Some(match (method.as_str(), path) {
        ("POST", "/v1/tools/{tool}/invoke") => json!({ "input": { "step": 5 } }),
        ("POST", "/v1/tokens") => json!({ "name": "ci", "scopes": ["read", "invoke"] }),
        ("POST", "/v1/policy/check") => {
            json!({ "action": "invoke", "kind": "token", "name": "ci", "tool": "acme.notes.add" })
        }
        ("POST", "/v1/routines") => {
            json!({ "name": "morning", "tool": "acme.notes.digest", "input": {}, "cron": "0 9 * * mon-fri" })
        }
        ("POST", "/v1/skills/{skill_id}/quarantine") => json!({ "reason": "wrong results" }),
        ("POST", "/v1/approvals/{approval_id}/approve") => json!({ "scope": "once" }),
        _ => return None,
    })
}

fn responses(route: &Route) -> ResponsesBuilder {
    let done = ResponseBuilder::new().description("Success");
    let done = match (&route.answers, route.answers_type) {
        (Some(shape), _) => done
            .content("application/json", ContentBuilder::new().schema(Some(shape.reference.clone())).build()),
        (None, Some(media_type)) => {
            let text = ObjectBuilder::new().schema_type(Type::String).build();
            let any = ObjectBuilder::new().build();
            let schema = if media_type == "application/json" { any } else { text };
            done.content(
                media_type.split(';').next().unwrap_or(media_type),
                ContentBuilder::new().schema(Some(schema)).build(),
            )
        }
        (None, None) => done,
    };
    let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name(Problem::name()))).build();
    let problem = ResponseBuilder::new()
        .description("A problem: its code, message, hints and details")
        .content(palyra_api::PROBLEM_JSON, problem);
    ResponsesBuilder::new().response("200", done.build()).response("default", problem.build())
}

/// Returns the operation id, such as `get_v1_tools_tool` for `GET /v1/tools/{tool}`.
fn operation_id(route: &Route) -> String {
    let path: Vec<&str> = route.path.split('/').filter(|part| !part.is_empty() && *part != "v1").collect();
    let words = path.join("_").replace(['{', '}'], "").replace(['.', '-'], "_");
    format!("{}_{words}", route.method.as_str().to_lowercase())
}

fn tag(path: &str) -> &str {
    path.split('/').find(|part| !part.is_empty() && *part != "v1").unwrap_or_default()
}

fn named_parts(path: &'static str) -> impl Iterator<Item = Parameter> {
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    names.map(|name| {
        let text = ObjectBuilder::new().schema_type(Type::String).build();
        ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .schema(Some(text))
            .build()
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use palyra_api::approvals::ApproveRequest;
    use palyra_api::policy::PolicyQuestion;
    use palyra_api::routines::RoutineRequest;
    use palyra_api::skills::QuarantineBody;
    use palyra_api::tokens::NewTokenRequest;
    use palyra_api::tools::InvokeRequest;
    use serde::de::DeserializeOwned;

    use super::*;

    #[track_caller]
    fn reads<T: DeserializeOwned>(path: &str) {
        // Parsed from text, because a raw value cannot be read from a parsed one.
        serde_json::from_str::<T>(&example(&Method::POST, path).unwrap().to_string()).unwrap();
    }

    #[test]
    fn examples_are_bodies_that_their_routes_take() {
        reads::<InvokeRequest>("/v1/tools/{tool}/invoke");
        reads::<NewTokenRequest>("/v1/tokens");
        reads::<PolicyQuestion>("/v1/policy/check");
        reads::<RoutineRequest>("/v1/routines");
        reads::<QuarantineBody>("/v1/skills/{skill_id}/quarantine");
        reads::<ApproveRequest>("/v1/approvals/{approval_id}/approve");
    }
}
