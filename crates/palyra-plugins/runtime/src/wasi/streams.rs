//! `wasi:io/streams` with the memory that a stream holds between two calls counted against the run's limit.
//!
//! Counts the memory of file streams, which read ahead and write behind. The library limits each buffer but not the
//! number of streams, and accepts writes of any length.

use crate::run_state::RunState;
use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, Resource, ResourceType};
use wasmtime_wasi_io::bindings::wasi::io::streams::{
    Host, HostInputStream, HostOutputStream, InputStream, OutputStream, StreamError as GuestError,
};
use wasmtime_wasi_io::streams::StreamResult;

const STREAMS: &str = "wasi:io/streams@0.2.12";
/// Maximum buffer of a stream, in bytes. A longer write violates the contract of `check-write`.
const BUFFER_BYTES: usize = 64 << 10;

type Read = (Resource<InputStream>, u64);
type Write = (Resource<OutputStream>, Vec<u8>);
type Zeroes = (Resource<OutputStream>, u64);
type Splice = (Resource<OutputStream>, Resource<InputStream>, u64);

/// Shadows functions of the library with ones that count their memory.
pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    let mut instance = linker.instance(STREAMS)?;
    instance.func_wrap(
        "[method]input-stream.read",
        |mut store: StoreContextMut<'_, RunState>, (stream, length): Read| {
            let state = store.data_mut();
            let read = HostInputStream::read(&mut state.table, again(&stream), length);
            state.count_reading(&stream, matches!(&read, Ok(bytes) if bytes.is_empty()))?;
            Ok((state.stream_result(read)?,))
        },
    )?;
    instance.func_wrap(
        "[method]input-stream.skip",
        |mut store: StoreContextMut<'_, RunState>, (stream, length): Read| {
            let state = store.data_mut();
            let skipped = HostInputStream::skip(&mut state.table, again(&stream), length);
            state.count_reading(&stream, matches!(&skipped, Ok(0)))?;
            Ok((state.stream_result(skipped)?,))
        },
    )?;
    instance.func_wrap(
        "[method]output-stream.write",
        |mut store: StoreContextMut<'_, RunState>, (stream, bytes): Write| {
            let state = store.data_mut();
            if bytes.len() > BUFFER_BYTES {
                return Err(wasmtime::format_err!("a write of more bytes than `check-write` permits"));
            }
            let written = HostOutputStream::write(&mut state.table, again(&stream), bytes);
            state.count_writing(&stream, written.is_ok())?;
            Ok((state.stream_result(written)?,))
        },
    )?;
    instance.func_wrap(
        "[method]output-stream.write-zeroes",
        |mut store: StoreContextMut<'_, RunState>, (stream, length): Zeroes| {
            let state = store.data_mut();
            let written = HostOutputStream::write_zeroes(&mut state.table, again(&stream), length);
            state.count_writing(&stream, written.is_ok())?;
            Ok((state.stream_result(written)?,))
        },
    )?;
    instance.func_wrap(
        "[method]output-stream.splice",
        |mut store: StoreContextMut<'_, RunState>, (to, from, length): Splice| {
            let state = store.data_mut();
            let spliced = HostOutputStream::splice(&mut state.table, again(&to), again(&from), length);
            state.count_reading(&from, matches!(&spliced, Ok(0)))?;
            state.count_writing(&to, matches!(&spliced, Ok(bytes) if *bytes > 0))?;
            Ok((state.stream_result(spliced)?,))
        },
    )?;
    instance.resource_async("input-stream", ResourceType::host::<InputStream>(), |mut store, rep| {
        Box::new(async move {
            store.data_mut().held.remove(&rep);
            HostInputStream::drop(&mut store.data_mut().table, Resource::new_own(rep)).await
        })
    })?;
    instance.resource_async("output-stream", ResourceType::host::<OutputStream>(), |mut store, rep| {
        Box::new(async move {
            store.data_mut().held.remove(&rep);
            HostOutputStream::drop(&mut store.data_mut().table, Resource::new_own(rep)).await
        })
    })?;
    linker.allow_shadowing(false);
    Ok(())
}

/// Returns a second handle to the resource for use in one call.
fn again<T: 'static>(resource: &Resource<T>) -> Resource<T> {
    Resource::new_borrow(resource.rep())
}

impl RunState {
    /// Counts the buffer of a stream that has no data yet: it may be reading ahead.
    fn count_reading(&mut self, stream: &Resource<InputStream>, is_waiting: bool) -> wasmtime::Result<()> {
        if is_waiting { self.hold(stream.rep(), BUFFER_BYTES) } else { Ok(()) }
    }

    /// Counts the buffer of a stream that accepts no more data right after a write, and so still holds it.
    fn count_writing(&mut self, stream: &Resource<OutputStream>, has_written: bool) -> wasmtime::Result<()> {
        if has_written && matches!(self.table.get_mut(stream)?.check_write(), Ok(0)) {
            return self.hold(stream.rep(), BUFFER_BYTES);
        }
        Ok(())
    }

    fn stream_result<T>(&mut self, result: StreamResult<T>) -> wasmtime::Result<Result<T, GuestError>> {
        match result {
            Ok(value) => Ok(Ok(value)),
            Err(error) => Ok(Err(Host::convert_stream_error(&mut self.table, error)?)),
        }
    }
}
