//! Function bodies: each instruction is charged the cost of validating it, then validated.

use wasmparser::{
    FuncToValidate, FuncValidator, FuncValidatorAllocations, FunctionBody, Operator, OperatorsReader,
    OperatorsReaderAllocations, ValidatorResources,
};

use super::ScanStop;
use crate::audit::wasm::budget::{BudgetKind, Meter};
use crate::audit::wasm::features::ENGINE_FEATURES;

/// Validates bodies one after the other in the same allocations.
#[derive(Default)]
pub(super) struct BodyValidator {
    validator: FuncValidatorAllocations,
    reader: OperatorsReaderAllocations,
}

impl BodyValidator {
    pub(super) fn validate(
        &mut self,
        function: FuncToValidate<ValidatorResources>,
        body: &FunctionBody<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<(), ScanStop> {
        meter.limit(BudgetKind::BodyBytes, body.range().len())?;
        charge_locals(body, meter)?;
        let mut validator = function.into_validator(std::mem::take(&mut self.validator));
        let mut binary = body.get_binary_reader();
        validator.read_locals(&mut binary)?;
        binary.set_features(ENGINE_FEATURES);
        let mut operators = OperatorsReader::new_with_allocs(binary, std::mem::take(&mut self.reader));
        let mut steps = 0_u64;
        while !operators.eof() {
            let (operator, offset) = operators.read_with_offset()?;
            let cost = cost(&operator, &validator, meter)?;
            steps = steps.saturating_add(cost);
            meter.limit(BudgetKind::BodySteps, steps)?;
            meter.step(cost)?;
            validator.op(offset, &operator)?;
        }
        operators.finish()?;
        self.reader = operators.into_allocations();
        self.validator = validator.into_allocations();
        Ok(())
    }
}

/// Charges the declared locals: fifty thousand of them take four bytes to declare.
fn charge_locals(body: &FunctionBody<'_>, meter: &mut Meter<'_>) -> Result<(), ScanStop> {
    let mut locals = 0_u64;
    for group in body.get_locals_reader()? {
        locals = locals.saturating_add(u64::from(group?.0));
        meter.limit(BudgetKind::Locals, locals)?;
    }
    Ok(meter.charge(BudgetKind::TotalLocals, locals)?)
}

/// Returns the steps of an instruction: one, and one for each value it pops or pushes; for `br_table` per target.
fn cost(
    operator: &Operator<'_>,
    validator: &FuncValidator<ValidatorResources>,
    meter: &Meter<'_>,
) -> Result<u64, ScanStop> {
    let values = || {
        let (takes, gives) = operator.operator_arity(validator).unwrap_or_default();
        u64::from(takes) + u64::from(gives)
    };
    Ok(match operator {
        Operator::BrTable { targets } => {
            meter.limit(BudgetKind::BrTableTargets, targets.len())?;
            (u64::from(targets.len()) + 1) * (1 + values())
        }
        Operator::Block { .. }
        | Operator::Loop { .. }
        | Operator::If { .. }
        | Operator::Else
        | Operator::End
        | Operator::Br { .. }
        | Operator::BrIf { .. }
        | Operator::BrOnNull { .. }
        | Operator::BrOnNonNull { .. }
        | Operator::Return
        | Operator::Call { .. }
        | Operator::CallIndirect { .. }
        | Operator::CallRef { .. }
        | Operator::ReturnCall { .. }
        | Operator::ReturnCallIndirect { .. }
        | Operator::ReturnCallRef { .. } => 1 + values(),
        _ => 1,
    })
}
