//! The tools, one in each file.

pub(crate) mod calculation;
pub(crate) mod changes;
pub(crate) mod compare;
pub(crate) mod explain;
pub(crate) mod figure;
pub(crate) mod inverse;
pub(crate) mod search;

use bareme_engine::law::parameter::{KNOWN_ON, VERSION};
use bareme_engine::service::Endpoint;
use bareme_engine::text::BadParameter;
use bareme_engine::{Folder, say};
use bareme_show::schema::Parameter;
use serde_json::json;

use crate::Assistant;
use crate::arguments::Arguments;
use crate::catalogue::{Sent, required};
use crate::refused::{missing, unknown};

/// Argument with the name of a calculation.
const CALCULATION: &str = "calcul";
/// Argument with the parameters of a calculation.
const PARAMETERS: &str = "parametres";
/// Argument with the name of a scale.
const SCALE: &str = "bareme";

impl<'r> Assistant<'r> {
    /// The parameters of tools that run a calculation.
    fn question(&self) -> Vec<Parameter> {
        let lang = self.lang;
        let sent = if self.laws.is_none() {
            say!(
                lang,
                "Ce qui serait envoyé à l’outil de ce calcul : ses paramètres, et `date` ou \
                 `annee`.",
                "What would be sent to the tool of the calculation: its parameters, and `date` or \
                 `annee`."
            )
        } else {
            say!(
                lang,
                "Ce qui serait envoyé à l’outil de ce calcul : ses paramètres, `date` ou `annee`, \
                 `{VERSION}` ou `{KNOWN_ON}`.",
                "What would be sent to the tool of the calculation: its parameters, `date` or \
                 `annee`, `{VERSION}` or `{KNOWN_ON}`."
            )
        };

        vec![
            required(
                CALCULATION,
                say!(
                    lang,
                    "Nom du calcul : celui de son outil.",
                    "Name of the calculation: that of its tool."
                ),
                json!({"type": "string", "enum": self.calculations()}),
            ),
            required(PARAMETERS, sent, json!({"type": "object"})),
        ]
    }

    /// The calculation that the arguments name, with its parameters.
    fn named_question(&self, arguments: &mut Arguments) -> Option<Sent<'r>> {
        let endpoint = self.named_calculation(arguments);
        let sent = arguments.parameters(PARAMETERS);
        endpoint.map(|endpoint| (endpoint, sent))
    }

    /// The calculation that an argument names.
    fn named_calculation(&self, arguments: &mut Arguments) -> Option<&'r Endpoint> {
        let name = arguments.required(
            CALCULATION,
            ("le nom d’un calcul", "the name of a calculation"),
        )?;
        self.endpoint_named(&name, CALCULATION, arguments)
    }

    /// The calculation of a name, which an argument gave.
    fn endpoint_named(
        &self,
        name: &str,
        argument: &str,
        arguments: &mut Arguments,
    ) -> Option<&'r Endpoint> {
        // The tools of a variant know its own endpoints only.
        let found = self.endpoint(name);

        if found.is_none() {
            arguments.refuse(unknown(argument, name, &self.calculations()));
        }
        found
    }

    /// The parameter that names a scale.
    fn scale_parameter(&self) -> Parameter {
        required(
            SCALE,
            say!(
                self.lang,
                "Dossier du barème, comme `salaire-net/ci` ; `chercher` les trouve.",
                "Folder of the scale, such as `salaire-net/ci`; `chercher` finds them."
            ),
            json!({"type": "string"}),
        )
    }

    /// The folders that the tools show: those of the calculations, and those without an endpoint.
    fn scales(&self) -> Vec<&'r Folder> {
        let served = |folder: &Folder, endpoint: &Endpoint| {
            self.rules
                .members(endpoint)
                .any(|(_, member)| std::ptr::eq(member, folder))
        };

        let is_shown = |folder: &&Folder| {
            let is_own = self
                .endpoints
                .iter()
                .any(|endpoint| served(folder, endpoint));
            // A folder of another variant's endpoint is not of this one.
            is_own
                || !self
                    .rules
                    .service()
                    .endpoints
                    .iter()
                    .any(|endpoint| served(folder, endpoint))
        };
        self.rules.folders().filter(is_shown).collect()
    }

    /// Finds a scale by name.
    fn scale(&self, name: &str) -> Result<&'r Folder, BadParameter> {
        let all = self.scales();

        // A path may be written with a slash at either end.
        let found = all
            .iter()
            .find(|folder| folder.path() == name.trim_matches('/'))
            .copied();

        found.ok_or_else(|| {
            let paths: Vec<&str> = all.iter().map(|folder| folder.path()).collect();
            if name.is_empty() {
                missing(SCALE, bareme_engine::text::Text::same(paths.join(", ")))
            } else {
                unknown(SCALE, name, &paths)
            }
        })
    }
}
