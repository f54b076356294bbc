//! Dates and times, written out or relative to now.

use jiff::civil::{Date, Time, Weekday, time};
use jiff::{Span, ToSpan, Zoned};

use super::found::{Found, FoundValue, Taken};
use super::sentence::Sentence;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const LONG_MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

pub(super) fn find(sentence: &Sentence<'_>, taken: &Taken, now: &Zoned) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut index = 0;
    while index < sentence.tokens.len() {
        let read = if taken.has(index) { None } else { moment(sentence, index, now.date()) };
        let Some((date, time, to)) = read else {
            index += 1;
            continue;
        };
        let text = sentence.span(index, to).to_owned();
        found.push(Found { from: index, to, value: FoundValue::Moment { date, time, text } });
        index = to;
    }
    found
}

type Moment = (Option<Date>, Option<Time>, usize);

/// Reads a date, a time, or both with `at` between them.
fn moment(sentence: &Sentence<'_>, at: usize, today: Date) -> Option<Moment> {
    if let Some((date, to)) = day(sentence, at, today) {
        let next = to + usize::from(matches!(sentence.lower(to), "at" | "," | "t"));
        return Some(match clock(sentence, next) {
            Some((time, to)) => (Some(date), Some(time), to),
            None => (Some(date), None, to),
        });
    }
    let (time, to) = clock(sentence, at)?;
    let next = to + usize::from(sentence.lower(to) == "on");
    Some(match day(sentence, next, today) {
        Some((date, to)) => (Some(date), Some(time), to),
        None => (None, Some(time), to),
    })
}

fn day(sentence: &Sentence<'_>, at: usize, today: Date) -> Option<(Date, usize)> {
    digits(sentence, at)
        .or_else(|| month_first(sentence, at, today))
        .or_else(|| day_first(sentence, at, today))
        .or_else(|| relative(sentence, at, today))
}

fn number<N: std::str::FromStr>(sentence: &Sentence<'_>, at: usize) -> Option<N> {
    sentence.token(at)?.text.parse().ok()
}

/// Reads `2026-11-18`, `18.11.2026`, `11/18/2026`; if both numbers can be the month it is the first, as in the United
/// States.
fn digits(sentence: &Sentence<'_>, at: usize) -> Option<(Date, usize)> {
    let token = sentence.token(at)?;
    // `18.11` is read as one number.
    if let Some((day, month)) = token.text.split_once('.') {
        if sentence.lower(at + 1) != "." {
            return None;
        }
        let date = Date::new(number(sentence, at + 2)?, month.parse().ok()?, day.parse().ok()?).ok()?;
        return Some((date, at + 3));
    }
    let separator = sentence.token(at + 1)?.text;
    if !matches!(separator, "-" | "/") || sentence.token(at + 3)?.text != separator || !sentence.joined(at) {
        return None;
    }
    let (first, second, third): (i16, i16, i16) =
        (number(sentence, at)?, number(sentence, at + 2)?, number(sentence, at + 4)?);
    let small = |value: i16| i8::try_from(value).ok();
    let date = if token.text.len() == 4 {
        Date::new(first, small(second)?, small(third)?)
    } else if first > 12 {
        Date::new(third, small(second)?, small(first)?)
    } else {
        Date::new(third, small(first)?, small(second)?)
    };
    date.ok().filter(|date| date.year() >= 1_000).map(|date| (date, at + 5))
}

fn month(sentence: &Sentence<'_>, at: usize) -> Option<i8> {
    let word = sentence.lower(at);
    let position = LONG_MONTHS.iter().position(|month| *month == word);
    let position = position
        .or_else(|| MONTHS.iter().position(|month| *month == word || (word == "sept" && *month == "sep")));
    // `may` is a verb unless it is capitalized.
    let certain = word != "may" || sentence.token(at)?.is_capitalised();
    i8::try_from(position.filter(|_| certain)? + 1).ok()
}

/// Parses the day of a month with or without its ending, which may be a separate token.
fn day_of_month(sentence: &Sentence<'_>, at: usize) -> Option<(i8, usize)> {
    let day: i8 = number(sentence, at)?;
    let ending = sentence.joined(at) && matches!(sentence.lower(at + 1), "st" | "nd" | "rd" | "th");
    (1..=31).contains(&day).then_some((day, at + 1 + usize::from(ending)))
}

fn year(sentence: &Sentence<'_>, at: usize) -> Option<(i16, usize)> {
    let at = at + usize::from(matches!(sentence.lower(at), "," | "of" | "in"));
    let year = number(sentence, at)?;
    (sentence.token(at)?.text.len() == 4).then_some((year, at + 1))
}

/// Parses `December 13, 2019`. Without a year, the next such date.
fn month_first(sentence: &Sentence<'_>, at: usize, today: Date) -> Option<(Date, usize)> {
    let month = month(sentence, at)?;
    let dot = usize::from(sentence.lower(at + 1) == ".");
    let (day, to) = day_of_month(sentence, at + 1 + dot)?;
    dated(sentence, month, day, to, today)
}

/// Reads `13th of December 2019`.
fn day_first(sentence: &Sentence<'_>, at: usize, today: Date) -> Option<(Date, usize)> {
    let (day, to) = day_of_month(sentence, at)?;
    let to = to + usize::from(sentence.lower(to) == "of");
    dated(sentence, month(sentence, to)?, day, to + 1, today)
}

fn dated(sentence: &Sentence<'_>, month: i8, day: i8, to: usize, today: Date) -> Option<(Date, usize)> {
    if let Some((year, to)) = year(sentence, to) {
        return Date::new(year, month, day).ok().map(|date| (date, to));
    }
    let this_year = Date::new(today.year(), month, day).ok()?;
    let date =
        if this_year >= today { Some(this_year) } else { Date::new(today.year() + 1, month, day).ok() };
    Some((date?, to))
}

/// Reads `tomorrow`, `in 3 days`, `2 weeks ago`, `next Monday`.
fn relative(sentence: &Sentence<'_>, at: usize, today: Date) -> Option<(Date, usize)> {
    let word = |offset: usize| sentence.lower(at + offset);
    let days = |days: i64, tokens: usize| today.checked_add(days.days()).ok().map(|date| (date, at + tokens));
    match (word(0), word(1)) {
        ("today" | "tonight", _) => return days(0, 1),
        ("tomorrow", _) => return days(1, 1),
        ("yesterday", _) => return days(-1, 1),
        ("day", "after") if word(2) == "tomorrow" => return days(2, 3),
        ("day", "before") if word(2) == "yesterday" => return days(-2, 3),
        ("next", "week") => return days(7, 2),
        ("last", "week") => return days(-7, 2),
        ("next", "month") => return today.checked_add(1.month()).ok().map(|date| (date, at + 2)),
        ("last", "month") => return today.checked_sub(1.month()).ok().map(|date| (date, at + 2)),
        _ => {}
    }
    if word(0) == "in"
        && let Some((span, to)) = span(sentence, at + 1)
    {
        return today.checked_add(span).ok().map(|date| (date, to));
    }
    if let Some((span, to)) = span(sentence, at) {
        let from_now = sentence.lower(to) == "from" && matches!(sentence.lower(to + 1), "now" | "today");
        let date = match sentence.lower(to) {
            "ago" => today.checked_sub(span).map(|date| (date, to + 1)),
            _ if from_now => today.checked_add(span).map(|date| (date, to + 2)),
            _ => return None,
        };
        return date.ok();
    }
    weekday(sentence, at, today)
}

/// Reads a number of days, weeks, months or years.
fn span(sentence: &Sentence<'_>, at: usize) -> Option<(Span, usize)> {
    const WORDS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let word = sentence.lower(at);
    let count: i64 = match word {
        "a" | "an" => 1,
        _ => match WORDS.iter().position(|known| *known == word) {
            Some(position) => i64::try_from(position).ok()? + 1,
            None => number(sentence, at).filter(|count| (0..=10_000).contains(count))?,
        },
    };
    let span = match sentence.lower(at + 1).trim_end_matches('s') {
        "day" => count.days(),
        "week" => count.weeks(),
        "month" => count.months(),
        "year" => count.years(),
        _ => return None,
    };
    Some((span, at + 2))
}

/// Reads a weekday: the next one, or with `last` the one before today.
fn weekday(sentence: &Sentence<'_>, at: usize, today: Date) -> Option<(Date, usize)> {
    let (last, named) = match sentence.lower(at) {
        "last" => (true, at + 1),
        "next" | "this" | "on" => (false, at + 1),
        _ => (false, at),
    };
    let position = WEEKDAYS.iter().position(|day| *day == sentence.lower(named))?;
    let weekday = Weekday::from_monday_zero_offset(i8::try_from(position).ok()?).ok()?;
    let date = today.nth_weekday(if last { -1 } else { 1 }, weekday).ok()?;
    Some((date, named + 1))
}

/// Reads `3pm`, `3:30 pm`, `15:30`, `noon`.
fn clock(sentence: &Sentence<'_>, at: usize) -> Option<(Time, usize)> {
    match sentence.lower(at) {
        "noon" => return Some((time(12, 0, 0, 0), at + 1)),
        "midnight" => return Some((time(0, 0, 0, 0), at + 1)),
        _ => {}
    }
    let hour: i8 = number(sentence, at)?;
    let minutes = (sentence.lower(at + 1) == ":" && sentence.joined(at))
        .then(|| number::<i8>(sentence, at + 2))
        .flatten();
    let to = if minutes.is_some() { at + 3 } else { at + 1 };
    let (hour, to) = match sentence.lower(to) {
        "am" if (1..=12).contains(&hour) => (hour % 12, to + 1),
        "pm" if (1..=12).contains(&hour) => (hour % 12 + 12, to + 1),
        _ if minutes.is_some() => (hour, to),
        _ => return None,
    };
    Some((Time::new(hour, minutes.unwrap_or(0), 0, 0).ok()?, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates(text: &str) -> Vec<String> {
        let now: Zoned = "2026-11-18T10:00[UTC]".parse().unwrap();
        let sentence = Sentence::read(text);
        super::super::found::find(&sentence, &now)
            .into_iter()
            .filter_map(|found| match found.value {
                FoundValue::Moment { date, time, .. } => Some(
                    [date.map(|date| date.to_string()), time.map(|time| time.to_string())]
                        .into_iter()
                        .flatten()
                        .collect::<Vec<_>>()
                        .join("T"),
                ),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn dates_are_read_in_many_spellings() {
        for (text, expected) in [
            ("on December 13, 2019?", "2019-12-13"),
            ("10th of December 2022", "2022-12-10"),
            ("2026-02-28", "2026-02-28"),
            ("28.2.2026", "2026-02-28"),
            ("28/2/2026", "2026-02-28"),
            ("May 1", "2027-05-01"),
            ("tomorrow at 3:30 pm", "2026-11-19T15:30:00"),
            ("in 2 weeks", "2026-12-02"),
            ("three days ago", "2026-11-15"),
            ("next Monday", "2026-11-23"),
            ("last Wednesday", "2026-11-11"),
            ("at noon", "12:00:00"),
        ] {
            assert_eq!(dates(text), [expected], "{text}");
        }
        assert!(dates("you may pay 31/31/2026 or 3 of 4").is_empty());
    }
}
