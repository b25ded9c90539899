//! The reader of a step that calculates another folder.

use crate::law::answer::{Field, FieldContent};
use crate::law::callee::CalleeEdition;
use crate::law::formula::{Env, ExpectedType, Narrowing, parser};
use crate::law::step::{Built, GivenInput, Output, Reader, Written};
use crate::law::{Ast, AstNode, Expr, Input, InputId, Inverse, Presence, Type};
use crate::text::problem::suggestion;
use crate::text::{Content, Node, PlacedText, Problem};

use super::{Calculate, CallDay, CalledField, Given, KIND};

pub(super) fn read(reader: &mut Reader) -> Option<Built> {
    // 1. The folder, as its last method describes it. Earlier ones are compared with it once the
    // days of the scale are known.
    let path = reader.main_text()?;
    let callee = reader.env.symbols.callees.look_up(&path, reader.report)?;
    let editions = callee.editions();
    let latest = editions.last()?;
    reader.keep(KIND.name, Some(Written::Name(callee.title().to_owned())));

    // 2. What it is given, and on which day.
    let given = given(reader, latest, callee.path());
    let day = day(reader);

    // 3. Its fields of one value, those of options that are given as on included.
    let fields = fields(&editions, &given);
    let main = match reader.node.text_of("value").cloned() {
        // Without a value that is there, what reads the step is not reported as well.
        Some(text) => Some(main_output(reader, &text, &fields)?),
        None => None,
    };
    let outputs = fields.iter().enumerate().map(|(index, field)| Output {
        name: field.name.clone(),
        ty: field.ty,
        optional: field.optional,
        main: main == Some(index),
        label: field.label.clone(),
    });
    let outputs: Vec<Output> = outputs.collect();

    drop(editions);
    Some(Built {
        checked: Box::new(Calculate {
            callee,
            day,
            given,
            outputs: fields
                .into_iter()
                .map(|field| CalledField {
                    name: field.name,
                    ty: field.ty,
                })
                .collect(),
            place: path.place,
        }),
        outputs,
        hidden: 0,
    })
}

fn day(reader: &mut Reader) -> CallDay {
    let Some(text) = reader.node.text_of("on").cloned() else {
        return CallDay::Same;
    };
    reader.keep("on", Some(Written::Name(text.value.clone())));

    // The schema reports another word.
    let mut words = CallDay::WORDS.into_iter();
    words
        .find(|(word, _)| *word == text.value)
        .map_or(CallDay::Same, |(_, day)| day)
}

/// Reads what is given to the inputs of the other folder.
fn given(reader: &mut Reader, latest: &CalleeEdition, folder: &str) -> Vec<Given> {
    let node = reader.node;
    let method = latest.method;
    let given_at = node
        .key_place("given")
        .unwrap_or(&reader.name.place)
        .clone();
    let mut found = Vec::new();
    let mut shown = Vec::new();

    // A folder that requires items cannot be calculated, whatever is given besides.
    let of_items =
        |input: &&Input| input.group.is_some() && matches!(input.presence, Presence::Required);
    if let Some(input) = method.inputs().iter().find(of_items) {
        let problem = Problem::CallRequiresItems {
            name: input.name.clone(),
            folder: folder.to_owned(),
        };
        reader.error(&given_at, problem);
        return found;
    }

    for (name, value) in node.get("given").map(Node::entries).unwrap_or_default() {
        // The schema reports what is no formula.
        let Some(text) = value.text() else { continue };
        let known = method
            .inputs()
            .iter()
            .find(|input| input.name == name.value)
            .or_else(|| inverse(method.inverses(), &name.value).map(|inverse| &inverse.parameter));
        let Some(input) = known else {
            let names: Vec<&str> = method
                .accepted_inputs()
                .map(|input| input.name.as_str())
                .collect();
            let near = suggestion(&name.value, names.iter().copied()).map(str::to_owned);
            let problem = Problem::UnknownGiven {
                name: name.value.clone(),
                folder: folder.to_owned(),
                inputs: names.join(", "),
                near,
            };
            reader.error(&name.place, problem);
            continue;
        };

        if input.group.is_some() {
            let problem = Problem::GivenToItems {
                name: name.value.clone(),
                folder: folder.to_owned(),
            };
            reader.error(&name.place, problem);
            continue;
        }

        let (own, formula) = given_value(reader, input, name, text, folder);
        shown.extend(formula.map(|formula| GivenInput {
            label: input.label.clone(),
            words: input.values.clone(),
            formula,
        }));
        found.push(own);
    }
    reader.keep("given", Some(Written::Given(shown)));

    // The schema reports what is given as no map.
    let is_map = |node: &Node| matches!(node.content, Content::Map(_));
    if !node.get("given").is_none_or(is_map) {
        return found;
    }

    // Everything that the other folder requires is given, or an amount to be reached in its place.
    let is_given = |name: &str| found.iter().any(|given| given.name == name);
    for (id, input) in InputId::enumerate(method.inputs()) {
        let is_searched = method
            .inverses()
            .iter()
            .any(|inverse| inverse.input == id && is_given(&inverse.parameter.name));
        if matches!(input.presence, Presence::Required) && !is_given(&input.name) && !is_searched {
            let problem = Problem::NotGiven {
                name: input.name.clone(),
                folder: folder.to_owned(),
            };
            reader.error(&given_at, problem);
        }
    }
    found
}

fn inverse<'i>(inverses: &'i [Inverse], name: &str) -> Option<&'i Inverse> {
    inverses
        .iter()
        .find(|inverse| inverse.parameter.name == name)
}

/// Reads what is given to one input.
fn given_value(
    reader: &mut Reader,
    input: &Input,
    name: &PlacedText,
    text: &PlacedText,
    folder: &str,
) -> (Given, Option<Ast>) {
    // An input of this method that is passed on as it is may be one that was not sent, and its words
    // are those of the other folder.
    let ast = parser::parse(&text.value).ok();
    let passes = ast.as_ref().and_then(|ast| match &ast.node {
        AstNode::Name(word) if input.word(word).is_none() => reader.env.input(word),
        _ => None,
    });
    let given = |expr, passes, words| Given {
        name: name.value.clone(),
        label: input.label.clone(),
        ty: input.ty,
        expr,
        passes,
        words,
        place: text.place.clone(),
    };

    let own = passes.and_then(|id| Some((id, reader.env.declared(id)?)));
    let is_choice = |ty| matches!(ty, Type::Choice(_));
    if let Some((id, own)) = own
        && (is_choice(own.ty) || own.is_optional())
    {
        let fits = own.ty == input.ty || (is_choice(own.ty) && is_choice(input.ty));
        if !fits {
            let problem = Problem::WrongGiven {
                name: name.value.clone(),
                folder: folder.to_owned(),
                expected: input.ty.name(),
                found: own.ty.name(),
            };
            reader.error(&text.place, problem);
        }

        // What is required there must have been sent here.
        let is_sent = !own.is_optional() || reader.known.contains(&Narrowing::Given(id));
        if matches!(input.presence, Presence::Required) && !is_sent {
            let name = own.name.clone();
            reader.error(&text.place, Problem::MaybeAbsent { name });
        }

        if let Some(group) = own.group
            && let Err(problem) = reader.env.read_item(&own.name, group)
        {
            reader.error(&text.place, problem);
        }

        let words: Vec<String> = own.values.iter().map(|(word, _)| word.clone()).collect();
        reader.reads.inputs.insert(id);
        return (given(Expr::Input(id), passes, words), ast);
    }

    // A single word that means nothing here is one that the choice does not have.
    if let Some(AstNode::Name(word)) = ast.as_ref().map(|ast| &ast.node)
        && is_choice(input.ty)
        && input.word(word).is_none()
        && passes.is_none()
    {
        let words: Vec<&str> = input.values.iter().map(|(word, _)| word.as_str()).collect();
        let problem = Problem::UnknownWord {
            word: word.clone(),
            name: name.value.clone(),
            near: suggestion(word, words.iter().copied()).map(str::to_owned),
            words: words.join(", "),
        };
        reader.error(&text.place, problem);
        return (given(Expr::Word(0), None, Vec::new()), ast);
    }

    // The words of a choice of the other folder are read as those of an input beside the own ones,
    // which no formula can name.
    let foreign = reader.env.next_input();
    let added = Input {
        ty: Type::Choice(foreign),
        name: String::new(),
        ..input.clone()
    };
    let is_of_words = is_choice(input.ty);
    let ty = if is_of_words { added.ty } else { input.ty };
    let words = input.values.iter().map(|(word, _)| word.clone());
    let words = words.filter(|_| is_of_words).collect();

    let env = Env {
        added_input: is_of_words.then_some(&added),
        ..reader.env
    };
    let (typed, formula) = env
        .check_and_keep(
            text,
            ExpectedType::exactly(ty),
            &reader.known,
            reader.report,
        )
        .recorded_in(&mut reader.reads);

    (given(typed.expr, passes, words), formula)
}

/// A field of one value.
struct FoundField {
    name: String,
    label: Option<String>,
    ty: Type,
    optional: bool,
}

/// The fields of one value of the last method, and those that only earlier ones have; each once.
fn fields(editions: &[CalleeEdition], given: &[Given]) -> Vec<FoundField> {
    let is_on = |option: &str| {
        given
            .iter()
            .any(|given| given.name == option && matches!(given.expr, Expr::Boolean(true)))
    };

    let mut found: Vec<FoundField> = Vec::new();
    for edition in editions.iter().rev() {
        let method = edition.method;
        for field in method.fields() {
            let option = field.option.and_then(|index| method.options().get(index));
            let is_there = option.is_none_or(|option| is_on(&option.name));
            let is_new = !found.iter().any(|known| known.name == field.name);
            if let Some(ty) = called_type(field).filter(|_| is_there && is_new) {
                found.push(FoundField {
                    name: field.name.clone(),
                    label: field.label.clone(),
                    ty,
                    optional: field.is_left_out_sometimes(),
                });
            }
        }
    }
    found
}

/// The type of a field as another folder reads it; `None` for a list.
pub(super) fn called_type(field: &Field) -> Option<Type> {
    match &field.content {
        FieldContent::Value { ty, .. } => Some(match ty {
            // A word means something to its own folder only.
            Type::Choice(_) => Type::Text,
            Type::Zero => Type::Number,
            ty => *ty,
        }),
        FieldContent::Text(_) => Some(Type::Text),
        _ => None,
    }
}

/// The output that `value` names.
fn main_output(reader: &mut Reader, text: &PlacedText, fields: &[FoundField]) -> Option<usize> {
    reader.keep("value", Some(Written::Name(text.value.clone())));

    let found = fields.iter().position(|field| field.name == text.value);
    if found.is_none() {
        let names = fields.iter().map(|field| field.name.as_str());
        let near = suggestion(&text.value, names.clone()).map(str::to_owned);
        let problem = Problem::UnknownCalledField {
            name: text.value.clone(),
            fields: names.collect::<Vec<_>>().join(", "),
            near,
        };
        reader.error(&text.place, problem);
    }
    found
}
