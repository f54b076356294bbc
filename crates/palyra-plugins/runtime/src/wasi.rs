//! WASI 0.2, as far as ordinary toolchains need it: no environment, no arguments, no sockets, no
//! directory but granted roots; output goes to the run's log, clocks and randomness to its tape.

mod clocks;
mod files;
mod http;
mod http_types;
mod output;
mod poll;
mod streams;

use crate::random::RandomUse;
use crate::run_context::{HostFailure, RunContext};
use crate::run_log::LogLevel;
use crate::run_state::RunState;
use rand_core::Rng;
use std::sync::Arc;
use wasmtime::component::{HasSelf, Linker, ResourceTable};
use wasmtime_wasi::cli::{WasiCli, WasiCliView};
use wasmtime_wasi::filesystem::Descriptor;
use wasmtime_wasi::p2::bindings as wasi;
use wasmtime_wasi::random::{WasiRandom, WasiRandomView};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttp, WasiHttpCtx, WasiHttpCtxView, WasiHttpView};
use wasmtime_wasi_io::bindings::wasi::io;

/// Largest number of random bytes per request of a guest.
const MAX_RANDOM_BYTES: u64 = 1 << 20;

/// The WASI side of one run.
pub(crate) struct WasiState {
    ctx: WasiCtx,
    http: WasiHttpCtx,
    hooks: http::HttpHooks,
    roots: files::GrantedRoots,
}

impl WasiState {
    /// Opens WASI with the granted roots and nothing else.
    pub(crate) async fn open(run: &Arc<RunContext>) -> Result<Self, HostFailure> {
        let roots = files::GrantedRoots::open(run).await?;
        let mut builder = WasiCtx::builder();
        builder
            .secure_random(run.seed.generator(RandomUse::Secure))
            .insecure_random(run.seed.generator(RandomUse::Insecure))
            .insecure_random_seed(u128::from(run.seed.generator(RandomUse::HashSeed).next_u64()))
            .max_random_size(MAX_RANDOM_BYTES)
            .stdout(output::LogPipe::new(run, LogLevel::Info, "stdout"))
            .stderr(output::LogPipe::new(run, LogLevel::Warn, "stderr"))
            .allow_tcp(false)
            .allow_udp(false)
            .allow_ip_name_lookup(false);
        Ok(Self {
            ctx: builder.build(),
            http: http_types::context(),
            hooks: http::HttpHooks::new(run),
            roots,
        })
    }
}

/// Links the interfaces; `wasi:sockets` is never among them.
pub(crate) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    io::error::add_to_linker::<_, HasSelf<ResourceTable>>(linker, |state: &mut RunState| &mut state.table)?;
    io::streams::add_to_linker::<_, HasSelf<ResourceTable>>(linker, |state: &mut RunState| &mut state.table)?;
    streams::add_to_linker(linker)?;
    io::poll::add_to_linker::<_, HasSelf<RunState>>(linker, |state| state)?;
    wasi::clocks::wall_clock::add_to_linker::<_, HasSelf<RunState>>(linker, |state| state)?;
    wasi::clocks::monotonic_clock::add_to_linker::<_, HasSelf<RunState>>(linker, |state| state)?;
    wasi::random::random::add_to_linker::<_, WasiRandom>(linker, RunState::random)?;
    wasi::random::insecure::add_to_linker::<_, WasiRandom>(linker, RunState::random)?;
    wasi::random::insecure_seed::add_to_linker::<_, WasiRandom>(linker, RunState::random)?;
    wasi::cli::exit::add_to_linker::<_, WasiCli>(linker, RunState::cli)?;
    wasi::cli::environment::add_to_linker::<_, WasiCli>(linker, RunState::cli)?;
    wasi::cli::stdin::add_to_linker::<_, WasiCli>(linker, RunState::cli)?;
    wasi::cli::stdout::add_to_linker::<_, WasiCli>(linker, RunState::cli)?;
    wasi::cli::stderr::add_to_linker::<_, WasiCli>(linker, RunState::cli)?;
    wasi::cli::terminal_input::add_to_linker::<_, WasiCli>(linker, RunState::cli)?;
    wasi::cli::terminal_output::add_to_linker::<_, WasiCli>(linker, RunState::cli)?;
    wasi::cli::terminal_stdin::add_to_linker::<_, WasiCli>(linker, RunState::cli)?;
    wasi::cli::terminal_stdout::add_to_linker::<_, WasiCli>(linker, RunState::cli)?;
    wasi::cli::terminal_stderr::add_to_linker::<_, WasiCli>(linker, RunState::cli)?;
    files::add_to_linker(linker)?;
    use wasmtime_wasi_http::p2::bindings as wasi_http;
    let options = wasi_http::LinkOptions::default();
    wasi_http::http::outgoing_handler::add_to_linker::<_, WasiHttp>(linker, RunState::http)?;
    wasi_http::http::types::add_to_linker::<_, WasiHttp>(linker, &(&options).into(), RunState::http)?;
    http_types::add_to_linker(linker)
}

impl RunState {
    /// Returns the open directory of a granted root, or `None` on a replay.
    fn granted_root(&self, index: usize) -> Option<Descriptor> {
        self.wasi.as_ref().and_then(|wasi| wasi.roots.at(index))
    }

    fn wasi_state(&mut self) -> (&mut WasiState, &mut ResourceTable) {
        // A guest that reaches WASI has had its state opened before instantiation; the fallback has no roots.
        let run = &self.run;
        let wasi = self.wasi.get_or_insert_with(|| {
            let hooks = http::HttpHooks::new(run);
            let roots = files::GrantedRoots::default();
            Box::new(WasiState { ctx: WasiCtx::builder().build(), http: http_types::context(), hooks, roots })
        });
        (wasi, &mut self.table)
    }
}

impl WasiView for RunState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let (wasi, table) = self.wasi_state();
        WasiCtxView { ctx: &mut wasi.ctx, table }
    }
}

impl WasiHttpView for RunState {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        let (wasi, table) = self.wasi_state();
        WasiHttpCtxView { ctx: &mut wasi.http, table, hooks: &mut wasi.hooks }
    }
}
