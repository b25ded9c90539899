//! Points of a case, answered by the engine and by the evaluator.

use bareme_engine::run::plan::{Answers, Cells, FieldKind, FixedPoint, Plan, Rows, Values};
use bareme_engine::{Folder, Query};

use crate::answer::answer;
use crate::cases::{Case, Scale};
use crate::evaluator::{Block, Field, ROWS, Shown, Span, There, Warned};
use crate::json::Json;
use crate::outcome::{Difference, Outcome};
use crate::properties::Properties;

/// A case being compared.
pub(crate) struct Comparison<'c> {
    pub folder: &'c str,
    pub scale: &'c Scale,
    pub case: &'c Case,
    pub plan: &'c Plan,
}

impl Comparison<'_> {
    /// Compares the amounts of some spans.
    pub(crate) fn compare(&self, spans: &[Span], block: &mut Block, outcome: &mut Outcome) {
        let mut properties = Properties::new(self, self.case.dents.get());
        self.each_batch(spans, |batch, rows| {
            let skipped = self.batch(batch, rows, block, outcome);
            properties.check(batch, block, &skipped, outcome);
        });
        self.case.dents.set(properties.dents);
    }

    /// Splits spans into batches of as many rows as a block has.
    fn each_batch(&self, spans: &[Span], mut done_with: impl FnMut(&[Span], usize)) {
        let mut batch: Vec<Span> = Vec::new();
        let mut rows = 0;

        for &(first, count) in spans {
            let mut done = 0;
            while done < count {
                let taken = (count - done).min(ROWS - rows);
                batch.push((first + done as i64, taken));
                (rows, done) = (rows + taken, done + taken);
                if rows == ROWS {
                    done_with(&batch, rows);
                    batch.clear();
                    rows = 0;
                }
            }
        }

        if rows > 0 {
            done_with(&batch, rows);
        }
    }

    /// Compares some rows, and says which of them are refused or were compared separately.
    fn batch(
        &self,
        spans: &[Span],
        count: usize,
        block: &mut Block,
        outcome: &mut Outcome,
    ) -> Vec<bool> {
        let answers = self
            .plan
            .evaluate(&self.rows(spans, count))
            .expect("the inputs are those of the method");
        self.case.compiled.run(block, spans);
        outcome.points += count as u64;
        let mut refused = vec![false; count];
        answers
            .refused
            .iter()
            .for_each(|(row, _)| refused[*row] = true);
        let amounts: Vec<i64> = spans
            .iter()
            .flat_map(|(first, count)| *first..*first + *count as i64)
            .collect();
        let mut skipped = self.case.compiled.refused(block);
        for row in 0..count {
            if self.case.is_slow || (block.unsure[row] && !skipped[row]) {
                outcome.slow += 1;
                skipped[row] = true;
                self.slowly(amounts[row], row, &answers, refused[row], outcome);
            } else if skipped[row] != refused[row] {
                skipped[row] = true;
                let outcome_of =
                    |is_refused: bool| if is_refused { "refused" } else { "answered" }.to_owned();
                let (engine, evaluator) = (outcome_of(refused[row]), outcome_of(!refused[row]));
                outcome.add(self.difference(amounts[row], "the row", engine, evaluator));
            } else {
                outcome.refused += u64::from(refused[row]);
            }
        }

        if self.case.is_slow {
            return skipped;
        }

        for (field, values) in self.plan.fields().iter().zip(&answers.fields) {
            if field.kind != FieldKind::List {
                self.field(&field.name, values, &amounts, &skipped, block, outcome);
            }
        }

        self.warnings(&answers, &amounts, &skipped, block, outcome);
        skipped
    }

    /// The rows as the engine is asked them.
    fn rows(&self, spans: &[Span], count: usize) -> Rows<'_> {
        let fixed = self.case.combination.sent.iter();
        let fixed = fixed.map(|(name, value)| {
            (
                name.as_str(),
                Cells::Texts(vec![Some(value.as_str()); count]),
            )
        });
        let axis = self.case.axis.as_ref().map(|axis| {
            let values = spans
                .iter()
                .flat_map(|(first, count)| *first..*first + *count as i64)
                .map(i128::from);
            let cells = Cells::Numbers {
                decimals: axis.decimals,
                values: values.collect(),
                present: None,
            };
            (axis.input.as_str(), cells)
        });
        Rows::new(count, fixed.chain(axis))
    }

    fn field(
        &self,
        name: &str,
        values: &Values,
        amounts: &[i64],
        skipped: &[bool],
        block: &Block,
        outcome: &mut Outcome,
    ) {
        let own = self.case.compiled.field(name);
        // Nearly every field of nearly every case.
        if let (Values::Numbers(numbers), Some(own)) = (values, own)
            && own.there == There::Always
            && let Shown::Narrow(slot, scale) = own.shown
        {
            let column = block.column(slot);
            let engine = |row: usize| numbers.get(row)?.at_scale(scale);
            let agree = |row: usize| engine(row) == Some(i128::from(column[row]));
            if (0..amounts.len()).all(|row| skipped[row] || agree(row)) {
                return;
            }
        }

        // The text that was found to be the same last.
        let mut same = None;

        for row in (0..amounts.len()).filter(|row| !skipped[*row]) {
            let there = own.filter(|own| own.there.at(block, row));
            let is_same = match (values, there) {
                (Values::Numbers(numbers), None) => numbers.get(row).is_none(),
                (Values::Booleans { present, .. }, None) => !present[row],
                (Values::Texts { indices, .. }, None) => {
                    indices[row] == bareme_engine::run::plan::NONE
                }
                (Values::Numbers(numbers), Some(own)) => {
                    let evaluator = own
                        .number(block, row)
                        .map(|number| FixedPoint::new(number, own.decimals()));
                    let shortest = |number: FixedPoint| number.shortest();
                    evaluator.is_some() && numbers.get(row).map(shortest) == evaluator.map(shortest)
                }
                (Values::Booleans { values, present }, Some(own)) => {
                    matches!(own.shown, Shown::Boolean(test) if present[row] && test.at(block, row) == values[row])
                }
                (
                    Values::Texts {
                        texts: known,
                        indices,
                    },
                    Some(own),
                ) => match &own.shown {
                    Shown::Text(text) => {
                        let is_same = same == Some(indices[row])
                            || known
                                .get(indices[row] as usize)
                                .is_some_and(|known| **known == **text);
                        if is_same {
                            same = Some(indices[row]);
                        }
                        is_same
                    }
                    Shown::Texts(slot, list) => {
                        let own = list[block.at(*slot, row) as usize].as_deref();
                        known.get(indices[row] as usize).map(|known| &**known) == own
                    }
                    _ => values.at(row).to_string() == self.shown(own, block, row),
                },
            };
            if !is_same {
                let evaluator =
                    there.map_or("absent".to_owned(), |own| self.shown(own, block, row));
                outcome.add(self.difference(
                    amounts[row],
                    name,
                    values.at(row).to_string(),
                    evaluator,
                ));
            }
        }
    }

    fn shown(&self, field: &Field, block: &Block, row: usize) -> String {
        match &field.shown {
            Shown::Boolean(test) => test.at(block, row).to_string(),
            Shown::Text(text) => text.clone(),
            Shown::Texts(slot, texts) => texts[block.at(*slot, row) as usize]
                .clone()
                .unwrap_or_default(),
            _ => field
                .number(block, row)
                .map_or("absent".to_owned(), |number| {
                    rust_decimal::Decimal::from_i128_with_scale(number, field.decimals())
                        .normalize()
                        .to_string()
                }),
        }
    }

    /// Compares the warnings: each list of the engine with the conditions under which it came,
    /// once.
    fn warnings(
        &self,
        answers: &Answers,
        amounts: &[i64],
        skipped: &[bool],
        block: &Block,
        outcome: &mut Outcome,
    ) {
        let own = &self.case.compiled.warnings;
        if own.is_empty() && answers.warnings.is_empty() {
            return;
        }

        let mut known: Vec<(u32, u64)> = Vec::new();

        for row in (0..amounts.len()).filter(|row| !skipped[*row]) {
            let each = own.iter().enumerate();
            let mask = each.fold(0_u64, |mask, (place, (there, _))| {
                mask | u64::from(there.at(block, row)) << place
            });
            let lists = (answers.warning_indices()[row], mask);
            if known.contains(&lists) {
                continue;
            }
            let warned = own
                .iter()
                .filter(|(there, _)| there.at(block, row))
                .map(|(_, warned)| warned.clone());
            let engine = answers.warnings(row).iter().map(|warning| {
                let parameter = warning.parameter.as_deref().map(str::to_owned);
                Warned(warning.code.to_string(), warning.text.fr.clone(), parameter)
            });
            if warned.eq(engine.clone()) {
                known.push(lists);
            } else {
                let engine = format!("{:?}", engine.collect::<Vec<_>>());
                outcome.add(self.difference(
                    amounts[row],
                    "avertissements",
                    engine,
                    format!("{mask:b}"),
                ));
            }
        }
    }

    /// The query of an amount with the day of the scale, which other folders are calculated on.
    fn dated(&self, amount: i64) -> Vec<(String, String)> {
        let date = self.scale.law.first_day.iter();
        let date = date.map(|date| ("date".to_owned(), date.clone()));
        self.query(amount).into_iter().chain(date).collect()
    }

    /// Compares a row in the slow exact way.
    fn slowly(
        &self,
        amount: i64,
        row: usize,
        answers: &Answers,
        is_refused: bool,
        outcome: &mut Outcome,
    ) {
        match answer(&self.scale.law, &self.dated(amount), self.scale.when) {
            Err(reasons) if !is_refused => {
                outcome.add(self.difference(
                    amount,
                    "the row",
                    "answered".to_owned(),
                    format!("{reasons:?}"),
                ));
            }
            Err(_) => outcome.refused += 1,
            Ok(Json::Object(members)) => {
                for (field, values) in self.plan.fields().iter().zip(&answers.fields) {
                    let own = members.iter().find(|(name, _)| *name == field.name);
                    let own = own.map_or("null".to_owned(), |(_, value)| value.to_string());
                    let engine = values.at(row).to_string();
                    if engine != own {
                        outcome.add(self.difference(amount, &field.name, engine, own));
                    }
                }
            }
            Ok(_) => unreachable!("an answer is an object"),
        }
    }

    /// Compares a whole answer, lists and all, and adds up its lines.
    pub(crate) fn single(&self, folder: &Folder, amount: i64, outcome: &mut Outcome) {
        let asked = self.dated(amount);
        outcome.points += 1;
        let own = answer(&self.scale.law, &asked, self.scale.when);
        match (
            folder.calculate(&Query::from(&asked), self.scale.when.day),
            own,
        ) {
            (Ok(calculation), Ok(Json::Object(members))) => {
                let datum = calculation.datum();
                let engine: Vec<(&str, String)> = datum
                    .members()
                    .into_iter()
                    .map(|(name, value)| (name, value.to_string()))
                    .collect();
                for (name, value) in engine
                    .iter()
                    .filter(|(name, _)| !["version", "citation"].contains(name))
                {
                    let own = members
                        .iter()
                        .find(|(known, _)| known == name)
                        .map(|(_, value)| value.to_string());
                    if own.as_ref() != Some(value) {
                        let own = own.unwrap_or_else(|| "absent".to_owned());
                        outcome.add(self.difference(amount, name, value.clone(), own));
                    }
                }
                self.lines(amount, &members, outcome);
            }
            (Err(_), Err(_)) => outcome.refused += 1,
            (engine, _) => {
                let outcome_of =
                    |is_answered: bool| if is_answered { "answered" } else { "refused" }.to_owned();
                outcome.add(self.difference(
                    amount,
                    "the answer",
                    outcome_of(engine.is_ok()),
                    outcome_of(engine.is_err()),
                ));
            }
        }
    }

    /// Lists of lines add up to their totals.
    fn lines(&self, amount: i64, members: &[(std::borrow::Cow<str>, Json)], outcome: &mut Outcome) {
        let number = |json: &Json| {
            if let Json::Number(number) = json {
                Some(*number)
            } else {
                None
            }
        };

        let member = |name: &str| {
            members
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value)
        };

        for (list, total) in [
            ("lignes_patronales", "charges_patronales"),
            ("detail", "cotisations_salariales"),
        ] {
            let (Some(Json::List(lines)), Some(total)) =
                (member(list), member(total).and_then(number))
            else {
                continue;
            };
            let of_line = |line: &Json| match line {
                Json::Object(members) => members
                    .iter()
                    .find(|(name, _)| name == "montant")
                    .and_then(|(_, value)| number(value)),
                _ => None,
            };
            let sum: rust_decimal::Decimal = lines.iter().filter_map(of_line).sum();
            if sum != total {
                outcome.exception(format!(
                    "{}: the lines of {list} add up to {sum}, not {total}",
                    self.described(amount)
                ));
            }
        }
    }

    /// The parameters of an amount.
    pub(crate) fn query(&self, amount: i64) -> Vec<(String, String)> {
        let axis = self
            .case
            .axis
            .as_ref()
            .map(|axis| (axis.input.clone(), written(amount, axis.decimals)));
        self.case
            .combination
            .sent
            .iter()
            .cloned()
            .chain(axis)
            .collect()
    }

    fn place(&self) -> String {
        let sent: Vec<String> = self
            .case
            .combination
            .sent
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        format!(
            "{} of {}, {}",
            self.folder,
            self.scale.name(),
            sent.join(" ")
        )
    }

    fn amount(&self, amount: i64) -> String {
        let axis = self.case.axis.as_ref();
        axis.map_or(String::new(), |axis| {
            format!("{}={}", axis.input, written(amount, axis.decimals))
        })
    }

    /// A point in words.
    pub(crate) fn described(&self, amount: i64) -> String {
        format!("{}, {}", self.place(), self.amount(amount))
    }

    fn difference(
        &self,
        amount: i64,
        field: &str,
        engine: String,
        evaluator: String,
    ) -> Difference {
        Difference {
            place: self.place(),
            amount: self.amount(amount),
            field: field.to_owned(),
            engine,
            evaluator,
        }
    }
}

/// An amount in units as a caller sends it.
pub(crate) fn written(amount: i64, decimals: u32) -> String {
    rust_decimal::Decimal::new(amount, decimals).to_string()
}
