//! Compilation in a child process of the same binary, which limits itself and can be killed.
//!
//! The child reads one byte for the kind and then the module from standard input; it answers with
//! one byte (0 code, 1 invalid, 2 broken) and then the code or a message on standard output.

use super::{CompileFailure, CompiledBytes, Compiler, precompile};
use crate::module::ModuleKind;
use async_trait::async_trait;
use palyra_common::limits::{COMPILE_MEMORY_BYTES, COMPILE_TIMEOUT_MS, MAX_MODULE_BYTES};
use rustix::process::{Resource, Rlimit, setrlimit};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Maximum size of the code of one module.
const MAX_CODE_BYTES: u64 = 1 << 30;
/// The same for small modules; artifacts are about four times the module.
const CODE_BYTES_PER_MODULE_BYTE: u64 = 32;
const LEAST_CODE_BYTES: u64 = 16 << 20;

/// Starts `program` with `arguments` for each module, under a time and a memory limit.
pub struct ChildCompiler {
    program: PathBuf,
    arguments: Vec<OsString>,
    timeout: Duration,
    memory_bytes: u64,
}

impl ChildCompiler {
    /// Creates a compiler with the limits of the contract. `program` is started with `arguments` followed by the two
    /// limits, and must call [`compile_child_main`].
    pub fn new(program: PathBuf, arguments: Vec<OsString>) -> Self {
        let timeout = Duration::from_millis(COMPILE_TIMEOUT_MS);
        Self { program, arguments, timeout, memory_bytes: COMPILE_MEMORY_BYTES }
    }

    /// Sets the limits: wall-clock time, and address space in bytes.
    pub fn with_limits(mut self, timeout: Duration, memory_bytes: u64) -> Self {
        self.timeout = timeout;
        self.memory_bytes = memory_bytes;
        self
    }

    async fn run(&self, module: &[u8], kind: ModuleKind) -> Result<Answer, CompileFailure> {
        let broken = |what: &str, error: std::io::Error| CompileFailure::Broken(format!("{what}: {error}"));
        let mut child = tokio::process::Command::new(&self.program)
            .args(&self.arguments)
            .arg(self.timeout.as_millis().to_string())
            .arg(self.memory_bytes.to_string())
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| broken("cannot start it", error))?;
        let (mut stdin, stdout) = match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => (stdin, stdout),
            _ => return Err(CompileFailure::Broken("it has no pipes".into())),
        };
        let send = async move {
            // A child that ends early closes the pipe; the reason is in its status, so the write may fail.
            let _ = stdin.write_all(&[kind_byte(kind)]).await;
            let _ = stdin.write_all(module).await;
            drop(stdin);
        };
        let receive = async move {
            let mut output = Vec::new();
            stdout.take(max_code_bytes(module.len()) + 2).read_to_end(&mut output).await.map(|_| output)
        };
        let ((), output) = tokio::join!(send, receive);
        let output = output.map_err(|error| broken("cannot read from it", error))?;
        let status = child.wait().await.map_err(|error| broken("cannot wait for it", error))?;
        Ok(Answer { status, output })
    }
}

struct Answer {
    status: ExitStatus,
    output: Vec<u8>,
}

#[async_trait]
impl Compiler for ChildCompiler {
    async fn compile(&self, module: bytes::Bytes, kind: ModuleKind) -> Result<CompiledBytes, CompileFailure> {
        let limit_ms = u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX);
        // Dropping the future kills the child.
        let answer = tokio::time::timeout(self.timeout, self.run(&module, kind))
            .await
            .map_err(|_| CompileFailure::OverTime { limit_ms })??;
        self.read_answer(answer, limit_ms, max_code_bytes(module.len()))
    }
}

fn max_code_bytes(module_bytes: usize) -> u64 {
    let grown = (module_bytes as u64).saturating_mul(CODE_BYTES_PER_MODULE_BYTE);
    grown.saturating_add(LEAST_CODE_BYTES).min(MAX_CODE_BYTES)
}

impl ChildCompiler {
    fn read_answer(
        &self,
        answer: Answer,
        limit_ms: u64,
        max_code: u64,
    ) -> Result<CompiledBytes, CompileFailure> {
        if let Some(signal) = answer.status.signal() {
            return Err(match rustix::process::Signal::from_named_raw(signal) {
                Some(rustix::process::Signal::XCPU) => CompileFailure::OverTime { limit_ms },
                // Allocation failure aborts, and the system's own killer sends KILL.
                _ => CompileFailure::OverMemory { limit_bytes: self.memory_bytes },
            });
        }
        let mut output = answer.output;
        if output.is_empty() {
            return Err(CompileFailure::Broken(format!("it exited with {} and no output", answer.status)));
        }
        let kind = output.remove(0);
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        match kind {
            0 if output.len() as u64 > max_code => Err(CompileFailure::OverMemory { limit_bytes: max_code }),
            0 => Ok(CompiledBytes(output)),
            1 => Err(CompileFailure::Invalid(text(output))),
            _ => Err(CompileFailure::Broken(text(output))),
        }
    }
}

/// Runs the child process: limits itself, reads a module, writes the code and exits.
pub fn compile_child_main(timeout_ms: u64, memory_bytes: u64) -> ExitCode {
    limit_this_process(timeout_ms, memory_bytes);
    let answer = read_module().and_then(|(kind, module)| precompile(&module, kind));
    let (status, bytes) = match answer {
        Ok(code) => (0, code),
        Err(CompileFailure::Invalid(reason)) => (1, reason.into_bytes()),
        Err(other) => (2, other.to_string().into_bytes()),
    };
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(&[status]).and_then(|()| stdout.write_all(&bytes)).and_then(|()| stdout.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn read_module() -> Result<(ModuleKind, Vec<u8>), CompileFailure> {
    let mut input = Vec::new();
    let read = std::io::stdin().lock().take(MAX_MODULE_BYTES + 2).read_to_end(&mut input);
    read.map_err(|error| CompileFailure::Broken(error.to_string()))?;
    if input.is_empty() {
        return Err(CompileFailure::Broken("no module on standard input".into()));
    }
    let kind = match input.remove(0) {
        b'c' => ModuleKind::Component,
        _ => ModuleKind::Core,
    };
    Ok((kind, input))
}

fn kind_byte(kind: ModuleKind) -> u8 {
    match kind {
        ModuleKind::Component => b'c',
        ModuleKind::Core => b'm',
    }
}

/// Limits CPU seconds of all threads and address space; the parent's timeout is the outer bound.
fn limit_this_process(timeout_ms: u64, memory_bytes: u64) {
    let seconds = timeout_ms.div_ceil(1_000).saturating_mul(2).max(1);
    let fixed = |value| Rlimit { current: Some(value), maximum: Some(value) };
    // Where the system refuses a limit, the parent's clock still holds.
    let _ =
        setrlimit(Resource::Cpu, Rlimit { current: Some(seconds), maximum: Some(seconds.saturating_add(5)) });
    let _ = setrlimit(Resource::As, fixed(memory_bytes));
    // A compilation outlives the caller that requested it, but not the process.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    let _ = setrlimit(Resource::Core, fixed(0));
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[tokio::test]
    async fn code_over_the_limit_of_its_module_is_refused() {
        let module = bytes::Bytes::from_static(b"\0asm\x01\0\0\0");
        let limit = max_code_bytes(module.len());
        assert_eq!(limit, (16 << 20) + 32 * 8);
        assert_eq!(max_code_bytes(usize::MAX), 1 << 30);
        // A compiler whose code has this many bytes.
        let compiler = |bytes: u64| {
            let script = format!("cat > /dev/null; printf '\\0'; head -c {bytes} /dev/zero; exit 0");
            ChildCompiler::new("/bin/sh".into(), vec!["-c".into(), script.into()])
        };
        let code = compiler(limit).compile(module.clone(), ModuleKind::Core).await.unwrap();
        assert_eq!(code.0.len() as u64, limit);
        let refused = compiler(limit + 1).compile(module, ModuleKind::Core).await.err().unwrap();
        assert!(
            matches!(refused, CompileFailure::OverMemory { limit_bytes } if limit_bytes == limit),
            "{refused}"
        );
    }
}
