//! One pass over a module file that charges budgets, collects facts and validates; nothing is compiled.

mod body;
mod frames;

use wasmparser::{BinaryReaderError, Encoding, MemoryType, Parser, Payload, ValidPayload, Validator};

use super::budget::{BudgetKind, Exceeded, Meter};
use super::facts::{ModuleFacts, Place, Segment};
use super::features::ENGINE_FEATURES;
use body::BodyValidator;
use frames::Frames;

/// Why a scan ended early.
pub(crate) enum ScanStop {
    /// A budget was exceeded.
    Budget(Exceeded),
    /// The engine would not accept these bytes.
    Invalid(BinaryReaderError),
}

impl From<Exceeded> for ScanStop {
    fn from(exceeded: Exceeded) -> Self {
        Self::Budget(exceeded)
    }
}

impl From<BinaryReaderError> for ScanStop {
    fn from(error: BinaryReaderError) -> Self {
        Self::Invalid(error)
    }
}

/// Reads and validates all of `bytes`; facts collected before an error stay in `facts`.
pub(crate) fn scan_module<'bytes>(
    bytes: &'bytes [u8],
    meter: &mut Meter<'_>,
    facts: &mut ModuleFacts<'bytes>,
) -> Result<(), ScanStop> {
    meter.charge(BudgetKind::ModuleBytes, bytes.len())?;
    let mut parser = Parser::new(0);
    parser.set_features(ENGINE_FEATURES);
    let mut validator = Validator::new_with_features(ENGINE_FEATURES);
    let mut bodies = BodyValidator::default();
    let mut frames = Frames::default();
    for payload in parser.parse_all(bytes) {
        let payload = payload?;
        charge(&payload, meter)?;
        collect(&payload, meter, facts)?;
        frames.read(&payload, meter, facts)?;
        match validator.payload(&payload)? {
            ValidPayload::Func(function, body) => bodies.validate(function, &body, meter)?,
            ValidPayload::End(types) if frames.is_done() => facts.types = Some(types),
            ValidPayload::End(_) | ValidPayload::Ok | ValidPayload::Parser(_) => {}
        }
    }
    Ok(())
}

/// Charges the declared counts of a section before any of it is read.
fn charge(payload: &Payload<'_>, meter: &mut Meter<'_>) -> Result<(), ScanStop> {
    use BudgetKind as Kind;
    match payload {
        Payload::Version { .. } => meter.charge(Kind::Modules, 1_u64)?,
        Payload::TypeSection(section) => meter.charge(Kind::Types, section.count())?,
        Payload::ImportSection(section) => meter.charge(Kind::Names, section.count())?,
        Payload::FunctionSection(section) => meter.charge(Kind::Functions, section.count())?,
        Payload::TableSection(section) => meter.charge(Kind::Tables, section.count())?,
        Payload::MemorySection(section) => meter.charge(Kind::Memories, section.count())?,
        Payload::TagSection(section) => meter.charge(Kind::Globals, section.count())?,
        Payload::GlobalSection(section) => meter.charge(Kind::Globals, section.count())?,
        Payload::ExportSection(section) => meter.charge(Kind::Names, section.count())?,
        Payload::ElementSection(section) => meter.charge(Kind::DataSegments, section.count())?,
        Payload::DataSection(section) => meter.charge(Kind::DataSegments, section.count())?,
        Payload::InstanceSection(section) => charge_component(section.range().len(), section.count(), meter)?,
        Payload::ComponentInstanceSection(section) => {
            charge_component(section.range().len(), section.count(), meter)?;
        }
        Payload::ComponentImportSection(section) => {
            charge_component(section.range().len(), section.count(), meter)?;
        }
        Payload::ComponentExportSection(section) => {
            charge_component(section.range().len(), section.count(), meter)?;
        }
        Payload::CoreTypeSection(section) => charge_component(section.range().len(), 0, meter)?,
        Payload::ComponentTypeSection(section) => charge_component(section.range().len(), 0, meter)?,
        Payload::ComponentAliasSection(section) => charge_component(section.range().len(), 0, meter)?,
        Payload::ComponentCanonicalSection(section) => charge_component(section.range().len(), 0, meter)?,
        _ => {}
    }
    Ok(())
}

/// Charges a component's size and items, and bounds their product: types can be copied by each instance, import and
/// export.
fn charge_component(bytes: usize, items: u32, meter: &mut Meter<'_>) -> Result<(), ScanStop> {
    meter.charge(BudgetKind::ComponentBytes, bytes)?;
    meter.charge(BudgetKind::ComponentItems, items)?;
    let growth = meter.sum(BudgetKind::ComponentBytes).saturating_mul(meter.sum(BudgetKind::ComponentItems));
    Ok(meter.limit(BudgetKind::ComponentGrowth, growth)?)
}

/// Reads the sections whose contents matter to the checks.
fn collect<'bytes>(
    payload: &Payload<'bytes>,
    meter: &mut Meter<'_>,
    facts: &mut ModuleFacts<'bytes>,
) -> Result<(), ScanStop> {
    match payload {
        Payload::TypeSection(section) => {
            for group in section.clone() {
                let group = group?;
                // The section counts groups; a group can hold many types.
                meter.charge(BudgetKind::Types, group.types().len().saturating_sub(1))?;
                for ty in group.types() {
                    charge_type(ty, meter)?;
                }
            }
        }
        Payload::ImportSection(section) => {
            for import in section.clone().into_imports() {
                match import?.ty {
                    wasmparser::TypeRef::Memory(memory) => add_memory(&memory, meter, facts)?,
                    wasmparser::TypeRef::Table(table) => add_table(&table, meter, facts)?,
                    _ => {}
                }
            }
        }
        Payload::MemorySection(section) => {
            facts.multi_memory |= section.count() > 1;
            for memory in section.clone() {
                add_memory(&memory?, meter, facts)?;
            }
        }
        Payload::TableSection(section) => {
            for table in section.clone() {
                add_table(&table?.ty, meter, facts)?;
            }
        }
        Payload::ElementSection(section) => {
            for element in section.clone() {
                let items = match element?.items {
                    wasmparser::ElementItems::Functions(items) => items.count(),
                    wasmparser::ElementItems::Expressions(_, items) => items.count(),
                };
                meter.charge(BudgetKind::SegmentElements, items)?;
            }
        }
        Payload::StartSection { .. } => facts.starts += 1,
        Payload::DataSection(section) => {
            for data in section.clone() {
                let place = Place::Data(facts.segments.len() as u64);
                facts.segments.push(Segment { place, bytes: data?.data });
            }
        }
        Payload::CustomSection(section) => {
            meter.charge(BudgetKind::DataSegments, 1_u64)?;
            meter.charge(BudgetKind::CustomBytes, section.data().len())?;
            facts.segments.push(Segment { place: Place::Custom(section.name()), bytes: section.data() });
        }
        _ => {}
    }
    Ok(())
}

fn charge_type(ty: &wasmparser::SubType, meter: &mut Meter<'_>) -> Result<(), ScanStop> {
    let items = match &ty.composite_type.inner {
        wasmparser::CompositeInnerType::Func(function) => function.params().len() + function.results().len(),
        wasmparser::CompositeInnerType::Struct(fields) => fields.fields.len(),
        wasmparser::CompositeInnerType::Array(_) | wasmparser::CompositeInnerType::Cont(_) => 1,
    };
    meter.limit(BudgetKind::TypeArity, items)?;
    Ok(meter.charge(BudgetKind::TypeItems, items)?)
}

fn add_memory(
    memory: &MemoryType,
    meter: &mut Meter<'_>,
    facts: &mut ModuleFacts<'_>,
) -> Result<(), ScanStop> {
    facts.memory64 |= memory.memory64;
    facts.shared_memory |= memory.shared;
    let page = 1_u64.checked_shl(memory.page_size_log2.unwrap_or(16)).unwrap_or(u64::MAX);
    let bytes = memory.initial.saturating_mul(page);
    facts.initial_memory_bytes = facts.initial_memory_bytes.saturating_add(bytes);
    Ok(meter.charge(BudgetKind::InitialMemory, bytes)?)
}

fn add_table(
    table: &wasmparser::TableType,
    meter: &mut Meter<'_>,
    facts: &mut ModuleFacts<'_>,
) -> Result<(), ScanStop> {
    facts.memory64 |= table.table64;
    Ok(meter.charge(BudgetKind::TableElements, table.initial)?)
}

/// Returns whether the header is that of a component.
pub(super) const fn is_component(encoding: Encoding) -> bool {
    matches!(encoding, Encoding::Component)
}
