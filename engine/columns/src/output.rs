//! Answers as columns of tables.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Int32Array, Int64Array,
    ListArray, StringArray, StructArray,
};
use arrow::buffer::{BooleanBuffer, NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field, Fields, Int32Type};
use bareme_engine::jiff::civil::{Date, date};
use bareme_engine::law::Warning;
use bareme_engine::law::members::{REMARKS, WARNING, WARNINGS};
use bareme_engine::run::plan::{
    Answers, FieldKind, Integers, NONE, Plan, PlanField, UsedScale, Values,
};
use bareme_engine::{CalculationError, Datum, Folder};

use crate::error::Error;
use crate::{lists, structs};

/// Digits of amounts: the most for which data engines compute with 64-bit integers.
pub(crate) const AMOUNT_DIGITS: u8 = 18;
/// Decimals of the columns of rates and of numbers that have no more.
const NUMBER_SCALE: i8 = 6;
/// The type of rates with up to six decimals.
pub(crate) const RATE: DataType = DataType::Decimal128(9, NUMBER_SCALE);
/// The type of other numbers with up to six decimals: hours, kilometres and hourly pays go beyond
/// the digits of a rate.
pub(crate) const NUMBER: DataType = DataType::Decimal128(AMOUNT_DIGITS, NUMBER_SCALE);
/// Digits of rates and numbers with more decimals.
const MOST_DIGITS: u8 = 28;

/// The columns of the reason why a row has no answer: its code, the parameter and the sentence.
pub(crate) const REFUSAL: [&str; 3] = ["erreur", "champ", "message"];

/// A warning: its code, its sentence, the parameter that it is about. Only a year of pays, which is
/// no table, has the months of one.
fn warning() -> Arc<Field> {
    Arc::new(Field::new_list_field(
        DataType::Struct(members_of_a_warning()),
        false,
    ))
}

fn members_of_a_warning() -> Fields {
    let [code, sentence, parameter, _] = &WARNING;
    // The fourth member has the months of a year, which no table has.
    [code, sentence, parameter]
        .map(|member| Field::new(member.name, DataType::Utf8, !member.always))
        .to_vec()
        .into()
}

/// A column of texts of which many rows share one.
fn shared_texts() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// The columns of the answers of a plan: its fields, then what is known of each row.
pub(crate) fn fields(plan: &Plan) -> Vec<Field> {
    let own = plan
        .fields()
        .iter()
        .map(|field| Field::new(&field.name, type_of_field(plan, field), true));

    let remarks = plan
        .has_remarks()
        .then(|| Field::new(REMARKS.name, shared_texts(), true));

    let following = [
        Field::new("bareme_en_vigueur", DataType::Date32, true),
        Field::new("version", shared_texts(), true),
        Field::new(WARNINGS.name, DataType::List(warning()), true),
    ];

    let refusals = REFUSAL.map(|name| Field::new(name, DataType::Utf8, true));

    own.chain(following)
        .chain(remarks)
        .chain(refusals)
        .collect()
}

/// The type of the column of a field.
fn type_of_field(plan: &Plan, field: &PlanField) -> DataType {
    match field.kind {
        FieldKind::List => structs::type_of(plan, &field.name),
        kind => type_of(kind),
    }
}

fn type_of(kind: FieldKind) -> DataType {
    let scale = |decimals: u32| i8::try_from(decimals).unwrap_or(i8::MAX);
    let is_short = |decimals: u32| scale(decimals) <= NUMBER_SCALE;

    match kind {
        // Amounts beyond 18 digits are refused row by row: see `arrays`.
        FieldKind::Amount { decimals } => DataType::Decimal128(AMOUNT_DIGITS, scale(decimals)),
        FieldKind::Number { decimals: 0 } => DataType::Int64,
        FieldKind::Rate { decimals } if is_short(decimals) => RATE,
        FieldKind::Number { decimals } if is_short(decimals) => NUMBER,
        FieldKind::Rate { decimals } | FieldKind::Number { decimals } => {
            DataType::Decimal128(MOST_DIGITS, scale(decimals))
        }
        FieldKind::Boolean => DataType::Boolean,
        FieldKind::Text | FieldKind::List => DataType::Utf8,
    }
}

/// The reason why a row has no answer.
struct RowError {
    code: &'static str,
    parameter: String,
    message: String,
}

/// The columns of answers. A row with a value that does not fit its column is refused, since no
/// digit may be lost.
pub(crate) fn arrays(plan: &Plan, mut answers: Answers) -> Result<Vec<ArrayRef>, Error> {
    // 1. The fields, and the rows whose value is too long for its column, each with its first
    // reason.
    let mut reasons: HashMap<usize, RowError> = answers
        .refused
        .iter()
        .map(|(row, error)| (*row, reason(error)))
        .collect();

    let mut columns = Vec::with_capacity(plan.fields().len());
    for (field, values) in plan
        .fields()
        .iter()
        .zip(std::mem::take(&mut answers.fields))
    {
        let (column, unfit) = Column::new(values, type_of_field(plan, field));
        for row in unfit {
            let message = format!("{} : valeur trop grande pour la colonne", field.name);
            let reason = RowError {
                code: "trop_de_chiffres",
                parameter: field.name.clone(),
                message,
            };

            // A row may be refused already, or have several such values: the first reason is kept.
            reasons.entry(row).or_insert(reason);
        }

        columns.push(column);
    }

    // 2. Rows with a reason have nulls in every other column.
    let answered: Vec<bool> = (0..answers.count)
        .map(|row| !reasons.contains_key(&row))
        .collect();
    let is_answered = |row: usize| answered.get(row).copied().unwrap_or_default();

    let mut fields: Vec<ArrayRef> = columns
        .into_iter()
        .map(|column| column.into_array(is_answered))
        .collect::<Result<_, _>>()?;

    // 3. What follows the fields, in the order of `fields`.
    fields.extend(of_scales(plan, &answers, is_answered));
    fields.push(Arc::new(warnings(&answers, is_answered)?));
    if plan.has_remarks() {
        fields.push(remarks(&answers, is_answered));
    }

    let of_reason = |part: fn(&RowError) -> &str| -> ArrayRef {
        // Mostly no row is refused: no text is looked for.
        if reasons.is_empty() {
            return Arc::new(StringArray::new_null(answers.count));
        }
        let texts = (0..answers.count).map(|row| reasons.get(&row).map(part));
        Arc::new(texts.collect::<StringArray>())
    };

    fields.extend([
        of_reason(|reason| reason.code),
        of_reason(|reason| &reason.parameter),
        of_reason(|reason| &reason.message),
    ]);

    Ok(fields)
}

/// The first refused parameter, and all reasons.
fn reason(error: &CalculationError) -> RowError {
    match error {
        CalculationError::Refused(refusal) => {
            let reasons = refusal
                .parameters
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" ; ");

            // A column holds one code: programs sort by the first, people read all in the message.
            let first = refusal.parameters.first();

            RowError {
                code: first.map_or("inconnu", |bad| bad.code.as_str()),
                parameter: first.map(|bad| bad.name.clone()).unwrap_or_default(),
                message: reasons,
            }
        }
        CalculationError::Internal(fault) => RowError {
            code: "erreur_interne",
            parameter: fault.place().to_owned(),
            message: fault.to_string(),
        },
    }
}

/// The values of a field in the form of its column.
enum Column {
    /// Integers at the scale of the type.
    Numbers(Integers, DataType),
    Booleans {
        values: Vec<bool>,
        present: Vec<bool>,
    },
    Texts {
        texts: Vec<Arc<str>>,
        indices: Vec<u32>,
        ty: DataType,
    },
}

impl Column {
    /// The values, numbers at the scale of the type; and the rows whose number has more digits than
    /// the type holds.
    fn new(values: Values, ty: DataType) -> (Self, Vec<usize>) {
        let numbers = match values {
            Values::Numbers(numbers) => numbers,
            Values::Booleans { values, present } => {
                return (Self::Booleans { values, present }, Vec::new());
            }
            Values::Texts { texts, indices } => {
                return (Self::Texts { texts, indices, ty }, Vec::new());
            }
        };

        // A limit of 10^18 leaves out the numbers with more digits than the column has.
        let (scale, limit) = match ty {
            DataType::Decimal128(digits, scale) => (
                u32::from(scale.unsigned_abs()),
                10_i128.checked_pow(u32::from(digits)).unwrap_or(i128::MAX),
            ),
            _ => (0, i128::from(i64::MAX)),
        };

        let mut integers = numbers.at_scale(scale, limit);
        let unfit = std::mem::take(&mut integers.unfit);
        (Self::Numbers(integers, ty), unfit)
    }

    /// The array, with nulls in the rows without an answer.
    fn into_array(self, is_answered: impl Fn(usize) -> bool) -> Result<ArrayRef, Error> {
        let nulls = |present: &[bool]| {
            let present = BooleanBuffer::collect_bool(present.len(), |row| {
                present.get(row).copied().unwrap_or_default() && is_answered(row)
            });
            // A column without a null needs no bitmap, and whoever reads it no test of each row.
            Some(NullBuffer::new(present)).filter(|nulls| nulls.null_count() > 0)
        };

        Ok(match self {
            Self::Numbers(
                Integers {
                    values, present, ..
                },
                DataType::Int64,
            ) => {
                // `Column::new` has checked that each value fits.
                let values: Vec<i64> = values
                    .iter()
                    .map(|value| i64::try_from(*value).unwrap_or_default())
                    .collect();
                Arc::new(Int64Array::new(values.into(), nulls(&present)))
            }
            Self::Numbers(
                Integers {
                    values, present, ..
                },
                ty,
            ) => {
                let array = Decimal128Array::new(values.into(), nulls(&present));
                Arc::new(array.with_data_type(ty))
            }
            Self::Booleans { values, present } => Arc::new(BooleanArray::new(
                BooleanBuffer::from(values.as_slice()),
                nulls(&present),
            )),
            Self::Texts { texts, indices, ty } => {
                let place = |(row, index): (usize, &u32)| {
                    let place = usize::try_from(*index).ok()?;
                    (place < texts.len() && is_answered(row)).then_some(place)
                };
                let places = indices.iter().enumerate().map(place);

                match lists::members(&ty) {
                    Some(members) => structs::array(&texts, places, members)?,
                    None => {
                        let text = |place: Option<usize>| Some(texts.get(place?)?.as_ref());
                        Arc::new(places.map(text).collect::<StringArray>())
                    }
                }
            }
        })
    }
}

/// The first day of the scale of each row, and the version of its rules. Every table has the same
/// dictionary with the versions of all folders, since an Arrow file holds a dictionary once.
fn of_scales(plan: &Plan, answers: &Answers, is_answered: impl Fn(usize) -> bool) -> [ArrayRef; 2] {
    let days: Vec<Option<i32>> = answers
        .scales
        .iter()
        .map(|scale| scale.date.map(days))
        .collect();

    // A row may have found its scale and be refused afterwards.
    let used = |(row, index): (usize, &u32)| {
        usize::try_from(*index)
            .ok()
            .filter(|_| *index != NONE && is_answered(row))
    };
    let indices: Vec<Option<usize>> = answers
        .scale_indices()
        .iter()
        .enumerate()
        .map(used)
        .collect();

    // Versions are keyed by their place among those of the plan, which is the same for every table.
    let day = |index: &Option<usize>| index.and_then(|index| days.get(index).copied().flatten());

    let versions = || plan.folders().flat_map(Folder::versions);
    let place = |scale: &UsedScale| versions().position(|version| version == scale.version);

    let places: Vec<Option<i32>> = answers
        .scales
        .iter()
        .map(|scale| place(scale).and_then(|place| i32::try_from(place).ok()))
        .collect();

    let key = |index: &Option<usize>| index.and_then(|index| places.get(index).copied().flatten());
    let keys: Int32Array = indices.iter().map(key).collect();

    let versions: StringArray = versions().map(Some).collect();

    // The keys are places in this list, so that this cannot fail; a failure would leave the column
    // null.
    let version = DictionaryArray::<Int32Type>::try_new(keys, Arc::new(versions));
    let version: ArrayRef = version.map_or_else(
        |_| Arc::new(StringArray::new_null(answers.count)) as ArrayRef,
        |array| Arc::new(array),
    );

    [
        Arc::new(indices.iter().map(day).collect::<Date32Array>()),
        version,
    ]
}

/// The remarks on the figures that each row uses, as JSON text, which many rows share; null where
/// there is none.
fn remarks(answers: &Answers, is_answered: impl Fn(usize) -> bool) -> ArrayRef {
    let key = |(row, index): (usize, &u32)| {
        i32::try_from(*index)
            .ok()
            .filter(|_| *index != NONE && is_answered(row))
    };

    let keys: Int32Array = answers
        .remark_indices()
        .iter()
        .enumerate()
        .map(key)
        .collect();

    let texts = answers
        .remarks
        .iter()
        .map(|list| Some(Datum::List(list).to_string()));

    let remarks =
        DictionaryArray::<Int32Type>::try_new(keys, Arc::new(texts.collect::<StringArray>()));
    remarks.map_or_else(
        |_| Arc::new(StringArray::new_null(answers.count)) as ArrayRef,
        |array| Arc::new(array),
    )
}

/// The warnings of each row; null where it has none.
fn warnings(answers: &Answers, is_answered: impl Fn(usize) -> bool) -> Result<ListArray, Error> {
    if answers.warnings.is_empty() {
        return Ok(ListArray::new_null(warning(), answers.count));
    }

    let of_row = |row: usize| {
        if is_answered(row) {
            answers.warnings(row)
        } else {
            &[]
        }
    };

    let rows = || (0..answers.count).map(of_row);
    let all = || rows().flatten();

    // All warnings of all rows in one struct array, and the number of those of each row beside it.
    let text = |part: fn(&Warning) -> Option<&str>| -> ArrayRef {
        Arc::new(all().map(part).collect::<StringArray>())
    };

    let members = vec![
        text(|warning| Some(&warning.code)),
        text(|warning| Some(&warning.text.fr)),
        text(|warning| warning.parameter.as_deref()),
    ];

    let structs = StructArray::try_new(members_of_a_warning(), members, None)?;

    let present: BooleanBuffer = rows().map(|warnings| !warnings.is_empty()).collect();
    let offsets = OffsetBuffer::from_lengths(rows().map(<[Warning]>::len));

    Ok(ListArray::try_new(
        warning(),
        offsets,
        Arc::new(structs),
        Some(NullBuffer::new(present)),
    )?)
}

/// Days since 1 January 1970.
fn days(day: Date) -> i32 {
    day.since(date(1970, 1, 1))
        .map_or(0, |span| span.get_days())
}
