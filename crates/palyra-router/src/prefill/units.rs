//! Units of measure and their conversion.

/// A unit of measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unit {
    pub(super) measure: Measure,
    /// The number of base units of the measure in this unit.
    factor: f64,
}

/// The quantity that a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Length,
    Mass,
    Time,
    Volume,
    Data,
    Share,
    Temperature,
    Money,
    Frequency,
    Energy,
    Power,
    Charge,
}

/// Names of units in lower case, with their number of base units.
#[rustfmt::skip]
const UNITS: &[(Measure, f64, &[&str])] = &[
    (Measure::Length, 0.001, &["mm", "millimeter", "millimeters", "millimetre", "millimetres"]),
    (Measure::Length, 0.01, &["cm", "centimeter", "centimeters", "centimetre", "centimetres"]),
    (Measure::Length, 1.0, &["m", "meter", "meters", "metre", "metres"]),
    (Measure::Length, 1_000.0, &["km", "kilometer", "kilometers", "kilometre", "kilometres"]),
    (Measure::Length, 0.0254, &["inch", "inches"]),
    (Measure::Length, 0.3048, &["ft", "foot", "feet"]),
    (Measure::Length, 0.9144, &["yard", "yards"]),
    (Measure::Length, 1_609.344, &["mi", "mile", "miles"]),
    (Measure::Mass, 0.001, &["mg", "milligram", "milligrams"]),
    (Measure::Mass, 1.0, &["g", "gram", "grams"]),
    (Measure::Mass, 1_000.0, &["kg", "kilo", "kilos", "kilogram", "kilograms"]),
    (Measure::Mass, 453.592_37, &["lb", "lbs", "pound", "pounds"]),
    (Measure::Mass, 28.349_523_125, &["oz", "ounce", "ounces"]),
    (Measure::Mass, 1_000_000.0, &["ton", "tons", "tonne", "tonnes"]),
    (Measure::Time, 0.001, &["ms", "millisecond", "milliseconds"]),
    (Measure::Time, 1.0, &["s", "sec", "secs", "second", "seconds"]),
    (Measure::Time, 60.0, &["min", "mins", "minute", "minutes"]),
    (Measure::Time, 3_600.0, &["h", "hr", "hrs", "hour", "hours"]),
    (Measure::Time, 86_400.0, &["day", "days", "night", "nights"]),
    (Measure::Time, 604_800.0, &["week", "weeks"]),
    (Measure::Time, 2_629_746.0, &["month", "months"]),
    (Measure::Time, 31_556_952.0, &["year", "years", "yr", "yrs"]),
    (Measure::Volume, 0.001, &["ml", "milliliter", "milliliters", "millilitre", "millilitres"]),
    (Measure::Volume, 1.0, &["l", "liter", "liters", "litre", "litres"]),
    (Measure::Volume, 3.785_411_784, &["gallon", "gallons"]),
    (Measure::Data, 1.0, &["byte", "bytes"]),
    (Measure::Data, 1e3, &["kb", "kilobyte", "kilobytes"]),
    (Measure::Data, 1e6, &["mb", "megabyte", "megabytes"]),
    (Measure::Data, 1e9, &["gb", "gigabyte", "gigabytes"]),
    (Measure::Data, 1e12, &["tb", "terabyte", "terabytes"]),
    (Measure::Share, 1.0, &["%", "percent", "percentage"]),
    (Measure::Temperature, 1.0, &["°", "degree", "degrees", "celsius", "fahrenheit", "kelvin"]),
    (Measure::Money, 1.0, &["$", "€", "£", "¥", "dollar", "dollars", "euro", "euros", "usd", "eur"]),
    (Measure::Frequency, 1.0, &["hz", "hertz"]),
    (Measure::Energy, 1.0, &["j", "joule", "joules"]),
    (Measure::Power, 1.0, &["w", "watt", "watts"]),
    (Measure::Charge, 1.0, &["coulomb", "coulombs"]),
];

impl Unit {
    /// Returns the unit with this name.
    pub(super) fn parse(word: &str) -> Option<Self> {
        let word = word.to_lowercase();
        let (measure, factor, _) =
            UNITS.iter().find(|(_, _, spellings)| spellings.contains(&word.as_str()))?;
        Some(Self { measure: *measure, factor: *factor })
    }

    /// Converts a number of this unit to another one. If the measures differ, the number is unchanged.
    ///
    /// Temperatures, money and calendar units are not converted, because their ratio is not fixed.
    pub(super) fn convert(self, value: f64, to: Self) -> f64 {
        let fixed = matches!(self.measure, Measure::Length | Measure::Mass | Measure::Volume | Measure::Data)
            || (self.measure == Measure::Time && self.factor <= 604_800.0 && to.factor <= 604_800.0);
        if !fixed || self.measure != to.measure || self.factor == to.factor {
            return value;
        }
        // Twelve digits hide rounding errors of the factors.
        let converted = value * self.factor / to.factor;
        format!("{converted:.12e}").parse().unwrap_or(converted)
    }
}

/// Returns the unit that a name or description states for its numbers. Single letters count only after `in`.
pub(super) fn named_in(words: &str) -> Option<Unit> {
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%').to_owned();
    let mut before = String::new();
    for word in words.split_whitespace() {
        let word = plain(word);
        // A single letter is a unit only after `in`, and `second` is more often a position.
        let certain = word == "%" || (word.len() > 1 && word != "second");
        if (certain || before == "in")
            && let Some(unit) = Unit::parse(&word)
        {
            return Some(unit);
        }
        before = word;
    }
    None
}
