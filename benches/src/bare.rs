//! The bare engine: an `InstancePre`, a store and a call; no grants, no limits, no tape.

use anyhow::anyhow;
use std::sync::Arc;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{
    Component, ComponentExportIndex, ComponentType, Lift, ResourceTable, ResourceType,
};
use wasmtime::{Caller, Engine, Error, Extern, Memory, Module, Result, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

/// More fuel and epoch ticks than any guest here can use.
const PLENTY: u64 = 1 << 50;

/// Whether the store counts fuel and epochs, for which the engine has to be configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metered {
    Yes,
    No,
}

/// A component on the bare engine.
pub struct BareComponent {
    engine: Engine,
    metered: Metered,
    pre: wasmtime::component::InstancePre<BareState>,
    invoke: ComponentExportIndex,
}

/// State of the store of a bare component; the WASI context is only created for a guest that needs it.
pub struct BareState {
    wasi: Option<Box<WasiCtx>>,
    table: ResourceTable,
}

impl WasiView for BareState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let ctx = self.wasi.get_or_insert_with(|| Box::new(WasiCtx::builder().build()));
        WasiCtxView { ctx, table: &mut self.table }
    }
}

/// The error record `tool-error` of the contract.
#[derive(ComponentType, Lift, Debug)]
#[component(record)]
#[allow(dead_code, reason = "the fields are what the engine lifts; only their presence matters")]
struct ToolError {
    code: String,
    message: String,
    #[component(name = "details-json")]
    details_json: Option<String>,
}

type Returned = (std::result::Result<String, ToolError>,);

impl BareComponent {
    /// Compiles and links a component: imports of the contract trap, and WASI is that of the engine.
    pub fn new(engine: &Engine, wasm: &[u8], metered: Metered) -> anyhow::Result<Self> {
        Self::link(engine, wasm, metered).map_err(outward)
    }

    /// Instantiates the component and calls it once.
    pub async fn call(&self, input: &str) -> anyhow::Result<String> {
        self.enter(input).await.map_err(outward)
    }

    fn link(engine: &Engine, wasm: &[u8], metered: Metered) -> Result<Self> {
        let component = Component::new(engine, wasm)?;
        let mut linker = wasmtime::component::Linker::new(engine);
        if component.component_type().imports(engine).any(|(name, _)| name.starts_with("wasi:")) {
            wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
        }
        trap_contract(&mut linker, engine, &component)?;
        let tools = component.get_export_index(None, "palyra:plugin/tools@1.0.0");
        let invoke = tools.and_then(|tools| component.get_export_index(Some(&tools), "invoke"));
        let invoke = invoke.ok_or_else(|| Error::msg("the guest exports no tools"))?;
        Ok(Self { engine: engine.clone(), metered, pre: linker.instantiate_pre(&component)?, invoke })
    }

    async fn enter(&self, input: &str) -> Result<String> {
        let mut store =
            new_store(&self.engine, self.metered, BareState { wasi: None, table: ResourceTable::new() })?;
        let instance = self.pre.instantiate_async(&mut store).await?;
        let invoke = instance.get_typed_func::<(&str, &str), Returned>(&mut store, self.invoke)?;
        match invoke.call_async(&mut store, ("bench.call", input)).await?.0 {
            Ok(output) => Ok(output),
            Err(error) => Err(Error::msg(format!("the guest failed: {error:?}"))),
        }
    }
}

/// Replaces every import outside of WASI with a trap; WASI imports are linked by version range, which a trap would
/// hide.
fn trap_contract(
    linker: &mut wasmtime::component::Linker<BareState>,
    engine: &Engine,
    component: &Component,
) -> Result<()> {
    for (name, import) in component.component_type().imports(engine) {
        let ComponentItem::ComponentInstance(instance) = import.ty else { continue };
        if name.starts_with("wasi:") {
            continue;
        }
        let mut linked = linker.instance(name)?;
        for (name, item) in instance.exports(engine) {
            match item.ty {
                ComponentItem::ComponentFunc(_) => {
                    linked.func_new(name, |_, _, _, _| Err(Error::msg("not part of this row")))?;
                }
                ComponentItem::Resource(_) => {
                    linked.resource(name, ResourceType::host::<()>(), |_, _| Ok(()))?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// A core module on the bare engine.
pub struct BareCore {
    engine: Engine,
    pre: wasmtime::InstancePre<CoreState>,
}

/// Input and output of a core module.
struct CoreState {
    input: Arc<str>,
    output: Vec<u8>,
}

impl BareCore {
    pub fn new(engine: &Engine, wasm: &[u8]) -> anyhow::Result<Self> {
        Self::link(engine, wasm).map_err(outward)
    }

    /// Instantiates the module and calls it once.
    pub async fn call(&self, input: &Arc<str>) -> anyhow::Result<Vec<u8>> {
        self.enter(input).await.map_err(outward)
    }

    fn link(engine: &Engine, wasm: &[u8]) -> Result<Self> {
        let module = Module::new(engine, wasm)?;
        let mut linker = wasmtime::Linker::new(engine);
        add_io(&mut linker)?;
        Ok(Self { engine: engine.clone(), pre: linker.instantiate_pre(&module)? })
    }

    async fn enter(&self, input: &Arc<str>) -> Result<Vec<u8>> {
        let state = CoreState { input: Arc::clone(input), output: Vec::new() };
        let mut store = new_store(&self.engine, Metered::Yes, state)?;
        let instance = self.pre.instantiate_async(&mut store).await?;
        let main = instance.get_typed_func::<(), i32>(&mut store, "palyra_plugin_main")?;
        match main.call_async(&mut store, ()).await? {
            0 => Ok(store.into_data().output),
            status => Err(Error::msg(format!("the guest returned {status}"))),
        }
    }
}

/// Links the three host functions that an echo needs, without limits.
fn add_io(linker: &mut wasmtime::Linker<CoreState>) -> Result<()> {
    const IO: &str = "palyra:plugin/io@1.0.0";
    linker.func_wrap(IO, "input-length", |caller: Caller<'_, CoreState>| -> i32 {
        i32::try_from(caller.data().input.len()).unwrap_or(i32::MAX)
    })?;
    linker.func_wrap(
        IO,
        "input-read",
        |mut caller: Caller<'_, CoreState>, to: i32, from: i32, length: i32| -> Result<i32> {
            let memory = memory(&mut caller)?;
            let input = Arc::clone(&caller.data().input);
            let (to, from) = (usize::try_from(to)?, usize::try_from(from)?);
            let bytes = input.as_bytes().get(from..from.saturating_add(usize::try_from(length)?));
            memory.write(&mut caller, to, bytes.unwrap_or_default())?;
            Ok(length)
        },
    )?;
    linker.func_wrap(
        IO,
        "output-write",
        |mut caller: Caller<'_, CoreState>, from: i32, length: i32| -> Result<i32> {
            let memory = memory(&mut caller)?;
            let (from, count) = (usize::try_from(from)?, usize::try_from(length)?);
            let (bytes, state) = memory.data_and_store_mut(&mut caller);
            state.output.extend_from_slice(bytes.get(from..from.saturating_add(count)).unwrap_or_default());
            Ok(length)
        },
    )?;
    Ok(())
}

fn memory(caller: &mut Caller<'_, CoreState>) -> Result<Memory> {
    match caller.get_export("memory") {
        Some(Extern::Memory(memory)) => Ok(memory),
        _ => Err(Error::msg("no memory")),
    }
}

fn new_store<T: 'static>(engine: &Engine, metered: Metered, state: T) -> Result<Store<T>> {
    let mut store = Store::new(engine, state);
    if metered == Metered::Yes {
        store.set_fuel(PLENTY)?;
        store.set_epoch_deadline(PLENTY);
    }
    Ok(store)
}

/// Converts an error of the engine, which does not implement the conversion to ours.
fn outward(error: Error) -> anyhow::Error {
    anyhow!("{error:#}")
}
