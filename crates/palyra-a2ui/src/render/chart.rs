//! A chart as text: bars for bar and pie charts, dots over an axis for the others.

use unicode_width::UnicodeWidthStr;

use super::{cell, clip, pad};
use crate::chart::{Chart, ChartKind, number};

/// Lines of a plot.
const PLOT_HEIGHT: usize = 10;
/// The sign of each series; with more series they repeat.
const SIGNS: [char; 8] = ['●', '○', '■', '□', '▲', '△', '◆', '◇'];

pub(super) fn render(chart: &Chart, width: usize) -> String {
    let units = chart.units.as_ref().map(|units| format!("({units})"));
    let title: Vec<String> = chart.title.clone().into_iter().chain(units).collect();
    let body = match chart.kind {
        ChartKind::Bar | ChartKind::Pie => bars(chart, width),
        ChartKind::Line | ChartKind::Area | ChartKind::Scatter => plot(chart, width),
    };
    let title = (!title.is_empty()).then(|| clip(&title.join(" "), width));
    title.into_iter().chain(body).collect::<Vec<_>>().join("\n")
}

/// Returns one line for each value; negative bars extend to the left of a common zero.
fn bars(chart: &Chart, width: usize) -> Vec<String> {
    let several = chart.series.len() > 1;
    let mut rows: Vec<(String, f64, String)> = Vec::new();
    for (point, x) in chart.x.values.iter().enumerate() {
        for series in &chart.series {
            let value = series.values.get(point).and_then(Option::as_ref);
            let label = if several { format!("{} · {}", cell(x), series.name) } else { cell(x) };
            let text = value.map(ToString::to_string).unwrap_or_default();
            rows.push((label, number(value).unwrap_or(0.0), text));
        }
    }
    let widest = |texts: &mut dyn Iterator<Item = &str>| texts.map(UnicodeWidthStr::width).max().unwrap_or(0);
    let labels = widest(&mut rows.iter().map(|row| row.0.as_str())).min(width / 3);
    let numbers = widest(&mut rows.iter().map(|row| row.2.as_str())).min(width / 4);
    let columns_left = width.saturating_sub(labels + numbers + 3).max(1);
    let low = rows.iter().map(|row| row.1).fold(0.0, f64::min);
    let high = rows.iter().map(|row| row.1).fold(0.0, f64::max);
    let zero = position(0.0, low, high, columns_left);
    let line = |(label, value, text): &(String, f64, String)| {
        let end = position(*value, low, high, columns_left);
        let (from, to) = (zero.min(end), zero.max(end));
        let bar = " ".repeat(from) + &"█".repeat(to - from);
        let line = format!("{} {} {}", pad(label, labels, false), pad(text, numbers, true), bar);
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Points over a horizontal axis, with the largest and smallest value beside them.
fn plot(chart: &Chart, width: usize) -> Vec<String> {
    let values = || chart.series.iter().flat_map(|series| &series.values).filter_map(|v| number(v.as_ref()));
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    if low > high {
        return vec!["(no values)".to_owned()];
    }
    let (top, bottom) = (short(high), short(low));
    let margin = top.width().max(bottom.width()).min(width / 3);
    let columns_left = width.saturating_sub(margin + 2).max(1);
    let last = chart.x.values.len().saturating_sub(1);
    let mut grid = vec![vec![' '; columns_left]; PLOT_HEIGHT];
    for (series, sign) in chart.series.iter().zip(SIGNS.iter().cycle()) {
        for (point, value) in series.values.iter().enumerate() {
            let Some(value) = number(value.as_ref()) else { continue };
            let column = (point * (columns_left - 1)).checked_div(last).unwrap_or(0);
            let row = PLOT_HEIGHT - 1 - position(value, low, high, PLOT_HEIGHT - 1);
            if let Some(place) = grid.get_mut(row).and_then(|row| row.get_mut(column)) {
                *place = *sign;
            }
        }
    }
    let mut lines: Vec<String> = grid
        .iter()
        .enumerate()
        .map(|(index, row)| {
            let label = match index {
                0 => top.as_str(),
                _ if index == PLOT_HEIGHT - 1 => bottom.as_str(),
                _ => "",
            };
            let line = format!("{} ┤{}", pad(label, margin, true), row.iter().collect::<String>());
            line.trim_end().to_owned()
        })
        .collect();
    let ends = [chart.x.values.first(), chart.x.values.last()].map(|end| end.map(cell).unwrap_or_default());
    let half = columns_left / 2;
    let axis = format!("{}{}", pad(&ends[0], half, false), pad(&ends[1], columns_left - half, true));
    lines.push(format!("{}{axis}", " ".repeat(margin + 2)));
    let legend =
        chart.series.iter().zip(SIGNS.iter().cycle()).map(|(series, sign)| format!("{sign} {}", series.name));
    lines.push(clip(&legend.collect::<Vec<_>>().join("  "), width));
    lines
}

/// Returns the position of a value between the smallest and the largest one, from 0 to `columns_left`.
fn position(value: f64, low: f64, high: f64, columns_left: usize) -> usize {
    let share = if high > low { (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0) } else { 0.0 };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and a terminal's width"
    )]
    let place = (share.clamp(0.0, 1.0) * columns_left as f64).round() as usize;
    place.min(columns_left)
}

/// Returns a number with at most eight characters, or in exponent form with five significant digits.
fn short(value: f64) -> String {
    let plain = format!("{value}");
    if plain.len() <= 8 { plain } else { format!("{value:.4e}") }
}
