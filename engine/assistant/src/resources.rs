//! Resources that an assistant may read: a page for each scale, and the words of each family, such
//! as the countries.

use bareme_engine::law::Source;
use bareme_engine::run::Edition;
use bareme_engine::{Folder, say};
use bareme_show::figures::{self, remark, remarks, side_by_side, title};
use bareme_show::{Table, schema, steps, unit};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

use crate::Assistant;

/// Prefix of the addresses of scales, followed by the path of a folder, and optionally a day.
const SCALES: &str = "bareme://baremes/";
/// Prefix of the addresses of the words of families, followed by the parameter that selects them.
const WORDS: &str = "bareme://mots/";

const MARKDOWN: &str = "text/markdown";

impl Assistant<'_> {
    /// The resources: the words of families first, then the scales.
    pub fn resources(&self) -> Vec<Resource> {
        let of_words = self.selectors().into_iter().map(|by| {
            let title = say!(self.lang, "Valeurs de `{by}`", "Values of `{by}`");
            Resource::new(format!("{WORDS}{by}"), by)
                .with_title(title)
                .with_mime_type(MARKDOWN)
        });

        let of_scales = self.rules.folders().map(|folder| {
            let path = folder.path();
            Resource::new(format!("{SCALES}{path}"), path)
                .with_title(folder.title())
                .with_mime_type(MARKDOWN)
        });

        of_words.chain(of_scales).collect()
    }

    /// The templates of addresses with a variable part.
    pub fn resource_templates(&self) -> Vec<ResourceTemplate> {
        let title = say!(
            self.lang,
            "Barème en vigueur à une date",
            "Scale in force on a date"
        );
        vec![
            // `{+bareme}` keeps the slashes of a path (RFC 6570).
            ResourceTemplate::new(format!("{SCALES}{{+bareme}}/{{date}}"), "bareme")
                .with_title(title)
                .with_mime_type(MARKDOWN),
        ]
    }

    /// A resource by its address, in Markdown; `None` for an unknown address.
    pub fn read(&self, uri: &str) -> Option<ResourceContents> {
        let text = match (uri.strip_prefix(WORDS), uri.strip_prefix(SCALES)) {
            // Only parameters that select a folder have a page of words.
            (Some(by), _) => self.words(self.selectors().into_iter().find(|known| *known == by)?),
            (None, Some(path)) => self.scale_of(path)?,
            (None, None) => return None,
        };

        Some(ResourceContents::text(text, uri).with_mime_type(MARKDOWN))
    }

    /// The parameters that select a folder of a family, each once.
    fn selectors(&self) -> Vec<&str> {
        let mut found: Vec<&str> = self
            .endpoints
            .iter()
            .filter_map(|endpoint| endpoint.by.as_deref())
            .collect();
        // Endpoints of one family follow each other in the file of the service.
        found.dedup();
        found
    }

    /// The words of a parameter, by calculation: of a family, or of a choice input with that name.
    fn words(&self, by: &str) -> String {
        let mut out = format!("# {by}\n");
        // All calculations are listed: the same parameter may select in one and be an input of
        // another.
        for endpoint in &self.endpoints {
            let mut table = Table::default()
                .text(say!(self.lang, "Valeur", "Value"))
                .text(say!(self.lang, "Nom", "Name"))
                .text(say!(self.lang, "Monnaie", "Currency"));

            for (word, folder) in self.rules.members(endpoint) {
                let currency = folder
                    .latest()
                    .and_then(|edition| edition.method().currency.clone());
                let currency = currency.unwrap_or_default();

                if endpoint.by.as_deref() == Some(by) {
                    let name = folder
                        .aliases()
                        .first()
                        .map(|alias| alias.name.clone())
                        .unwrap_or_default();
                    table.row([
                        word.unwrap_or_default().into(),
                        name.into(),
                        currency.into(),
                    ]);
                    continue;
                }

                let inputs = folder.inputs();
                let choice = inputs
                    .iter()
                    .find(|input| input.name == by)
                    .map(|input| input.values.as_slice());

                for (word, name) in choice.unwrap_or_default() {
                    table.row([
                        word.as_str().into(),
                        name.as_str().into(),
                        currency.as_str().into(),
                    ]);
                }
            }

            if !table.is_empty() {
                out.push_str(&format!(
                    "\n## {} (`{}`)\n\n{}",
                    endpoint.title,
                    endpoint.name,
                    table.markdown()
                ));
            }
        }

        out
    }

    /// The page of a folder, for the day that may follow its path.
    fn scale_of(&self, path: &str) -> Option<String> {
        // The path itself may contain slashes: a folder is looked up before a last part is taken
        // for a day.
        // Where no scale is in force today, the page shows the latest one.
        if let Some(folder) = self.rules.folder(path) {
            return Some(self.page(
                folder,
                folder.edition(self.today).or_else(|| folder.latest())?,
            ));
        }

        let (path, day) = path.rsplit_once('/')?;
        let folder = self.rules.folder(path)?;
        Some(self.page(folder, folder.edition(day.parse().ok()?)?))
    }

    fn page(&self, folder: &Folder, edition: &Edition) -> String {
        let (lang, method) = (self.lang, edition.method());

        let mut out = format!("# {}\n\n", method.title);

        if let Some(scale) = edition.scale() {
            let (since, until) = (
                self.locale().day(scale.date),
                self.locale().day(scale.known_until),
            );
            out.push_str(&say!(
                lang,
                "Barème en vigueur depuis le {since}, vérifié jusqu’au {until}.\n\n",
                "Scale in force since {since}, verified until {until}.\n\n"
            ));
        }

        // Other editions have pages of their own, by the template of addresses.
        let dates = folder
            .editions()
            .iter()
            .filter_map(Edition::scale)
            .map(|scale| scale.date.to_string());

        let dates = dates.collect::<Vec<_>>().join(", ");
        if !dates.is_empty() {
            out.push_str(&say!(
                lang,
                "Éditions : {dates}.\n\n",
                "Editions: {dates}.\n\n"
            ));
        }

        out.push_str(&format!(
            "{}\n\n<{}>\n",
            edition.citation(),
            self.page_link(folder)
        ));

        let mut section = |heading: String, table: &Table| {
            if !table.is_empty() {
                out.push_str(&format!("\n## {heading}\n\n{}", table.markdown()));
            }
        };

        section(
            say!(lang, "Paramètres", "Parameters"),
            &self.parameters(folder),
        );
        section(say!(lang, "Chiffres", "Figures"), &self.figures(edition));
        section(
            say!(lang, "Calcul", "Computation"),
            &self.computation(edition),
        );

        // Remarks and sources come last: what an assistant reads first are the figures.
        let found = remarks(edition);
        if !found.is_empty() {
            out.push_str(&say!(lang, "\n## Réserves\n\n", "\n## Doubts\n\n"));
            for (figure, found) in found {
                out.push_str(&format!(
                    "- {}\n",
                    remark(&title(method, figure), found, lang)
                ));
            }
        }

        let sources = edition
            .scale()
            .map_or(&method.sources, |scale| &scale.sources);
        out.push_str(&format!(
            "\n## Sources\n\n{}",
            sources.iter().map(source_line).collect::<String>()
        ));

        out
    }

    fn parameters(&self, folder: &Folder) -> Table {
        let mut table = Table::default()
            .text(say!(self.lang, "Nom", "Name"))
            .text(say!(self.lang, "Ce que c’est", "What it is"));

        for parameter in schema::of_folder(folder) {
            table.row([parameter.name.into(), parameter.description.into()]);
        }

        table
    }

    fn figures(&self, edition: &Edition) -> Table {
        let method = edition.method();

        let mut table = Table::default()
            .text(say!(self.lang, "Nom", "Name"))
            .text(say!(self.lang, "Chiffre", "Figure"))
            .number(say!(self.lang, "Valeur", "Value"))
            .text(say!(self.lang, "Unité", "Unit"));

        for line in side_by_side(&[edition]) {
            // A value that this edition does not have has no line.
            let Some((found, ty)) = line.values.first().and_then(Option::as_ref) else {
                continue;
            };

            let label = format!("{}, {}", title(method, line.figure), line.label());
            let value = figures::value(found, *ty, method, self.locale());
            let counted = unit(*ty, method.currency.as_deref(), self.lang).unwrap_or_default();

            table.row([
                line.figure.into(),
                label.into(),
                value.into(),
                counted.into(),
            ]);
        }

        table
    }

    fn computation(&self, edition: &Edition) -> Table {
        let method = edition.method();

        let mut table = Table::default()
            .text(say!(self.lang, "Étape", "Step"))
            .text(say!(self.lang, "Calcul", "Computation"))
            .text(say!(self.lang, "Article", "Article"));

        for step in method.steps() {
            let law = step.law.clone().unwrap_or_default();
            table.row([
                step.title().into(),
                steps::sentence(method, step, self.lang).into(),
                law.into(),
            ]);
        }

        table
    }
}

/// A source as a line of a list.
fn source_line(source: &Source) -> String {
    let cited = source.cited();
    match &source.url {
        Some(url) => format!("- [{cited}]({url})\n"),
        None => format!("- {cited}\n"),
    }
}
