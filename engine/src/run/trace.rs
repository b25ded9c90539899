//! Explanations of a calculation: for each step its operands and its result, read from the run that
//! gave the answer.

use std::borrow::Cow;
use std::fmt;

use rust_decimal::Decimal;

use crate::law::explanation::{CallTrace, Explanation};
use crate::law::formula::{EvalError, State};
use crate::law::members::STEP;
use crate::law::references::References;
use crate::law::step::{CompiledStep, Effect};
use crate::law::{
    AppliedLimit, MODIFIERS, Method, Modifier, Operand, Output, Rounding, Scalar, Slice, Step, Type,
};
use crate::text::json::{Datum, Key, Object};
use crate::text::number::{NUMBER_DECIMALS, add, number_french, round_decimals};
use crate::text::words::uncapitalized;

/// The explanation of a step: what it read, and how its result was computed.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["tva"])
/// #     .load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// # let sent = [("montant".to_owned(), "120".to_owned()), ("sens".to_owned(), "ttc".to_owned())];
/// # let calculation = folder.calculate(&sent[..].into(), jiff::civil::date(2026, 3, 31))?;
/// let mut steps = calculation.steps()?.iter();
/// let tax = steps.find(|trace| trace.step.name == "ht").ok_or("no such step")?;
/// assert_eq!(tax.operands[0].name, "sens");
/// assert_eq!(tax.rounding.to_string(), "au plus proche, à 0,01");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct StepTrace<'f> {
    /// The step that is explained.
    pub step: &'f Step,
    /// The rank of the item, from 1, for a step that is computed for each item of a group.
    pub item: Option<usize>,
    /// Whether the step applied; if not, only its name and sources are set.
    pub applied: bool,
    /// Its operands, in the order of its formula or of its kind.
    pub operands: Vec<Operand<'f>>,
    /// The slices of its scale that hold a part of the base.
    pub slices: Vec<Slice<'f>>,
    /// The limits that changed its value.
    pub limits: Vec<AppliedLimit<'f>>,
    /// The roundings of its value.
    pub rounding: Roundings,
    /// In a year of pays, the amount so far and the part of the earlier months, where the step
    /// deducts that.
    pub earlier: Option<Earlier>,
    /// Its value, or its outputs.
    pub result: StepResult<'f>,
    /// The calculation that it asks of another folder.
    pub call: Option<CallTrace<'f>>,
    /// Ids of the sources of its figures and of the rows found.
    pub sources: Vec<&'f str>,
}

/// Successive roundings, each to a multiple of its unit; displayed in French.
///
/// [`StepTrace`] has an example.
#[derive(Debug, Default)]
pub struct Roundings(pub Vec<Rounding<Decimal>>);

/// The result of a step.
///
/// [`StepTrace::result`] holds it.
#[derive(Debug)]
pub enum StepResult<'f> {
    /// The value of the step, with its type.
    Value(Scalar<'f>, Type),
    /// Its outputs, where none of them is read by the bare name of the step.
    Outputs(Vec<Operand<'f>>),
}

/// `au plus proche, à 0,01, puis par défaut, à 1`
impl fmt::Display for Roundings {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        for (index, Rounding { unit, mode }) in self.0.iter().enumerate() {
            // A step may round twice, first to the cent and then to the unit of the tax.
            let then = if index > 0 { ", puis " } else { "" };
            write!(
                formatter,
                "{then}{} {}",
                mode.french(),
                number_french(*unit)
            )?;
        }
        Ok(())
    }
}

impl<'f> StepTrace<'f> {
    /// The title of the step, with the item that it is of: `Droits de l’héritier (héritier 2)`.
    pub fn title(&self, method: &Method) -> Cow<'f, str> {
        let group = self.step.each.and_then(|group| group.of(method.groups()));
        match (group, self.item) {
            (Some(group), Some(rank)) => {
                let item = uncapitalized(&group.item);
                Cow::Owned(format!("{} ({item} {rank})", self.step.title()))
            }
            _ => Cow::Borrowed(self.step.title()),
        }
    }

    /// The same, of the item at an index.
    pub(crate) fn of_item(self, index: usize) -> Self {
        Self {
            item: Some(index.saturating_add(1)),
            ..self
        }
    }

    /// Explains a step of a completed run; amounts of slices have the decimals of the answer.
    pub(crate) fn new(
        compiled: &'f CompiledStep,
        step: &'f Step,
        state: &State,
        references: &'f References,
        decimals: u32,
        explanation: Explanation,
    ) -> Result<Self, EvalError> {
        let mut trace = Self {
            step,
            item: None,
            applied: compiled.modifiers.applies(state)?,
            operands: Vec::new(),
            slices: Vec::new(),
            limits: Vec::new(),
            rounding: Roundings::default(),
            earlier: None,
            result: StepResult::Outputs(Vec::new()),
            call: None,
            sources: Vec::new(),
        };

        if trace.applied {
            trace.operands = compiled.kind.operands(state, compiled.slot)?;
            trace.slices = compiled.kind.slices(state, compiled.slot)?;

            // Brackets that the base does not reach explain nothing.
            trace.slices.retain(|slice| !slice.base.is_zero());
            trace
                .slices
                .iter_mut()
                .for_each(|slice| slice.show(decimals, None));

            trace.limits = compiled.modifiers.limits(state)?;
            trace.rounding = Roundings(compiled.modifiers.roundings(state)?);
            trace.result = StepResult::from_state(compiled, step, state)?;
            trace.earlier = Earlier::find(compiled, state)?;
            if let (Some(callee), Some(call)) = (compiled.kind.callee(), compiled.kind.call(state)?)
            {
                let trace_of_call = callee.explain(call, explanation);
                // What was calculated once can be calculated again.
                trace.call = Some(trace_of_call.map_err(|_| EvalError::Internal)?);
            }
            // Sources last: only the rows that were found are cited.
            trace.sources = references.ids(&step.figures, &state.cited);
        }
        Ok(trace)
    }
}

/// Cumulative amount of a step in a year of pays, and the part of the earlier months deducted from
/// it.
///
/// [`StepTrace::earlier`] holds it, from the second month on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Earlier {
    /// The amount from the first month on.
    pub so_far: Decimal,
    /// The amount of the earlier months.
    pub taken_off: Decimal,
}

impl Earlier {
    fn find(compiled: &CompiledStep, state: &State) -> Result<Option<Self>, EvalError> {
        let (Some(main), Some(taken_off)) = (compiled.main, compiled.modifiers.earlier(state)?)
        else {
            return Ok(None);
        };

        // As many decimals as an answer has of any number.
        let shown = |value| round_decimals(value, NUMBER_DECIMALS);

        // The result is what is left of the sum: with the part deducted, it is the sum again.
        let so_far = add(state.number(compiled.slot.after(main))?, taken_off)?;

        Ok(Some(Self {
            so_far: shown(so_far),
            taken_off: shown(taken_off),
        }))
    }
}

impl<'f> StepResult<'f> {
    fn from_state(
        compiled: &'f CompiledStep,
        step: &'f Step,
        state: &State,
    ) -> Result<Self, EvalError> {
        let value = |index: usize| {
            Ok::<_, EvalError>(Scalar::exact(state.get(compiled.slot.after(index))?))
        };

        // Where the step has a main output, its value is what formulas read by the bare name of the
        // step.
        if let Some((index, output)) = step
            .outputs
            .iter()
            .enumerate()
            .find(|(_, output)| output.main)
        {
            return Ok(Self::Value(value(index)?, output.ty));
        }

        let outputs = step
            .outputs
            .iter()
            .enumerate()
            .filter(|(index, _)| compiled.kind.shows(*index));

        let operand = |(index, output): (usize, &'f Output)| {
            Ok::<_, EvalError>(Operand {
                name: &output.name,
                value: value(index)?,
                ty: output.ty,
                label: output.label.as_deref(),
            })
        };

        Ok(Self::Outputs(
            outputs.map(operand).collect::<Result<_, _>>()?,
        ))
    }

    fn datum(&self) -> Datum<'_> {
        match self {
            Self::Value(value, _) => value.datum(),
            Self::Outputs(outputs) => Datum::Object(outputs),
        }
    }
}

impl StepTrace<'_> {
    /// The effect of a modifier on the step, if it had one.
    fn of_modifier(&self, modifier: &Modifier) -> Option<Datum<'_>> {
        match modifier.effect {
            Effect::Condition => None,
            Effect::Limit(_) => {
                let limit = self
                    .limits
                    .iter()
                    .find(|limit| limit.modifier.name == modifier.name)?;
                Some(limit.value.datum())
            }
            Effect::Rounding => {
                (!self.rounding.0.is_empty()).then_some(Datum::Shown(&self.rounding))
            }
            Effect::Earlier => Some(Datum::Number(self.earlier.as_ref()?.taken_off)),
        }
    }
}

impl Object for StepTrace<'_> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        let applied = |value: Datum<'v>| self.applied.then_some(value);
        // In the order of `STEP`, without the members of modifiers, which have a table of their
        // own.
        let values = [
            Some(Datum::Text(&self.step.name)),
            Some(Datum::Text(self.step.title())),
            self.item.map(|rank| Datum::Number(rank.into())),
            (!self.applied).then_some(Datum::Boolean(false)),
            applied(Datum::Text(self.step.kind.name)),
            applied(Datum::Object(&self.operands)),
            (!self.slices.is_empty()).then_some(Datum::List(&self.slices)),
            self.earlier
                .as_ref()
                .map(|earlier| Datum::Number(earlier.so_far)),
            applied(self.result.datum()),
            self.call.as_ref().map(|call| Datum::Object(call)),
            self.step.law.as_deref().map(Datum::Text).and_then(applied),
            (!self.sources.is_empty()).then_some(Datum::List(&self.sources)),
        ];
        // Between them, the members of the modifiers.
        let mut values = values.into_iter();
        for member in &STEP {
            let value = match MODIFIERS
                .iter()
                .find(|modifier| modifier.member == Some(member.name))
            {
                Some(modifier) => self.of_modifier(modifier),
                None => values.next().flatten(),
            };
            if let Some(value) = value {
                visit(member.written(), value);
            }
        }
    }
}

/// Named values as the members of an object.
impl Object for Vec<Operand<'_>> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        for operand in self {
            visit(operand.name.into(), operand.value.datum());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::query::Query;
    use crate::testing::{TODAY, folder, query};

    const LAW: &str = "decimals: 2
inputs:
  brut:  {type: money, per: month, required: true, label: Brut}
  somme: {type: money, default: 1200, label: Somme}
  unite: {type: number, default: 0, label: Unité}
figures:
  bareme: {bound: money/month, rate: rate}
  taux:   {rate: rate, ceiling: money/month}
  frais:  {rate: rate, min: money/month}
steps:
  impot:      {brackets: brut, with: bareme, shares: 2, round: 0.01 down; 1 up}
  cotisation: {contribution: brut, with: taux, round: unite}
  abattement: {deduction: brut, with: frais, at_most: brut}
  pret:       {loan: somme, months: 12, rate: taux.rate, round: 0.01}
answer:
  impot: impot
  cotisation: cotisation
  abattement: abattement
  mensualite: pret.payment
";

    const FIGURES: &str =
        "  bareme: {per: month, source: s, rows: [{up_to: 500, rate: 0%}, {rate: 11%}]}
  taux: {rate: 6%, ceiling: 2 000, per: month, source: s}
  frais: {rate: 10%, min: 40, per: month, source: s}
";

    /// The explanations of the steps, as JSON.
    fn explained(asked: &str) -> Vec<String> {
        let folder = folder(LAW, FIGURES);
        let calculation = folder
            .calculate(&Query::from(&query(asked)), TODAY)
            .unwrap();
        calculation
            .steps()
            .unwrap()
            .iter()
            .map(|step| Datum::Object(step).to_string())
            .collect()
    }

    #[test]
    fn each_kind_names_what_it_read_its_limits_and_its_roundings() {
        let impot = r#"{"nom":"impot","libelle":"impot","genre":"brackets","operandes":{"base":3000.57,"parts":2,"taux_marginal":0.11},"tranches":[{"de":0,"a":1000,"taux":0,"assiette":1000,"montant":0},{"de":1000,"a":null,"taux":0.11,"assiette":2000.57,"montant":220.06}],"arrondi":"par défaut, à 0,01, puis par excès, à 1","resultat":221,"sources":["s"]}"#;
        let cotisation = r#"{"nom":"cotisation","libelle":"cotisation","genre":"contribution","operandes":{"base":3000.57,"plafond":2000,"assiette":2000,"taux":0.06},"resultat":120,"sources":["s"]}"#;
        let abattement = r#"{"nom":"abattement","libelle":"abattement","genre":"deduction","operandes":{"base":3000.57,"taux":0.1,"minimum":40},"au_plus":3000.57,"resultat":300.057,"sources":["s"]}"#;
        let pret = r#"{"nom":"pret","libelle":"pret","genre":"loan","operandes":{"capital":1200,"mois":12,"taux":0.06},"resultat":{"payment":103.28,"last_payment":103.24,"interest":39.32,"insurance":0,"insurance_total":0,"total":1239.32,"cost":39.32,"apr":0.0616778119},"sources":["s"]}"#;
        assert_eq!(
            explained("brut=3000.57"),
            [impot, cotisation, abattement, pret]
        );
        // A unit of 0 rounds nothing, and is not shown.
        let rounded = explained("brut=3000.57&unite=50").remove(1);
        assert!(
            rounded.contains(r#""arrondi":"au plus proche, à 50","resultat":100"#),
            "{rounded}"
        );
    }

    #[test]
    fn what_a_month_of_a_year_takes_off_is_shown_with_the_sum() {
        let law = "inputs:
  brut: {type: money, per: month, required: true, label: Brut}
year: {varying: brut, totals: x}
figures:
  f: {v: number}
steps:
  x: {formula: year_to_date(brut) * f.v, already: x}
answer:
  x: x
";
        let folder = folder(law, "  f: {v: 2, source: s}\n");
        let year = folder
            .year(&Query::from(&query("annee=2026&brut=10;20;30")))
            .unwrap();
        let earlier = |month: usize| {
            let earlier = year.months()[month].calculation.steps().unwrap()[0]
                .earlier
                .unwrap();
            [earlier.so_far, earlier.taken_off].map(|amount| amount.to_string())
        };
        assert_eq!([earlier(1), earlier(2)], [["60", "20"], ["120", "60"]]);
        let month = folder
            .calculate(&Query::from(&query("brut=10")), TODAY)
            .unwrap();
        assert_eq!(month.steps().unwrap()[0].earlier, None);
    }
}
