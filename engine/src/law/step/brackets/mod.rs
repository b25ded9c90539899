//! `brackets: base`: the tax by the rows of a figure that has `bound` and `rate`.
//!
//! The columns say the form. `bound` and `rate`: sum of rate x slice. With `less`: rate x base -
//! less, of the row found. With `plus`: plus + rate x (base - lower bound) of the row found, kept
//! within its `min` and `max`. `shares: n` multiplies the bounds and printed amounts by n, which is
//! n times the scale of base / n without dividing.

mod bracket;
mod changes;
mod columns;

use rust_decimal::Decimal;

use crate::law::column::{Active, Block, Booleans, Column, Numbers};
use crate::law::figure::LookupError;
use crate::law::formula::{Code, EvalError, ExpectedType, State};
use crate::law::{Expr, Figure, FigureId, InputId, Lookup, Shape, SlotId, Type, Value};
use crate::text::lang::Text;
use crate::text::problem::{Problem, list_of_names};

use bracket::{Bracket, Columns};
use columns::{Taxes, taxes};

use super::lookups::{
    OrRefuse, check_by, check_complete, cites_rows, key_values, keys_of_rows, or_refuse,
    remarked_rows,
};
use super::{
    Built, Checked, Compiled, Compiler, Detail, KeyForm, Kind, Levy, Operand, Output, Reader,
    Sentence, Slice, keys,
};

pub(super) static KIND: Kind = Kind {
    name: "brackets",
    main: KeyForm::Formula,
    keys: keys! {
        "with" Figure required
            fr "le chiffre qui contient les tranches : `bound`, `rate`, et `less` ou `plus`"
                "chiffres de"
            en "the figure that holds the brackets: `bound`, `rate`, and `less` or `plus`"
                "figures of";
        "by" Formulas optional
            fr "une valeur pour chaque colonne clé du chiffre, séparées par `;`" "selon"
            en "one value for each key column of the figure, separated by `;`" "by";
        "or_refuse" Input optional
            fr "l’entrée refusée quand aucune ligne ne répond à ses clés, avec les valeurs qui \
                existent"
                "sinon refus de"
            en "the input that is refused when no row answers its keys, with the values that exist"
                "else refuse";
        "shares" Formula optional
            fr "multiplie les bornes et les montants imprimés : n x barème(base / n)"
                "pour un nombre de parts"
            en "multiplies the bounds and printed amounts: n x scale(base / n)"
                "for a number of shares";
    },
    help: Text::new(
        "l’impôt selon les lignes d’un chiffre qui a `bound` et `rate` ; `.rate` est le taux de \
         la ligne trouvée, le taux marginal",
        "the tax by the rows of a figure that has `bound` and `rate`; `.rate` is the rate of the \
         row found, the marginal rate",
    ),
    sentence: Sentence::Words(Text::new(
        "barème de {base}[, {parts} part(s)], taux marginal {taux_marginal}",
        "scale of {base}[, {parts} share(s)], marginal rate {taux_marginal}",
    )),
    phrase: Some(Text::new("barème par tranches sur", "scale of brackets on")),
    detail: Detail::Slices,
    levy: Levy::Tax,
    outputs: &["rate"],
    read,
};

fn read(reader: &mut Reader) -> Option<Built> {
    let base = reader.main_amount()?;
    let shares = reader
        .key("shares", ExpectedType::exactly(Type::Number))
        .map(|typed| typed.expr);

    // `with` is required, but a name that no figure has was reported already.
    let Some(figure) = reader.with else {
        if reader.node.text_of("with").is_none() {
            reader.report.error(
                &reader.name.place,
                Problem::MissingStepKey {
                    key: "with",
                    kind: "brackets",
                },
            );
        }
        return None;
    };

    let by = check_by(reader, figure, false);
    let or_refuse = or_refuse(reader);
    let shape = figure.of(&reader.env.symbols.figures)?;
    let columns = columns(reader, figure, shape, base.ty)?;

    let outputs = vec![Output::main(base.ty), Output::named("rate", Type::Rate)];
    let checked = Brackets {
        ty: base.ty,
        base: base.expr,
        shares,
        figure,
        by,
        or_refuse,
        columns,
    };
    Some(Built {
        checked: Box::new(checked),
        outputs,
        hidden: 2,
    })
}

fn columns(reader: &mut Reader, figure: FigureId, shape: &Shape, base: Type) -> Option<Columns> {
    let place = reader.place("with");
    if shape.columns.is_empty() {
        // Reported where it is declared.
        return None;
    }
    let (Some(rate), Some(_)) = (shape.column("rate"), shape.bound) else {
        let is_scale = |shape: &&Shape| shape.bound.is_some() && shape.column("rate").is_some();
        let scales = reader
            .env
            .symbols
            .figures
            .iter()
            .filter(is_scale)
            .map(|shape| shape.name.as_str());
        let known = list_of_names(&scales.collect::<Vec<_>>());
        reader.error(
            &place,
            Problem::NotBrackets {
                figure: shape.name.clone(),
                known,
            },
        );
        return None;
    };

    let columns = Columns {
        rate,
        less: shape.column("less"),
        plus: shape.column("plus"),
        min: shape.column("min"),
        max: shape.column("max"),
    };

    if columns.less.is_some() && columns.plus.is_some() {
        reader.error(
            &place,
            Problem::LessAndPlus {
                figure: shape.name.clone(),
            },
        );
    }

    // `rate`, `less` and `plus` are read of every row; `min` and `max` may be empty.
    let always = [Some(rate), columns.less, columns.plus]
        .into_iter()
        .flatten();
    let empty = always
        .filter_map(|column| column.of(&shape.columns))
        .find(|column| column.optional);
    if let Some(column) = empty {
        let found = format!("optional {}", column.ty.name());
        reader.error(&place, column_type(&column.name, column.ty, found));
    }

    // Amounts and bounds have the type of the base, so that the tax has it too.
    let amounts = [columns.less, columns.plus, columns.min, columns.max]
        .into_iter()
        .flatten();
    let typed = amounts
        .clone()
        .filter_map(|column| column.of(&shape.columns))
        .map(|column| (column.name.as_str(), column.ty));
    let expected = typed
        .map(|(name, ty)| (name, ty, base))
        .chain(shape.bound.map(|ty| ("bound", ty, base)));
    let rate_type = rate
        .of(&shape.columns)
        .map_or(Type::Unknown, |column| column.ty);

    for (column, found, expected) in expected
        .chain([("rate", rate_type, Type::Rate)])
        .collect::<Vec<_>>()
    {
        if found != expected && found != Type::Unknown && expected != Type::Unknown {
            reader.error(
                &place,
                column_type(column, expected, found.name().to_owned()),
            );
        }
    }

    for column in amounts.chain([rate]) {
        reader.reads.columns.insert((figure, column));
    }
    Some(columns)
}

/// A column of the type `found` where the scale must have another.
fn column_type(column: &str, expected: Type, found: String) -> Problem {
    // An amount of another period is converted; any other type is declared.
    let cure = if matches!(expected, Type::Money(_)) && found.starts_with("money") {
        Text::new(
            "déclarer sous `figures` le type que la loi lui donne, et ramener la base de l’étape \
             à cette période par `annual` ou `monthly`",
            "declare under `figures` the type that the law gives it, and bring the base of the \
             step to that period by `annual` or `monthly`",
        )
    } else {
        Text::new(
            "la déclarer de ce type sous `figures`",
            "declare it of that type under `figures`",
        )
    };
    Problem::BracketColumnType {
        column: column.to_owned(),
        expected: expected.name(),
        found,
        cure: cure.into(),
    }
}

#[derive(Debug)]
struct Brackets {
    ty: Type,
    base: Expr,
    shares: Option<Expr>,
    figure: FigureId,
    by: Vec<Expr>,
    or_refuse: Option<InputId>,
    columns: Columns,
}

impl Checked for Brackets {
    fn compile(&self, compiler: &mut Compiler) -> Box<dyn Compiled> {
        let figure = compiler.figure(self.figure).cloned();
        // With `or_refuse`, a value without a row refuses the query instead.
        if let (Some(figure), None) = (&figure, self.or_refuse) {
            // Below the first lower bound nothing is due; above the last upper one the law must
            // say.
            check_complete(self.figure, figure, figure.bounds_are_upper, compiler);
        }
        Box::new(CompiledBrackets {
            ty: self.ty,
            base: compiler.code(&self.base),
            shares: self.shares.as_ref().map(|shares| compiler.code(shares)),
            brackets: figure
                .as_ref()
                .map(|figure| bracket::compile(figure, self.columns, compiler.decimals)),
            figure_id: self.figure,
            cites: figure.as_ref().is_some_and(cites_rows),
            remarked: figure.as_ref().map(remarked_rows).unwrap_or_default(),
            figure,
            by: self.by.iter().map(|value| compiler.code(value)).collect(),
            or_refuse: self
                .or_refuse
                .map(|input| OrRefuse::compile(input, self.figure, compiler)),
        })
    }
}

#[derive(Debug)]
struct CompiledBrackets {
    ty: Type,
    base: Code,
    shares: Option<Code>,
    /// None where the figure could not be read.
    brackets: Option<Lookup<Option<Vec<Bracket>>>>,
    figure: Option<Figure>,
    figure_id: FigureId,
    cites: bool,
    /// Whether each row of the figure has a remark of its own; empty if none has one.
    remarked: Vec<bool>,
    by: Vec<Code>,
    or_refuse: Option<OrRefuse>,
}

/// Slots after the tax: the marginal rate, the base, the shares.
const RATE: usize = 1;
const BASE: usize = 2;
const SHARES: usize = 3;

impl Compiled for CompiledBrackets {
    fn run(&self, state: &mut State, slot: SlotId) -> Result<(), EvalError> {
        let base = self.base.number(state)?;
        let shares = self
            .shares
            .as_ref()
            .map_or(Ok(Decimal::ONE), |shares| shares.number(state))?;

        let figure = self.figure.as_ref().ok_or(EvalError::Internal)?;
        let keys = key_values(&self.by, state)?;

        let brackets = self.brackets_of(&keys)?;
        let found = bracket::find(brackets, figure.bounds_are_upper, base, shares);
        if found.is_none() && figure.bounds_are_upper {
            return Err(EvalError::NoRow(keys.len()));
        }

        // Below the first lower bound, nothing is due: the tax and the rate are 0.
        let mut tax = Decimal::ZERO;
        let mut rate = Decimal::ZERO;
        if let Some(found) = found {
            rate = found.rate;
            tax = found.tax(brackets, base, shares)?;
            // Rows are kept only where some add sources or remarks of their own to the answer.
            if self.cites {
                state.cited.push((self.figure_id, found.row));
            }
        }

        state.set(slot, Value::Number(tax))?;
        state.set(slot.after(RATE), Value::Number(rate))?;
        state.set(slot.after(BASE), Value::Number(base))?;
        state.set(slot.after(SHARES), Value::Number(shares))
    }

    fn skipped(&self) -> Vec<Value> {
        // An amount and a rate; without a base, an explanation shows no slices.
        vec![Value::ZERO, Value::ZERO]
    }

    fn run_columns(
        &self,
        block: &Block,
        _slot: SlotId,
        _count: usize,
        active: &Active,
    ) -> Vec<Column> {
        let base = self.base.numbers(block, active);
        let shares = self
            .shares
            .as_ref()
            .map_or(Numbers::One(Decimal::ONE), |shares| {
                shares.numbers(block, active)
            });

        let Taxes { tax, rate } = self
            .taxes(&base, &shares, block, active)
            .unwrap_or_else(|| block.fail_all(active));

        // The row found says which remark is shown: it is looked up again only where rows have
        // remarks.
        if self.has_remarked_rows() {
            let keys: Vec<Column> = self
                .by
                .iter()
                .map(|code| code.column(block, active))
                .collect();
            block.keep_remarked(self.figure_id, &self.remarked, active, |row| {
                let keys: Vec<Value> = keys.iter().map(|column| column.at(row)).collect();
                let (base, shares) = base.at(row).zip(shares.at(row))?;
                Some(
                    bracket::find(
                        self.brackets_of(&keys).ok()?,
                        self.figure.as_ref()?.bounds_are_upper,
                        base,
                        shares,
                    )?
                    .row,
                )
            });
        }

        vec![tax.into(), rate.into(), base.into(), shares.into()]
    }

    fn has_remarked_rows(&self) -> bool {
        !self.remarked.is_empty()
    }

    fn operands(&self, state: &State, slot: SlotId) -> Result<Vec<Operand<'_>>, EvalError> {
        let mut operands = vec![Operand::new("base", state.get(slot.after(BASE))?, self.ty)];

        if self.shares.is_some() {
            operands.push(Operand::new(
                "parts",
                state.get(slot.after(SHARES))?,
                Type::Number,
            ));
        }
        operands.push(Operand::new(
            "taux_marginal",
            state.get(slot.after(RATE))?,
            Type::Rate,
        ));

        Ok(operands)
    }

    fn missing_row(&self, state: &State, key: usize) -> Option<(InputId, String)> {
        let keys = key_values(&self.by, state).ok()?;
        self.or_refuse
            .as_ref()?
            .refusal(self.figure.as_ref()?, &keys, key)
    }

    fn slices(&self, state: &State, slot: SlotId) -> Result<Vec<Slice<'_>>, EvalError> {
        // A skipped step has no base.
        let (Value::Number(base), Some(figure)) = (state.get(slot.after(BASE))?, &self.figure)
        else {
            return Ok(Vec::new());
        };

        let shares = state.number(slot.after(SHARES))?;
        let brackets = self.brackets_of(&key_values(&self.by, state)?)?;
        let found =
            bracket::find(brackets, figure.bounds_are_upper, *base, shares).map(|found| found.row);

        let mut slices = Vec::with_capacity(brackets.len());
        for edges in bracket::edges(brackets, shares) {
            slices.push(edges?.slice(*base, shares, found)?);
        }
        Ok(slices)
    }
}

impl CompiledBrackets {
    /// The taxes of the rows of a block, by the brackets that the keys of each lead to. None where
    /// the figure could not be read.
    fn taxes(
        &self,
        base: &Numbers,
        shares: &Numbers,
        block: &Block,
        active: &Active,
    ) -> Option<Taxes> {
        let (lookup, bounds_are_upper) = (
            self.brackets.as_ref()?,
            self.figure.as_ref()?.bounds_are_upper,
        );

        // Rows whose keys lead to the same brackets are computed together.
        let mut all: Option<Taxes> = None;
        for (keys, rows) in keys_of_rows(&self.by, block, active) {
            let active = active.where_true(&rows);
            let Ok(Some(brackets)) = lookup.rows(&keys) else {
                block.fail_all::<()>(&active);
                continue;
            };

            let found = taxes(brackets, bounds_are_upper, base, shares, block, &active);
            all = Some(match (all, &rows) {
                (Some(all), Booleans::Each(rows)) => found.where_true(rows, &all),
                _ => found,
            });
        }

        all
    }

    /// The brackets for the values of the keys.
    fn brackets_of(&self, keys: &[Value]) -> Result<&[Bracket], EvalError> {
        let brackets = self
            .brackets
            .as_ref()
            .ok_or(EvalError::Internal)?
            .rows(keys)
            .map_err(no_row)?;
        brackets.as_deref().ok_or(EvalError::Internal)
    }
}

fn no_row(error: LookupError) -> EvalError {
    match error {
        LookupError::Key(key) => EvalError::NoRow(key),
        LookupError::Bound => EvalError::Internal,
    }
}

#[cfg(test)]
mod tests;
