//! Options of a method: parts of the law that a boolean input switches on, such as the employer's
//! side of a payslip. The entries of an option come after the method's own figures, steps, checks
//! and fields, and only the option reads them. the option reads it.

use std::ops::Range;

use crate::law::formula::Scope;
use crate::law::{Expr, InputId, Presence, Type};
use crate::text::{Node, PlacedText, Problem, Report};

/// Greatest number of options of a method: references are prepared for each combination of them.
pub(crate) const MOST_OPTIONS: usize = 4;

/// A part of the law that a boolean input switches on.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["salaire-net/qc"]).load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("salaire-net/qc").ok_or("no such folder")?;
/// let method = folder.latest().ok_or("no edition")?.method();
/// for option in method.options() {
///     assert_eq!(option.input.of(method.inputs()).map(|input| &input.name), Some(&option.name));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct MethodOption {
    /// Its name, which is that of the input.
    pub name: String,
    /// The input that switches it on.
    pub input: InputId,
    pub(crate) figures: Vec<String>,
    /// Names of the parameters that set a target for one of its fields, each with the input that it
    /// replaces.
    pub(crate) parameters: Vec<(String, Option<InputId>)>,
}

/// Reads the declaration of an option, before its entries.
pub(crate) fn read_option(
    name: &PlacedText,
    node: &Node,
    scope: &mut Scope,
    report: &mut Report,
) -> Option<MethodOption> {
    let found = InputId::enumerate(&scope.inputs).find(|(_, input)| input.name == name.value);
    let is_switch =
        |presence: &Presence| matches!(presence, Presence::Default(Expr::Boolean(false), _));
    let Some((input, _)) =
        found.filter(|(_, input)| input.ty == Type::Boolean && is_switch(&input.presence))
    else {
        report.error(
            &name.place,
            Problem::OptionSwitch {
                name: name.value.clone(),
            },
        );
        return None;
    };
    scope.used.inputs.insert(input);
    let figures = node.entries_of("figures");
    let parameter = |node: &Node| {
        let stands_for = node.string_of("input")?;
        let input = scope.input(&stands_for);
        Some((node.string_of("parameter")?, input))
    };
    let parameters = node.items_of("inverse").iter().filter_map(parameter);
    Some(MethodOption {
        name: name.value.clone(),
        input,
        figures: figures.iter().map(|(name, _)| name.value.clone()).collect(),
        parameters: parameters.collect(),
    })
}

/// Reads the options that a dated file leaves out (`without`); reports names that are not options.
pub(crate) fn read_without(
    node: &Node,
    options: &[MethodOption],
    report: &mut Report,
) -> Vec<PlacedText> {
    let written = node.list_of("without");
    for text in &written {
        // In a method without options, the key itself is reported as unknown.
        if !options.is_empty() && !options.iter().any(|option| option.name == text.value) {
            let known = options.iter().map(|option| option.name.as_str());
            report.error(&text.place, Problem::unknown_option(&text.value, known));
        }
    }
    written
}

/// The problem of a name that cannot be read here: one of another option has its own message, any
/// other is `otherwise`.
pub(crate) fn unknown(name: &str, scope: &Scope, otherwise: Problem) -> Problem {
    match scope.elsewhere.iter().find(|(known, _)| known == name) {
        Some((name, option)) => Problem::OtherOption {
            name: name.clone(),
            option: option.clone(),
        },
        None => otherwise,
    }
}

/// The names of the figures and steps of each option, each with the name of its option.
pub(crate) fn names(options: &[(PlacedText, Node)]) -> Vec<(String, String)> {
    let of_option = |(option, node): &(PlacedText, Node)| {
        let entries = ["figures", "steps"]
            .into_iter()
            .filter_map(|key| node.get(key))
            .flat_map(Node::entries);
        entries
            .map(|(name, _)| (name.value.clone(), option.value.clone()))
            .collect::<Vec<_>>()
    };
    options.iter().flat_map(of_option).collect()
}

/// Reports a name that is already taken in the method.
pub(crate) fn check_new(
    name: &PlacedText,
    mut known: impl Iterator<Item = impl AsRef<str>>,
    report: &mut Report,
) {
    if known.any(|known| known.as_ref() == name.value) {
        report.error(
            &name.place,
            Problem::NameTaken {
                name: name.value.clone(),
            },
        );
    }
}

/// The options that are on, as a bit set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct OptionSet(usize);

impl OptionSet {
    /// Every combination of so many options.
    pub(crate) fn all(options: usize) -> impl Iterator<Item = Self> {
        (0..1 << options.min(MOST_OPTIONS)).map(Self)
    }

    pub(crate) fn switch_on(&mut self, option: usize) {
        self.0 |= 1 << option;
    }

    /// Whether the entries of an option run; those of the method itself (`None`) always do.
    pub(crate) fn runs(self, option: Option<usize>) -> bool {
        option.is_none_or(|option| self.0 >> option & 1 == 1)
    }

    /// Index of the combination, among all.
    pub(crate) fn index(self) -> usize {
        self.0
    }
}

/// Index range of an option's entries in an ordered list; none: the method's own, which come first.
pub(crate) fn range<T>(
    list: &[T],
    option: Option<usize>,
    of: impl Fn(&T) -> Option<usize>,
) -> Range<usize> {
    list.partition_point(|one| of(one) < option)..list.partition_point(|one| of(one) <= option)
}

#[cfg(test)]
mod tests {
    use crate::run::folder::Folder;
    use crate::testing::{
        GROSS, TODAY, errors, method, query, read, refused, scale, shown, shown_all,
    };

    const SWITCHES: &str = "  employeur: {type: boolean, default: false, label: Employeur}
  taux: {type: rate, default: 2%, min: 0%, max: 5%, label: Taux}
";
    const OWN: &str = "figures:
  p: {rate: rate}
steps:
  retenue: {contribution: brut, with: p}
  net: brut - retenue
answer:
  net: net
  source: scale.source
checks:
  - {if: net < brut * 0.95, warn: Peu., code: peu}
";
    const OPTION: &str = "options:
  employeur:
    checks:
      - {if: cadre, refuse: Pas de cadre., input: cadre}
      - {if: cout > brut, warn: Cher., code: cher}
    figures:
      c: {rate: rate}
    steps:
      charge: {contribution: brut, rate: c.rate + taux}
      cout: brut + charge
    answer:
      cout: cout
      lignes: {lines: charge, as: percent}
";
    const FIGURES: &str = "  p: {rate: 10%, source: s}\n";
    const SOURCES: &str = "  s: {kind: law, title: Source, publisher: Éditeur}\n";
    const OTHER: &str = "  autre: {kind: law, title: Autre, publisher: Éditeur}\n";

    fn with_option(option: &str) -> String {
        format!("{GROSS}{SWITCHES}{OWN}{option}")
    }

    /// The dated file of a method with the option, whose figures cite their own source.
    fn whole_scale() -> String {
        let figures = scale(&format!(
            "{FIGURES}  c: {{rate: 20%, source: autre, note: Part patronale.}}\n"
        ));
        figures.replace(SOURCES, &format!("{SOURCES}{OTHER}"))
    }

    /// Scales of 2024 without the option, of 2026 with it.
    fn folder() -> Folder {
        let (old, new) = (
            scale(FIGURES).replace("sources:", "without: employeur\nsources:"),
            whole_scale(),
        );
        let method = method(&with_option(OPTION));
        let (folder, report) = read(&[
            ("method.yaml", &method),
            ("2024-01-01.yaml", &old),
            ("2026-01-01.yaml", &new),
        ]);
        folder.unwrap_or_else(|| panic!("{report:?}"))
    }

    fn answer(folder: &Folder, asked: &str) -> String {
        folder
            .calculate(&(&query(asked)).into(), TODAY)
            .unwrap()
            .to_json()
    }

    #[test]
    fn it_adds_its_fields_lines_sources_and_warnings_when_it_is_on() {
        let on = |path: &str| shown(&folder(), "brut=100&employeur=true&detail=true", path);
        assert_eq!(on("cout"), "122");
        assert_eq!(on("lignes.0.taux"), "22");
        let warnings = r#"[{"code":"peu","texte":"Peu."},{"code":"cher","texte":"Cher."}]"#;
        assert_eq!(on("avertissements"), warnings);
        assert!(on("references").contains("Part patronale."));
        assert_eq!(on("etapes.2.nom"), "\"charge\"");
        // The texts of the scale are those of the method, whether the option is on or off.
        assert_eq!(on("source"), "\"Source\"");
        assert_eq!(
            refused(&folder(), "brut=100&cadre=true&employeur=true"),
            ["cadre incompatible"]
        );
    }

    #[test]
    fn where_it_is_off_the_answer_is_that_of_a_method_without_it() {
        let plain = method(&with_option(""));
        let (plain, _) = read(&[
            ("method.yaml", &plain),
            ("2026-01-01.yaml", &scale(FIGURES)),
        ]);
        for asked in [
            "brut=100",
            "brut=5&detail=1",
            "brut=100&cadre=true&employeur=false&taux=4",
            "brut=1&taux=0",
        ] {
            let (own, plain) = (folder(), plain.as_ref().unwrap());
            // The files differ, and so do their versions.
            let cut = |version: &str| version[..8].to_owned();
            let same = |text: String| {
                text.replace(own.version(), "")
                    .replace(&cut(own.version()), "")
            };
            let plainly = |text: String| {
                text.replace(plain.version(), "")
                    .replace(&cut(plain.version()), "")
            };
            assert_eq!(
                same(answer(&own, asked)),
                plainly(answer(plain, asked)),
                "{asked}"
            );
        }
        // Inputs of the option are checked even where it is left out.
        assert_eq!(refused(&folder(), "brut=1&taux=6"), ["taux hors_bornes"]);
    }

    #[test]
    fn a_day_that_goes_without_it_refuses_it_and_says_from_when_it_is_known() {
        let asked = query("brut=1&employeur=oui&date=2024-05-01");
        let refusal = folder().calculate(&(&asked).into(), TODAY).unwrap_err();
        let bad = &refusal.refusal().unwrap().parameters[0];
        assert_eq!(
            (bad.name.as_str(), bad.code.as_str()),
            ("employeur", "sans_bareme")
        );
        assert!(
            bad.reason.fr.contains("1er janvier 2026"),
            "{}",
            bad.reason.fr
        );
        assert_eq!(
            shown_all(
                &folder(),
                "brut=1&employeur=non&date=2024-05-01",
                "net cout"
            ),
            "0.9 absent"
        );
    }

    #[test]
    fn a_dated_file_gives_all_of_its_figures_or_goes_without_it() {
        let codes = |scale: &str| {
            let method = method(&with_option(OPTION));
            let report = read(&[("method.yaml", &method), ("2026-01-01.yaml", scale)]).1;
            report
                .errors()
                .map(|error| error.code())
                .collect::<Vec<_>>()
        };
        let without =
            |names: &str| whole_scale().replace("sources:", &format!("without: {names}\nsources:"));
        assert_eq!(codes(&whole_scale()), Vec::<&str>::new());
        assert_eq!(codes(&scale(FIGURES)), ["G02"]);
        assert_eq!(codes(&without("employeur")), ["O06"]);
        assert_eq!(codes(&without("employer")), ["O05"]);
        let plain = method(&with_option(""));
        let reported = read(&[
            ("method.yaml", &plain),
            ("2026-01-01.yaml", &without("employeur")),
        ])
        .1;
        assert_eq!(
            reported
                .errors()
                .map(|error| error.code())
                .collect::<Vec<_>>(),
            ["S01", "G01"]
        );
    }

    #[test]
    fn what_it_holds_is_read_by_itself_only() {
        let figures = "  p: {rate: 10%, source: s}\n  c: {rate: 20%, source: s}\n";
        let codes = |from: &str, to: &str| errors(&with_option(OPTION).replace(from, to), figures);
        assert_eq!(codes("net: brut - retenue", "net: brut - cout"), ["O02"]);
        assert_eq!(codes("net: brut - retenue", "net: brut * c.rate"), ["O02"]);
        assert_eq!(codes("if: net < brut", "if: cout < brut"), ["O02"]);
        assert_eq!(codes("net: net\n", "net: cout\n"), ["O02"]);
        assert_eq!(codes("net: net\n", "net: {lines: charge}\n"), ["O02"]);
        assert_eq!(codes("with: p}", "with: c, rate: taux}"), ["O02"]);
        let second = "  cadre:\n    steps:\n      x: charge + brut\n    answer:\n      x: x\n";
        assert_eq!(
            errors(&with_option(&format!("{OPTION}{second}")), figures),
            ["O02"]
        );
    }

    #[test]
    fn its_names_are_its_own_and_its_switch_is_an_input_that_is_off() {
        let figures = "  p: {rate: 10%, source: s}\n  c: {rate: 20%, source: s}\n";
        let codes = |from: &str, to: &str| errors(&with_option(OPTION).replace(from, to), figures);
        assert_eq!(
            codes(
                "      cout: brut + charge",
                "      net: brut + charge\n      cout: brut"
            ),
            ["O03"]
        );
        assert_eq!(codes("      cout: cout", "      net: cout"), ["O03"]);
        assert_eq!(
            codes(
                "      c: {rate: rate}",
                "      c: {rate: rate}\n      p: {rate: rate}"
            ),
            ["O03"]
        );
        assert_eq!(codes("  employeur:\n", "  patron:\n"), ["O01"]);
        assert_eq!(
            codes(
                "employeur: {type: boolean, default: false",
                "employeur: {type: boolean, default: true"
            ),
            ["O01"]
        );
        assert_eq!(
            codes(
                "employeur: {type: boolean, default: false",
                "employeur: {type: boolean, optional: true"
            ),
            ["O01"]
        );
        let many = (1..6).map(|index| {
            format!("  b{index}:\n    steps:\n      x{index}: brut\n    answer:\n      x{index}: x{index}\n")
        });
        let switches = (1..6)
            .map(|index| format!("  b{index}: {{type: boolean, default: false, label: B}}\n"));
        let keys = format!(
            "{GROSS}{}{OWN}options:\n{}",
            switches.collect::<String>(),
            many.collect::<String>()
        );
        assert_eq!(errors(&keys, FIGURES), ["O04"]);
    }

    /// A default that reads a figure of the option.
    fn with_average() -> (String, String, String) {
        let keys = with_option(OPTION).replace("default: 2%, min: 0%", "default: c.moyen, min: 1%");
        let keys = keys.replace(
            "      c: {rate: rate}",
            "      c: {rate: rate, moyen: rate}",
        );
        let new = whole_scale().replace("{rate: 20%,", "{rate: 20%, moyen: 3%,");
        (
            keys,
            scale(FIGURES).replace("sources:", "without: employeur\nsources:"),
            new,
        )
    }

    #[test]
    fn the_default_of_its_input_may_be_a_figure_of_it() {
        let (keys, old, new) = with_average();
        let files = [
            ("method.yaml", method(&keys)),
            ("2024-01-01.yaml", old),
            ("2026-01-01.yaml", new),
        ];
        let files: Vec<_> = files
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        let (folder, report) = read(&files);
        let folder = folder.unwrap_or_else(|| panic!("{report:?}"));
        assert_eq!(shown(&folder, "brut=100&employeur=true", "cout"), "123");
        assert_eq!(
            shown(&folder, "brut=100&employeur=true&taux=1", "cout"),
            "121"
        );
        assert_eq!(
            shown_all(&folder, "brut=100&taux=4&date=2025-01-01", "net cout"),
            "90 absent"
        );
        assert_eq!(
            refused(&folder, "brut=100&taux=0.5&date=2025-01-01"),
            ["taux hors_bornes"]
        );
    }

    #[test]
    fn an_input_whose_default_is_a_figure_of_it_is_read_by_it_only() {
        let (keys, _, new) = with_average();
        let codes = |keys: &str, scale: &str| {
            let report = read(&[("method.yaml", &method(keys)), ("2026-01-01.yaml", scale)]).1;
            report
                .errors()
                .map(|error| error.code())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            codes(
                &keys.replace("net: brut - retenue", "net: brut * taux"),
                &new
            ),
            ["O02"]
        );
        let above =
            "  autre: {type: rate, default: taux, min: 0%, max: 5%, label: Autre}\nfigures:\n  p";
        let with_another = keys.replacen("figures:\n  p", above, 1);
        assert_eq!(
            codes(
                &with_another.replace("net: brut - retenue", "net: brut * autre"),
                &new
            ),
            ["O02"]
        );
        // The value of the figure must be one that a caller could send.
        assert_eq!(
            codes(&keys, &new.replace("moyen: 3%", "moyen: 30%")),
            ["I13"]
        );
    }
}
