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
use palyra_common::text::clip_untrusted;
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

/// Maximum number of messages in one response.
const MAX_LISTED: u16 = 1_000;

pub(super) fn routes() -> Vec<Route> {
    let mut routes = vec![
        Route::get("/v1/channels", Scope::Read, list)
            .summary("List channels with their delivery status")
            .answers::<ChannelList>(),
        Route::post("/v1/channels", Scope::Admin, add)
            .summary("Create a channel")
            .takes::<AddChannelRequest>(SMALL_BODY)
            .answers::<Channel>(),
        Route::get("/v1/channels/{name}", Scope::Read, show)
            .summary("Show a channel with its dead letters")
            .answers::<Channel>(),
        Route::delete("/v1/channels/{name}", Scope::Admin, remove)
            .summary("Remove a channel and its messages")
            .answers::<Channel>(),
        Route::get("/v1/channels/{name}/messages", Scope::Read, messages)
            .summary("List the newest messages of a channel, oldest first")
            .query::<MessagesQuery>()
            .answers::<MessageList>(),
        Route::get("/v1/channels/{name}/events", Scope::Read, follow)
            .summary("Stream messages of a channel; `Last-Event-ID` replays the later ones")
            .answers_with(EVENT_STREAM),
    ];
    routes.extend(letters::routes());
    routes
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct MessagesQuery {
    /// Maximum number of results.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

async fn list(State(app): State<Arc<App>>) -> Answer<ChannelList> {
    let list = |app: &App| -> Result<ChannelList, Failure> {
        let channels = app.channels().list();
        let channels =
            channels.values().map(|channel| show_channel(app, channel)).collect::<Result<_, Failure>>()?;
        Ok(ChannelList { channels })
    };
    blocking(&app, list).await.map(Json)
}

async fn show(State(app): State<Arc<App>>, Named(name): Named<String>) -> Answer<Channel> {
    blocking(&app, move |app| show_channel(app, &app.channels().get(&name)?)).await.map(Json)
}

async fn add(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Json(request): Json<AddChannelRequest>,
) -> Answer<Channel> {
    let add = move |app: &App| -> Result<Channel, Failure> {
        let name = request.name.clone();
        let kind = kind(request)?;
        show_channel(app, &app.channels().add(&name, kind, &principal.name)?)
    };
    blocking(&app, add).await.map(Json)
}

async fn remove(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
) -> Answer<Channel> {
    let remove = move |app: &App| -> Result<Channel, Failure> {
        let channel = show_channel(app, &app.channels().get(&name)?)?;
        app.channels().remove(&name, &principal.name)?;
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
        app.channels().get(&name)?;
        let messages = app.channels().newest(&name, limit)?;
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
    // Subscribed before reading, so that a message published in between is delivered.
    let published = app.channels().follow();
    let known = name.clone();
    let newest = blocking(&app, move |app| -> Result<u64, Failure> {
        app.channels().get(&known)?;
        Ok(app.channels().last_message()?)
    });
    let newest = newest.await?;
    let next = last.unwrap_or(newest).saturating_add(1);
    sse::open(app, principal, ChannelFeed { channel: name, next, published })
}

/// Returns the kind that a request defines; rejects fields of other kinds.
fn kind(request: AddChannelRequest) -> Result<ChannelKind, Problem> {
    let AddChannelRequest { name: _, to, path, url, secret, allow_addresses, timeout_ms } = request;
    let usage = |text: &str| Problem::new(ErrorCode::Usage, text);
    match to {
        ChannelTarget::Console if path.is_none() && url.is_none() && secret.is_none() => {
            Ok(ChannelKind::Console)
        }
        ChannelTarget::Console => Err(usage("a channel to the console takes no `path`, `url` or `secret`")),
        ChannelTarget::File => match (path, url.or(secret)) {
            (Some(path), None) => Ok(ChannelKind::File { path: path.into() }),
            _ => Err(usage("a channel to a file requires a `path` and takes no `url` or `secret`")),
        },
        ChannelTarget::Webhook => match (url, secret, path) {
            (Some(url), Some(secret), None) => {
                let parse = |text: &String| {
                    text.parse().map_err(|_| {
                        usage(&format!(
                            "`{}` is not an address range such as `10.0.0.0/8`",
                            clip_untrusted(text, 60)
                        ))
                    })
                };
                let allow_addresses =
                    allow_addresses.iter().map(parse).collect::<Result<Vec<_>, Problem>>()?;
                check_address(&url, &allow_addresses)?;
                Ok(ChannelKind::Webhook { url, secret, allow_addresses, timeout_ms })
            }
            _ => Err(usage("a channel to a webhook requires a `url` and a `secret` and takes no `path`")),
        },
    }
}

/// Rejects an address that every delivery would be refused to; a host name can only be checked at delivery.
fn check_address(url: &str, allow: &[IpNet]) -> Result<(), Problem> {
    let uri = url.parse::<http::Uri>().ok();
    let host = uri.as_ref().and_then(http::Uri::host).unwrap_or_default();
    let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() else { return Ok(()) };
    match closed_address(address, allow) {
        None => Ok(()),
        Some(why) => {
            let range = IpNet::from(address);
            Err(Problem::new(ErrorCode::Usage, format!("webhooks to `{address}` are denied: {why}"))
                .hint(format!("allow it with `--allow-address {range}`")))
        }
    }
}
