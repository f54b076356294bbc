//! `/v1/channels`.

mod letters;
mod show;
mod stream;

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use ipnet::IpNet;
use palyra_api::Problem;
use palyra_api::channels::{AddChannelRequest, Channel, ChannelList, ChannelTarget, MessageList};
use palyra_common::{ErrorCode, Scope};
use palyra_egress::closed_address;
use palyra_state::channels::ChannelKind;
use serde::Deserialize;
use utoipa::IntoParams;

use super::access::Caller;
use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::events::after_last;
use super::params::{Asked, Named, page_limit};
use super::route::{Route, SMALL_BODY};
use super::sse::{self, EVENT_STREAM};
use crate::app::App;
use crate::to_api::ToApi;
use show::show_channel;
use stream::ChannelFeed;

/// Most messages of one answer.
const MAX_LISTED: u16 = 1_000;

pub(super) fn routes() -> Vec<Route> {
    let mut routes = vec![
        Route::get("/v1/channels", Scope::Read, list)
            .summary("Every channel and how far it has come")
            .answers::<ChannelList>(),
        Route::post("/v1/channels", Scope::Admin, add)
            .summary("Define a channel")
            .takes::<AddChannelRequest>(SMALL_BODY)
            .answers::<Channel>(),
        Route::get("/v1/channels/{name}", Scope::Read, show)
            .summary("One channel, with what it gave up")
            .answers::<Channel>(),
        Route::delete("/v1/channels/{name}", Scope::Admin, remove)
            .summary("Take a channel away, with its messages")
            .answers::<Channel>(),
        Route::get("/v1/channels/{name}/messages", Scope::Read, messages)
            .summary("The newest messages of a channel, oldest of them first")
            .query::<MessagesQuery>()
            .answers::<MessageList>(),
        Route::get("/v1/channels/{name}/events", Scope::Read, follow)
            .summary("Messages of a channel as they come; `Last-Event-ID` replays those after it")
            .answers_with(EVENT_STREAM),
    ];
    routes.extend(letters::routes());
    routes
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct MessagesQuery {
    /// How many at most.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

async fn list(State(app): State<Arc<App>>) -> Answer<ChannelList> {
    let list = |app: &App| -> Result<ChannelList, Failure> {
        let channels = app.state().channels();
        let channels =
            channels.values().map(|channel| show_channel(app, channel)).collect::<Result<_, Failure>>()?;
        Ok(ChannelList { channels })
    };
    blocking(&app, list).await.map(Json)
}

async fn show(State(app): State<Arc<App>>, Named(name): Named<String>) -> Answer<Channel> {
    blocking(&app, move |app| show_channel(app, &app.state().channel(&name)?)).await.map(Json)
}

async fn add(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Json(request): Json<AddChannelRequest>,
) -> Answer<Channel> {
    let add = move |app: &App| -> Result<Channel, Failure> {
        let name = request.name.clone();
        let kind = kind(request)?;
        show_channel(app, &app.state().add_channel(&name, kind, &principal.name)?)
    };
    blocking(&app, add).await.map(Json)
}

async fn remove(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
) -> Answer<Channel> {
    let remove = move |app: &App| -> Result<Channel, Failure> {
        let channel = show_channel(app, &app.state().channel(&name)?)?;
        app.state().remove_channel(&name, &principal.name)?;
        Ok(channel)
    };
    blocking(&app, remove).await.map(Json)
}

async fn messages(
    State(app): State<Arc<App>>,
    Named(name): Named<String>,
    Asked(query): Asked<MessagesQuery>,
) -> Answer<MessageList> {
    let limit = page_limit(query.limit, MAX_LISTED)?;
    let read = move |app: &App| -> Result<MessageList, Failure> {
        app.state().channel(&name)?;
        let messages = app.state().newest_messages(&name, limit)?;
        Ok(MessageList { messages: messages.to_api() })
    };
    blocking(&app, read).await.map(Json)
}

async fn follow(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let last = after_last(&headers)?;
    // Followed before it is read, so that a message published in between is delivered.
    let published = app.state().follow_channels();
    let known = name.clone();
    let newest = blocking(&app, move |app| -> Result<u64, Failure> {
        app.state().channel(&known)?;
        Ok(app.state().last_message()?)
    });
    let newest = newest.await?;
    let next = last.unwrap_or(newest).saturating_add(1);
    sse::open(app, principal, ChannelFeed { channel: name, next, published })
}

/// What a request defines; fields of another kind are a mistake and not ignored.
fn kind(request: AddChannelRequest) -> Result<ChannelKind, Problem> {
    let AddChannelRequest { name: _, to, path, url, secret, allow_addresses, timeout_ms } = request;
    let usage = |text: &str| Problem::new(ErrorCode::Usage, text);
    match to {
        ChannelTarget::Console if path.is_none() && url.is_none() && secret.is_none() => {
            Ok(ChannelKind::Console)
        }
        ChannelTarget::Console => {
            Err(usage("a channel to the console has neither `path`, `url` nor `secret`"))
        }
        ChannelTarget::File => match (path, url.or(secret)) {
            (Some(path), None) => Ok(ChannelKind::File { path: path.into() }),
            _ => Err(usage("a channel to a file has a `path` and neither `url` nor `secret`")),
        },
        ChannelTarget::Webhook => match (url, secret, path) {
            (Some(url), Some(secret), None) => {
                let parse = |text: &String| {
                    text.parse().map_err(|_| {
                        usage(&format!(
                            "`{}` is not an address range such as `10.0.0.0/8`",
                            palyra_common::redact::escape_untrusted(
                                &text.chars().take(60).collect::<String>()
                            )
                        ))
                    })
                };
                let allow_addresses =
                    allow_addresses.iter().map(parse).collect::<Result<Vec<_>, Problem>>()?;
                check_address(&url, &allow_addresses)?;
                Ok(ChannelKind::Webhook { url, secret, allow_addresses, timeout_ms })
            }
            _ => Err(usage("a channel to a webhook has a `url` and a `secret`, and no `path`")),
        },
    }
}

/// An address that every delivery would be refused is a mistake now; what a name leads to is known at delivery only.
fn check_address(url: &str, allow: &[IpNet]) -> Result<(), Problem> {
    let uri = url.parse::<http::Uri>().ok();
    let host = uri.as_ref().and_then(http::Uri::host).unwrap_or_default();
    let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() else { return Ok(()) };
    match closed_address(address, allow) {
        None => Ok(()),
        Some(why) => {
            Err(Problem::new(ErrorCode::Usage, format!("webhooks to `{address}` are refused: {why}"))
                .hint(format!("open it with `--allow-address {address}`")))
        }
    }
}
