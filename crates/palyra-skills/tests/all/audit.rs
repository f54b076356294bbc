//! The audit: each hostile row by its id, honest skills, budgets, arbitrary bytes.

mod arbitrary;
mod bombs;
mod ceilings;
mod contract;
mod custom_sections;
mod honest;
mod modules;
mod support;
mod texts;
mod wit_text;
