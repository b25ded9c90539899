//! The catalogue of tools: one for each calculation, and the fixed ones, which do not depend on the
//! rules.

use bareme_engine::law::parameter::DETAIL;
use bareme_engine::service::Endpoint;
use bareme_engine::text::Text;
use bareme_engine::{Folder, Lang, say};
use bareme_show::schema::{self, Parameter};
use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::Assistant;
use crate::answer::{Answer, object};
use crate::refused::ToolError;
use crate::tools::{calculation, changes, compare, explain, figure, inverse, search};

/// The answer of a tool, or its refusal.
pub(crate) type Outcome = Result<Answer, ToolError>;

/// A calculation with its parameters.
pub(crate) type Sent<'r> = (&'r Endpoint, Vec<(String, String)>);

/// A fixed tool, which does not depend on the rules.
pub(crate) struct FixedTool {
    pub name: &'static str,
    pub title: Text,
    pub description: Text,
    /// The calculations of a call, as far as its arguments can be read; `None` of a tool that
    /// calculates nothing, whose calls do not count towards the quota.
    pub calculations: Option<for<'r> fn(&Assistant<'r>, &JsonObject) -> Vec<Sent<'r>>>,
    pub parameters: fn(&Assistant) -> Vec<Parameter>,
    /// Members of its answers, as a schema, and which of them every answer has.
    pub answers: fn() -> (Value, &'static [&'static str]),
    pub call: for<'r> fn(&Assistant<'r>, &JsonObject) -> Outcome,
}

// In the order in which clients list them.
const FIXED_TOOLS: [&FixedTool; 6] = [
    &search::TOOL,
    &figure::TOOL,
    &explain::TOOL,
    &compare::TOOL,
    &inverse::TOOL,
    &changes::TOOL,
];

/// Greatest length of the name of a tool in clients.
const MAX_NAME_LENGTH: usize = 64;

/// The name of the tool of an endpoint, in letters, digits, `-` and `_`; it never equals that of a
/// fixed tool.
fn name_of(endpoint: &Endpoint) -> String {
    let is_fine = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);

    let plain: String = endpoint
        .name
        .chars()
        .map(|letter| if is_fine(letter) { letter } else { '_' })
        .collect();

    // An endpoint may be called like a fixed tool, `inverse`: a client could not tell them from
    // each other.
    let own = if FIXED_TOOLS.iter().any(|fixed| fixed.name == plain) {
        format!("calcul_{plain}")
    } else {
        plain
    };

    // All signs are ASCII here, so that characters are bytes.
    own.chars().take(MAX_NAME_LENGTH).collect()
}

impl<'r> Assistant<'r> {
    /// The tools, calculations first. A calculation whose folder is held for its errors has none.
    pub fn tools(&self) -> Vec<Tool> {
        let calculations = self
            .endpoints
            .iter()
            .filter_map(|endpoint| self.tool_of(endpoint));
        calculations
            .chain(FIXED_TOOLS.iter().map(|fixed| self.fixed_tool(fixed)))
            .collect()
    }

    /// Whether a call of a tool counts towards the quota; false for an unknown tool.
    pub fn calculates(&self, tool: &str) -> bool {
        match FIXED_TOOLS.iter().find(|fixed| fixed.name == tool) {
            Some(fixed) => fixed.calculations.is_some(),
            None => self.endpoint_of(tool).is_some(),
        }
    }

    /// Calls a tool. A failure is a result too, marked as an error, which tells what is missing.
    ///
    /// `None` for an unknown tool.
    pub fn call(&self, tool: &str, arguments: &JsonObject) -> Option<CallToolResult> {
        // Fixed tools first: `name_of` gives no calculation the name of one.
        let outcome = match FIXED_TOOLS.iter().find(|fixed| fixed.name == tool) {
            Some(fixed) => (fixed.call)(self, arguments),
            None => calculation::call(self, self.endpoint_of(tool)?, arguments),
        };

        // Both are results: an error of the protocol would reach the client, and not the model.
        Some(match outcome {
            Ok(answer) => answer.into_result(self.lang),
            Err(refused) => refused.into_result(self.lang),
        })
    }

    /// The calculations of a call, as far as its arguments can be read.
    pub(crate) fn calculations_of(&self, tool: &str, arguments: &JsonObject) -> Vec<Sent<'r>> {
        if let Some(fixed) = FIXED_TOOLS.iter().find(|fixed| fixed.name == tool) {
            return fixed
                .calculations
                .map(|calculations| calculations(self, arguments))
                .unwrap_or_default();
        }
        let endpoint = self.endpoint_of(tool).into_iter();
        endpoint
            .map(|endpoint| (endpoint, calculation::pairs_of(arguments).0))
            .collect()
    }

    /// The endpoint of the tool of a calculation.
    pub fn endpoint_of(&self, tool: &str) -> Option<&'r Endpoint> {
        self.endpoints
            .iter()
            .copied()
            .find(|endpoint| name_of(endpoint) == tool)
    }

    /// The names of the calculations.
    pub(crate) fn calculations(&self) -> Vec<&'r str> {
        self.endpoints
            .iter()
            .map(|endpoint| endpoint.name.as_str())
            .collect()
    }

    /// A calculation by its name.
    pub(crate) fn endpoint(&self, name: &str) -> Option<&'r Endpoint> {
        self.endpoints
            .iter()
            .copied()
            .find(|endpoint| endpoint.name == name)
    }

    fn tool_of(&self, endpoint: &Endpoint) -> Option<Tool> {
        let members: Vec<schema::Member> = self.rules.members(endpoint).collect();
        let folders: Vec<&Folder> = members.iter().map(|(_, folder)| *folder).collect();

        let mut parameters = match (&endpoint.by, members.as_slice()) {
            // All its folders are held for their errors.
            (_, []) => return None,
            (None, [(_, folder), ..]) => schema::of_folder(folder),
            (Some(by), members) => schema::of_family(by, members, &endpoint.ignored),
        };

        // The day and the law come after the inputs, and `detail` last.
        parameters.extend(schema::of_day(&folders));
        parameters.extend(self.law_parameters());
        parameters.push(detail(self.lang));

        let (answers, required) = calculation::answers();
        let description = calculation::description(endpoint, &members, self.lang);

        Some(self.tool(
            &name_of(endpoint),
            &endpoint.title,
            &description,
            parameters,
            (answers, required),
        ))
    }

    fn fixed_tool(&self, fixed: &FixedTool) -> Tool {
        let mut parameters = (fixed.parameters)(self);
        parameters.push(detail(self.lang));

        let (title, description) = (
            fixed.title.in_lang(self.lang),
            fixed.description.in_lang(self.lang),
        );

        self.tool(
            fixed.name,
            title,
            description,
            parameters,
            (fixed.answers)(),
        )
    }

    fn tool(
        &self,
        name: &str,
        title: &str,
        description: &str,
        parameters: Vec<Parameter>,
        (answers, required): (Value, &[&str]),
    ) -> Tool {
        // Calls have no side effects and are idempotent; the tools know the rules only, no open
        // world.
        let annotations = ToolAnnotations::with_title(title)
            .read_only(true)
            .idempotent(true)
            .open_world(false);

        Tool::new(
            name.to_owned(),
            description.to_owned(),
            input_schema(parameters),
        )
        .with_title(title)
        .with_raw_output_schema(crate::answer::schema(answers, required).into())
        .with_annotations(annotations.destructive(false))
    }
}

/// The parameter that asks for details.
fn detail(lang: Lang) -> Parameter {
    Parameter::optional(
        DETAIL,
        say!(
            lang,
            "`true` : la réponse entière, sans limite de longueur, avec ses sources.",
            "`true`: the whole answer, whatever its length, with its sources."
        ),
        json!({"type": "boolean"}),
    )
}

/// A parameter that must be there.
pub(crate) fn required(name: &str, description: String, schema: Value) -> Parameter {
    Parameter {
        is_required: true,
        ..Parameter::optional(name, description, schema)
    }
}

/// The parameters as the schema of one object, without the extensions (`x-…`) that are no JSON
/// Schema.
fn input_schema(parameters: Vec<Parameter>) -> Map<String, Value> {
    let required = parameters
        .iter()
        .filter(|found| found.is_required)
        .map(|found| found.name.clone());
    let required: Vec<String> = required.collect();

    let mut properties = Map::new();
    for Parameter {
        name,
        description,
        mut schema,
        ..
    } in parameters
    {
        // A schema may come with extensions of the page, which clients of the protocol do not know.
        if let Value::Object(members) = &mut schema {
            members.retain(|name, _| !name.starts_with("x-"));
            members.insert("description".to_owned(), description.into());
        }
        properties.insert(name, schema);
    }

    // Draft 4 of JSON Schema, which some clients still read, accepts no empty `required`.
    let required = (!required.is_empty()).then_some(required);

    object(json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    }))
}
