//! Names of principals as the journal stores them, and time-sorted ids.

use palyra_common::text::clip_untrusted;

/// Largest time in milliseconds that fits into the six bytes of an id.
const MOST_OF_SIX_BYTES: u64 = (1 << 48) - 1;

/// Escapes a name and limits it to 100 characters, so that it fits into a field of the journal and cannot forge a line.
pub fn short_name(name: &str) -> String {
    clip_untrusted(name, 100)
}

/// Returns a new random id that sorts by time, which keeps insertions at the end of indexes.
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

/// Returns the time in an id in Unix milliseconds, or `None` for an id of another form.
pub(crate) fn time_of_id(id: &str) -> Option<u64> {
    let (_, digits) = id.rsplit_once('_')?;
    let time = digits.get(..12).filter(|_| digits.len() == 32)?;
    u64::from_str_radix(time, 16).ok()
}

/// Returns the smallest string that sorts before every id of this time or later, and after every earlier id.
pub(crate) fn first_id_at(prefix: &str, at_ms: u64) -> String {
    format!("{prefix}_{:012x}", at_ms.min(MOST_OF_SIX_BYTES))
}
