//! Names: those of others as the journal can hold them, and ids of our own.

use palyra_common::text::clip_untrusted;

/// The time of an id has six bytes.
const MOST_OF_SIX_BYTES: u64 = (1 << 48) - 1;

/// A principal's name, never longer than a field of the journal, with nothing in it that forges a line.
pub fn short_name(name: &str) -> String {
    clip_untrusted(name, 100)
}

/// An id that sorts by the time it is made at, which keeps indexes small.
pub(crate) fn time_sorted_id(prefix: &str, at_ms: u64) -> Result<String, String> {
    let random = palyra_common::random::draw::<10>();
    let random = random.map_err(|error| format!("cannot read the system random source: {error}"))?;
    let mut bytes = [0; 16];
    let (time, rest) = bytes.split_at_mut(6);
    time.iter_mut().zip(at_ms.to_be_bytes().iter().skip(2)).for_each(|(to, from)| *to = *from);
    rest.copy_from_slice(&random);
    let mut digits = [0; 32];
    hex::encode_to_slice(bytes, &mut digits).map_err(|error| error.to_string())?;
    let digits = std::str::from_utf8(&digits).map_err(|error| error.to_string())?;
    Ok([prefix, "_", digits].concat())
}

/// The time an id was made at; `None` for an id of another form.
pub(crate) fn time_of_id(id: &str) -> Option<u64> {
    let (_, digits) = id.rsplit_once('_')?;
    let time = digits.get(..12).filter(|_| digits.len() == 32)?;
    u64::from_str_radix(time, 16).ok()
}

/// What stands before every id of this time or a later one, and after every earlier one.
pub(crate) fn first_id_at(prefix: &str, at_ms: u64) -> String {
    format!("{prefix}_{:012x}", at_ms.min(MOST_OF_SIX_BYTES))
}
