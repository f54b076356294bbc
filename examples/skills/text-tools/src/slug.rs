//! `palyra.text_tools.slugify`: a title as it stands in an address or a file name.

use crate::Changed;
use palyra_plugins_sdk::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SlugInput {
    /// The title or name.
    text: String,
    /// Maximum number of characters of the slug.
    #[serde(default = "eighty")]
    #[schemars(range(min = 1, max = 200))]
    max_length: u32,
}

fn eighty() -> u32 {
    80
}

#[tool(
    id = "palyra.text_tools.slugify",
    description = "Turns a title into a slug for a URL or a file name: lower case, accents removed, hyphens between"
)]
pub(crate) fn slugify(input: SlugInput) -> Changed {
    let mut slug = String::new();
    let mut length = 0;
    for word in words(&input.text) {
        let more = word.chars().count() + usize::from(length > 0);
        if length + more > input.max_length as usize {
            // A slug ends with a whole word, unless its first one is too long already.
            if length == 0 {
                slug.extend(word.chars().take(input.max_length as usize));
            }
            break;
        }
        if length > 0 {
            slug.push('-');
        }
        slug.push_str(&word);
        length += more;
    }
    Changed { text: slug }
}

/// The words of a text in lower case, with Latin letters without their accents.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in text.chars().flat_map(char::to_lowercase) {
        match (plain(c), words.last_mut()) {
            (Some(letters), Some(word)) => word.push_str(letters),
            (None, Some(word)) if c.is_alphanumeric() => word.push(c),
            // An apostrophe or a combining accent is no end of a word.
            (None, _) if matches!(c, '\'' | '’' | '\u{300}'..='\u{36f}') => {}
            _ => words.push(String::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The plain letters for a lower-case Latin letter with an accent.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ĥ' | 'ħ' => "h",
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => "i",
        'ĵ' => "j",
        'ķ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ŀ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => "o",
        'œ' => "oe",
        'ŕ' | 'ŗ' | 'ř' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => "s",
        'ß' => "ss",
        'ţ' | 'ť' | 'ŧ' | 'ț' => "t",
        'þ' => "th",
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => "u",
        'ŵ' => "w",
        'ý' | 'ÿ' | 'ŷ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        _ => return None,
    })
}
