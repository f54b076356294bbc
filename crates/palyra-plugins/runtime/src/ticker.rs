//! A thread that advances the engines' epochs, which all deadlines use, and parks when nothing runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use wasmtime::{Engine, EngineWeak};

/// Interval of the epoch ticks.
pub(crate) const TICK: Duration = Duration::from_millis(10);
/// Number of idle ticks before the thread parks. In a busy daemon it does not park, so waking it costs nothing.
const IDLE_TICKS: u32 = 100;

/// The ticker of one runtime, which stops when dropped.
pub(crate) struct Ticker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    /// Number of runs in progress.
    active: AtomicU64,
    parked: AtomicBool,
    stop: AtomicBool,
}

/// Keeps the ticker running while a run is in progress.
pub(crate) struct Ticking<'a>(&'a Ticker);

impl Ticker {
    pub(crate) fn start(engines: [&Engine; 2]) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            active: AtomicU64::new(0),
            parked: AtomicBool::new(false),
            stop: AtomicBool::new(false),
        });
        let weak = engines.map(Engine::weak);
        let thread_shared = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("palyra-epoch".into())
            .spawn(move || tick(&thread_shared, &weak))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Keeps the ticker running until the result is dropped.
    pub(crate) fn run(&self) -> Ticking<'_> {
        self.shared.active.fetch_add(1, Ordering::SeqCst);
        if self.shared.parked.load(Ordering::SeqCst)
            && let Some(thread) = &self.thread
        {
            thread.thread().unpark();
        }
        Ticking(self)
    }
}

impl Drop for Ticking<'_> {
    fn drop(&mut self) {
        self.0.shared.active.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // The thread only sleeps and counts, so a failed join has no consequence.
            let _ = thread.join();
        }
    }
}

fn tick(shared: &Shared, engines: &[EngineWeak; 2]) {
    let mut idle = 0;
    while !shared.stop.load(Ordering::SeqCst) {
        std::thread::park_timeout(TICK);
        for engine in engines.iter().filter_map(EngineWeak::upgrade) {
            engine.increment_epoch();
        }
        idle = if shared.active.load(Ordering::SeqCst) == 0 { idle + 1 } else { 0 };
        if idle >= IDLE_TICKS {
            park(shared);
            idle = 0;
        }
    }
}

fn park(shared: &Shared) {
    shared.parked.store(true, Ordering::SeqCst);
    // A run that began before `parked` was set is seen here; one that begins after it unparks us.
    while shared.active.load(Ordering::SeqCst) == 0 && !shared.stop.load(Ordering::SeqCst) {
        std::thread::park();
    }
    shared.parked.store(false, Ordering::SeqCst);
}
