//! Schemas as other engines write them.

use std::sync::Arc;

use bareme_arrow::Error;
use bareme_arrow::arrow::array::RecordBatch;
use bareme_arrow::arrow::compute::cast;
use bareme_arrow::arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef};

/// A schema whose dictionaries are what they hold.
pub(crate) fn without_dictionaries(schema: &Schema) -> SchemaRef {
    // The type that a dictionary holds is the same for every batch and task, and every engine reads
    // it.
    let fields = schema.fields().iter().map(|field| match field.data_type() {
        DataType::Dictionary(_, value) => Arc::new(
            field
                .as_ref()
                .clone()
                .with_data_type(value.as_ref().clone()),
        ),
        _ => Arc::clone(field),
    });

    Arc::new(Schema::new_with_metadata(
        fields.collect::<Vec<_>>(),
        schema.metadata().clone(),
    ))
}

/// A batch of such a schema.
pub(crate) fn plain(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, Error> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns
        .map(|(column, field)| Ok(cast(column, field.data_type())?))
        .collect::<Result<_, Error>>()?;

    Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
}

/// The columns of a schema as Spark declares them: `net DECIMAL(18,2), version STRING`.
pub(crate) fn spark(schema: &Schema) -> String {
    declared(schema.fields(), " ")
}

/// Fields with their types, which follow the names after a separator.
fn declared(fields: &Fields, separator: &str) -> String {
    // Spark quotes names by backticks, and doubles those inside.
    let one = |field: &Arc<Field>| {
        format!(
            "`{}`{separator}{}",
            field.name().replace('`', "``"),
            type_of(field.data_type())
        )
    };
    fields.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The type of a column of an answer.
fn type_of(data_type: &DataType) -> String {
    match data_type {
        // The names of Spark SQL.
        DataType::Decimal128(digits, decimals) => format!("DECIMAL({digits},{decimals})"),
        DataType::Int64 => "BIGINT".to_owned(),
        DataType::Boolean => "BOOLEAN".to_owned(),
        DataType::Date32 => "DATE".to_owned(),
        DataType::List(item) => format!("ARRAY<{}>", type_of(item.data_type())),
        DataType::Struct(members) => format!("STRUCT<{}>", declared(members, ": ")),
        // Texts, and what Spark has no type for, which answers write as texts.
        _ => "STRING".to_owned(),
    }
}
