//! `wasi:http/types` with the memory of its objects counted against the run's limit.
//!
//! Functions that create or grow an object are wrapped: without a granted rule they record a denied step and
//! allocate nothing; with one they count. The size is computed from the object itself, so it cannot differ from the
//! real one.

use super::http::{MAX_FIELD_BYTES, OUTGOING_BODY_BYTES};
use crate::fault::RunFault;
use crate::run_context::HostFailure;
use crate::run_state::RunState;
use palyra_common::{CapabilityKind, Denial, WasmPluginRunError};
use wasmtime::component::{ComponentNamedList, Lift, Linker, LinkerInstance, Lower, Resource, ResourceType};
use wasmtime_wasi_http::p2::bindings::http::outgoing_handler;
use wasmtime_wasi_http::p2::bindings::http::types::{
    self, Fields, FutureIncomingResponse, HostFields, HostFutureIncomingResponse, HostIncomingResponse,
    HostOutgoingBody, HostOutgoingRequest, HostRequestOptions, IncomingResponse, Method, OutgoingBody,
    OutgoingRequest, OutgoingResponse, RequestOptions,
};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpView};

const TYPES: &str = "wasi:http/types@0.2.12";
const HANDLER: &str = "wasi:http/outgoing-handler@0.2.12";
/// Size charged for an object in addition to its text, and for a header in addition to name and value, in bytes.
const OBJECT_BYTES: usize = 256;
const HEADER_BYTES: usize = 128;

/// Creates the context of the library, with a lower limit for the size of fields.
pub(super) fn context() -> WasiHttpCtx {
    let mut context = WasiHttpCtx::new();
    context.set_field_size_limit(MAX_FIELD_BYTES);
    context
}

/// Shadows functions of the library with ones that count their memory.
pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    let mut instance = linker.instance(TYPES)?;
    add_fields(&mut instance)?;
    add_requests(&mut instance)?;
    add_responses(&mut instance)?;
    function(&mut linker.instance(HANDLER)?, "handle", handle)?;
    linker.allow_shadowing(false);
    Ok(())
}

fn add_fields(instance: &mut LinkerInstance<'_, RunState>) -> wasmtime::Result<()> {
    function(instance, "[constructor]fields", |state, (): ()| {
        state.require_http_rule()?;
        let fields = HostFields::new(&mut state.http())?;
        state.count_fields(&fields)?;
        Ok((fields,))
    })?;
    function(instance, "[static]fields.from-list", |state, (entries,): (Vec<(String, Vec<u8>)>,)| {
        state.require_http_rule()?;
        let made = HostFields::from_list(&mut state.http(), entries);
        if let Ok(fields) = &made {
            state.count_fields(fields)?;
        }
        Ok((state.header_result(made)?,))
    })?;
    type Set = (Resource<Fields>, String, Vec<Vec<u8>>);
    function(instance, "[method]fields.set", |state, (fields, name, values): Set| {
        let done = HostFields::set(&mut state.http(), again(&fields), name, values);
        state.count_fields(&fields)?;
        Ok((state.header_result(done)?,))
    })?;
    type Append = (Resource<Fields>, String, Vec<u8>);
    function(instance, "[method]fields.append", |state, (fields, name, value): Append| {
        let done = HostFields::append(&mut state.http(), again(&fields), name, value);
        state.count_fields(&fields)?;
        Ok((state.header_result(done)?,))
    })?;
    function(instance, "[method]fields.delete", |state, (fields, name): (Resource<Fields>, String)| {
        let done = HostFields::delete(&mut state.http(), again(&fields), name);
        state.count_fields(&fields)?;
        Ok((state.header_result(done)?,))
    })?;
    function(instance, "[method]fields.clone", |state, (fields,): (Resource<Fields>,)| {
        let copy = HostFields::clone(&mut state.http(), fields)?;
        state.count_fields(&copy)?;
        Ok((copy,))
    })?;
    instance.resource("fields", ResourceType::host::<Fields>(), |mut store, rep| {
        store.data_mut().held.remove(&rep);
        HostFields::drop(&mut store.data_mut().http(), Resource::new_own(rep))
    })
}

fn add_requests(instance: &mut LinkerInstance<'_, RunState>) -> wasmtime::Result<()> {
    function(instance, "[constructor]outgoing-request", |state, (headers,): (Resource<Fields>,)| {
        state.require_http_rule()?;
        state.held.remove(&headers.rep());
        let request = HostOutgoingRequest::new(&mut state.http(), headers)?;
        state.count_request(&request)?;
        Ok((request,))
    })?;
    function(
        instance,
        "[method]outgoing-request.body",
        |state, (request,): (Resource<OutgoingRequest>,)| {
            let body = HostOutgoingRequest::body(&mut state.http(), again(&request))?;
            state.count_request(&request)?;
            Ok((body,))
        },
    )?;
    type SetMethod = (Resource<OutgoingRequest>, Method);
    function(instance, "[method]outgoing-request.set-method", |state, (request, method): SetMethod| {
        let done = HostOutgoingRequest::set_method(&mut state.http(), again(&request), method)?;
        state.count_request(&request)?;
        Ok((done,))
    })?;
    type SetText = (Resource<OutgoingRequest>, Option<String>);
    function(instance, "[method]outgoing-request.set-path-with-query", |state, (request, text): SetText| {
        let done = HostOutgoingRequest::set_path_with_query(&mut state.http(), again(&request), text)?;
        state.count_request(&request)?;
        Ok((done,))
    })?;
    function(instance, "[method]outgoing-request.set-authority", |state, (request, text): SetText| {
        let done = HostOutgoingRequest::set_authority(&mut state.http(), again(&request), text)?;
        state.count_request(&request)?;
        Ok((done,))
    })?;
    function(
        instance,
        "[method]outgoing-request.headers",
        |state, (request,): (Resource<OutgoingRequest>,)| {
            let headers = HostOutgoingRequest::headers(&mut state.http(), request)?;
            state.count_fields(&headers)?;
            Ok((headers,))
        },
    )?;
    instance.resource("outgoing-request", ResourceType::host::<OutgoingRequest>(), |mut store, rep| {
        store.data_mut().held.remove(&rep);
        HostOutgoingRequest::drop(&mut store.data_mut().http(), Resource::new_own(rep))
    })?;
    type Finish = (Resource<OutgoingBody>, Option<Resource<Fields>>);
    function(instance, "[static]outgoing-body.finish", |state, (body, trailers): Finish| {
        // The request owns them from here on, and its size includes them.
        trailers.as_ref().map(|trailers| state.held.remove(&trailers.rep()));
        let done = HostOutgoingBody::finish(&mut state.http(), body, trailers);
        Ok((state.http_result(done)?,))
    })?;
    function(instance, "[constructor]request-options", |state, (): ()| {
        state.require_http_rule()?;
        Ok((HostRequestOptions::new(&mut state.http())?,))
    })
}

fn add_responses(instance: &mut LinkerInstance<'_, RunState>) -> wasmtime::Result<()> {
    function(
        instance,
        "[constructor]outgoing-response",
        |_, _: (Resource<Fields>,)| -> wasmtime::Result<(Resource<OutgoingResponse>,)> {
            Err(wasmtime::format_err!("a guest answers no requests: `outgoing-response` is not available"))
        },
    )?;
    type Got = (Resource<FutureIncomingResponse>,);
    function(instance, "[method]future-incoming-response.get", |state, (future,): Got| {
        let got = HostFutureIncomingResponse::get(&mut state.http(), future)?;
        if let Some(Ok(Ok(response))) = &got {
            let bytes = fields_bytes(&state.table.get(response)?.headers);
            state.hold(response.rep(), bytes)?;
        }
        Ok((got,))
    })?;
    function(
        instance,
        "[method]incoming-response.headers",
        |state, (response,): (Resource<IncomingResponse>,)| {
            let headers = HostIncomingResponse::headers(&mut state.http(), response)?;
            state.count_fields(&headers)?;
            Ok((headers,))
        },
    )?;
    instance.resource("incoming-response", ResourceType::host::<IncomingResponse>(), |mut store, rep| {
        store.data_mut().held.remove(&rep);
        HostIncomingResponse::drop(&mut store.data_mut().http(), Resource::new_own(rep))
    })
}

type Handle = (Resource<OutgoingRequest>, Option<Resource<RequestOptions>>);
type Handled = (Result<Resource<FutureIncomingResponse>, types::ErrorCode>,);

/// Sends a request, whose memory is counted until it has been sent.
fn handle(state: &mut RunState, (request, options): Handle) -> wasmtime::Result<Handled> {
    let held = state.held.remove(&request.rep());
    let options_rep = options.as_ref().map(Resource::rep);
    state.wasi_state().0.hooks.sending = held;
    let sent = outgoing_handler::Host::handle(&mut state.http(), request, options);
    state.wasi_state().0.hooks.sending = None;
    // The library reads the options but leaves them in the table, although the guest passed ownership.
    if let Some(rep) = options_rep {
        state.table.delete(Resource::<RequestOptions>::new_own(rep))?;
    }
    Ok((state.http_result(sent)?,))
}

fn function<Params, Return>(
    instance: &mut LinkerInstance<'_, RunState>,
    name: &str,
    work: impl Fn(&mut RunState, Params) -> wasmtime::Result<Return> + Send + Sync + 'static,
) -> wasmtime::Result<()>
where
    Params: ComponentNamedList + Lift + 'static,
    Return: ComponentNamedList + Lower + 'static,
{
    instance.func_wrap(name, move |mut store: wasmtime::StoreContextMut<'_, RunState>, params: Params| {
        work(store.data_mut(), params)
    })
}

/// Returns a second handle to the resource for use in one call.
fn again<T: 'static>(resource: &Resource<T>) -> Resource<T> {
    Resource::new_borrow(resource.rep())
}

fn fields_bytes(fields: &Fields) -> usize {
    let headers = fields.iter().map(|(name, value)| name.as_str().len() + value.len() + HEADER_BYTES);
    OBJECT_BYTES + headers.sum::<usize>()
}

fn request_bytes(request: &OutgoingRequest) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::capacity);
    let method = match &request.method {
        Method::Other(name) => name.capacity(),
        _ => 0,
    };
    let body = if request.body.is_some() { OUTGOING_BODY_BYTES } else { 0 };
    let texts = text(&request.authority) + text(&request.path_with_query) + method;
    OBJECT_BYTES + fields_bytes(&request.headers) + texts + body
}

impl RunState {
    fn count_fields(&mut self, fields: &Resource<Fields>) -> wasmtime::Result<()> {
        let bytes = fields_bytes(self.table.get(fields)?);
        self.hold(fields.rep(), bytes)
    }

    fn count_request(&mut self, request: &Resource<OutgoingRequest>) -> wasmtime::Result<()> {
        let bytes = request_bytes(self.table.get(request)?);
        self.hold(request.rep(), bytes)
    }

    fn header_result<T>(
        &mut self,
        result: wasmtime_wasi_http::p2::HeaderResult<T>,
    ) -> wasmtime::Result<Result<T, types::HeaderError>> {
        match result {
            Ok(value) => Ok(Ok(value)),
            Err(error) => Ok(Err(types::Host::convert_header_error(&mut self.http(), error)?)),
        }
    }

    fn http_result<T>(
        &mut self,
        result: wasmtime_wasi_http::p2::HttpResult<T>,
    ) -> wasmtime::Result<Result<T, types::ErrorCode>> {
        match result {
            Ok(value) => Ok(Ok(value)),
            Err(error) => Ok(Err(types::Host::convert_error_code(&mut self.http(), error)?)),
        }
    }

    /// Ends the run if no HTTP rule is granted, before an object is created.
    fn require_http_rule(&self) -> wasmtime::Result<()> {
        if !self.run.grants.http().is_empty() {
            return Ok(());
        }
        let denial = Denial {
            kind: CapabilityKind::Http,
            subject: "wasi:http".into(),
            reason: "no request can be made without a rule".into(),
            grant: Some("http:GET https://HOST/PATH".into()),
            manifest: Some("add the host to `capabilities.http_egress_allowlist`".into()),
        };
        let refused: Result<(), HostFailure> = self.run.refuse("wasi.http", denial);
        refused.map_err(|failure| {
            let error = match failure {
                HostFailure::Denied(denial) => WasmPluginRunError::CapabilityDenied(denial),
                HostFailure::Quota { limit, allowed, used } => {
                    WasmPluginRunError::QuotaExceeded { limit, allowed, used }
                }
                other => WasmPluginRunError::Internal(other.message()),
            };
            RunFault(error).into()
        })
    }
}
