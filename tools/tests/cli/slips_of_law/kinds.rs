//! The kinds of slips: what a hand does to which file.

use super::Draw;
use super::changes as to;
use super::edits::{Written, change, change_line, change_rows, change_word};

/// The file that a slip is made in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Scale,
    Method,
    Cases,
    Service,
}

/// What is done, in a section of the file.
pub(super) enum Edit {
    /// One text in the place of another.
    Word(&'static str, &'static str, &'static str),
    /// A value that a rule keeps becomes another one.
    Value(
        &'static str,
        fn(&Written) -> bool,
        fn(&str, &mut Draw) -> Option<String>,
    ),
    /// A line that a rule keeps becomes another one.
    Line(&'static str, fn(&str) -> bool, fn(&str) -> String),
    /// The rows of a table, one of them by its place.
    Rows(fn(Vec<String>, usize) -> Option<Vec<String>>),
    /// The whole file.
    Whole(fn(&str, &mut Draw) -> Option<String>),
}

/// A kind of slip.
pub(super) struct Kind {
    pub name: &'static str,
    pub target: Target,
    edit: Edit,
}

impl Kind {
    /// The text with a slip of this kind, if it has a place for one.
    pub(super) fn made(&self, text: &str, draw: &mut Draw) -> Option<String> {
        match &self.edit {
            Edit::Word(section, from, to) => change_word(text, section, draw, (from, to)),
            Edit::Value(section, is_meant, to) => change(text, section, draw, is_meant, to),
            Edit::Line(section, is_meant, to) => change_line(text, section, draw, is_meant, to),
            Edit::Rows(to) => change_rows(text, draw, to),
            Edit::Whole(to) => to(text, draw),
        }
    }
}

macro_rules! kinds {
    ($($target:ident $name:literal $edit:ident($($part:expr),+);)*) => {
        pub(super) const KINDS: &[Kind] = &[
            $(Kind { name: $name, target: Target::$target, edit: Edit::$edit($($part),+) },)*
        ];
    };
}

kinds! {
    // Figures.
    Scale "an amount: two digits exchanged" Value("figures", Written::is_amount, to::exchanged);
    Scale "an amount: another digit" Value("figures", Written::is_amount, to::another_digit);
    Scale "an amount: a zero more" Value("figures", Written::is_amount, to::ten_times);
    Scale "an amount: its last digit lost" Value("figures", Written::is_amount, to::a_tenth);
    Scale "an amount: another sign" Value("figures", Written::is_amount, to::negative);
    Scale "an amount: a point between thousands" Value("figures", Written::is_amount, to::points);
    Scale "an amount: a comma between thousands" Value("figures", Written::is_amount, to::commas);
    Scale "an amount: apostrophes" Value("figures", Written::is_amount, to::apostrophes);
    Scale "an amount: no-break spaces" Value("figures", Written::is_amount, to::thin_spaces);
    Scale "an amount: its currency after it" Value("figures", Written::is_amount, to::euros);
    Scale "an amount: that of another figure" Whole(to::of_another_figure);
    Scale "two amounts exchanged" Whole(to::amounts_exchanged);
    Scale "a rate: two digits exchanged" Value("figures", Written::is_rate, to::exchanged);
    Scale "a rate: another digit" Value("figures", Written::is_rate, to::another_digit);
    Scale "a rate: its point lost" Value("figures", Written::is_rate, to::without_point);
    Scale "a rate: a decimal comma" Value("figures", Written::is_rate, to::decimal_comma);
    Scale "a rate: without its percent" Value("figures", Written::is_rate, to::without_percent);
    Scale "a rate: a hundredth of it" Value("figures", Written::is_rate, to::a_hundredth);
    Scale "a rate: per thousand" Value("figures", Written::is_rate, to::per_thousand);
    Scale "a value lost" Value("figures", Written::is_amount, to::nothing);
    Scale "a figure lost" Line("figures", to::is_figure, to::no_line);
    Scale "a figure twice" Line("figures", to::is_figure, to::twice);
    Scale "a key misspelt" Word("figures", "source: ", "sources: ");
    Scale "a column misspelt" Word("figures", "rate: ", "rates: ");

    // Rows.
    Scale "a row lost" Rows(to::row_lost);
    Scale "a row twice" Rows(to::row_twice);
    Scale "two rows exchanged" Rows(to::rows_exchanged);
    Scale "the values of two rows exchanged" Rows(to::values_exchanged);
    Scale "a row with the value of the next" Rows(to::value_copied);
    Scale "below for up_to" Word("figures", "up_to: ", "below: ");
    Scale "up_to for below" Word("figures", "below: ", "up_to: ");
    Scale "over for from" Word("figures", "from: ", "over: ");

    // Periods, sources, days.
    Scale "a month for a year" Word("figures", "per: year", "per: month");
    Scale "a year for a month" Word("figures", "per: month", "per: year");
    Scale "a period lost" Word("figures", "per: month, ", "");
    Scale "another source of the file" Whole(to::another_source);
    Scale "a source of another file" Value("figures", to::is_source, to::unknown_source);
    Scale "a source lost" Line("sources", to::any, to::no_line);
    Scale "a source without its kind" Word("sources", "kind: law, ", "");
    Scale "a source of the year before" Value("sources", to::is_date, to::year_before);
    Scale "a source of the year after" Value("sources", to::is_date, to::year_after);
    Scale "a source that is a bill" Word("sources", "title: \"", "title: \"Projet : ");
    Scale "a day that is none" Value("sources", to::is_date, to::no_day);
    Scale "a French day" Value("sources", to::is_date, to::french_day);
    Scale "a title of another year" Whole(to::title_of_another_year);
    Scale "known for three years more" Whole(to::known_for_long);
    Scale "ended before it starts" Whole(to::ended_early);

    // Signs, and half an edit.
    Scale "a tab in a margin" Line("figures", to::is_indented, to::tab);
    Scale "typographic quotes" Line("sources", to::is_titled, to::typographic_quotes);
    Scale "a quote not closed" Line("sources", to::is_titled, to::open_quote);
    Scale "a brace not closed" Line("figures", to::is_braced, to::open_brace);
    Scale "a line cut in its middle" Line("figures", to::is_long, to::half);
    Scale "a file cut in its middle" Whole(to::half_file);
    Scale "two versions left by git" Line("figures", to::is_braced, to::two_versions);
    Scale "no space after a colon" Word("figures", "source: ", "source:");
    Scale "a no-break space in a margin" Line("figures", to::is_indented, to::no_break);
    Scale "a margin too wide" Line("figures", to::is_figure, to::wider);
    Scale "lines that end as in Windows" Whole(to::windows_lines);

    // The method.
    Method ">= for >" Word("steps", " > ", " >= ");
    Method "> for >=" Word("steps", " >= ", " > ");
    Method "<= for <" Word("steps", " < ", " <= ");
    Method "max for min" Word("steps", "min(", "max(");
    Method "min for max" Word("steps", "max(", "min(");
    Method "at_least for at_most" Word("steps", "at_most: ", "at_least: ");
    Method "and for or" Word("steps", " or ", " and ");
    Method "plus for minus" Word("steps", " - ", " + ");
    Method "minus for plus" Word("steps", " + ", " - ");
    Method "a limit lost" Word("steps", ", at_least: 0", "");
    Method "a rounding lost" Word("steps", ", round: 0.01", "");
    Method "a rounding to ten times the unit" Word("steps", "round: 1", "round: 10");
    Method "a rounding to a tenth of the unit" Word("steps", "round: 0.01", "round: 0.001");
    Method "monthly for annual" Word("steps", "annual(", "monthly(");
    Method "a step lost" Line("steps", to::is_step, to::no_line);
    Method "a name misspelt in a formula" Word("steps", "brut", "burt");
    Method "an input no longer required" Word("inputs", "required: true", "optional: true");
    Method "a bound a thousand times less" Word("inputs", " 000 000", " 000");
    Method "the folder of another place" Whole(to::another_folder);

    // The cases.
    Cases "an expected amount: another digit" Value("cases", to::is_expected, to::another_digit);
    Cases "an expected amount: digits exchanged" Value("cases", to::is_expected, to::exchanged);
    Cases "an expected field misspelt" Word("cases", "expect: {", "expect: {n");
    Cases "a case of another decade" Value("cases", to::is_date, to::another_decade);
    Cases "a case that expects nothing" Line("cases", to::is_case, to::without_expect);
    Cases "a case twice" Line("cases", to::is_case, to::twice);
    Cases "an origin that says nothing" Word("cases", "kind: hand", "kind: main");
    Cases "an absent field misspelt" Word("cases", "expect: {", "absent: brutt, expect: {");

    // The service.
    Service "an endpoint of no folder" Word("endpoints", "folder: ", "folder: x");
    Service "an endpoint lost from a variant" Word("variants", "ir; ", "");
    Service "an endpoint twice" Line("endpoints", to::is_endpoint, to::twice);
    Service "a family chosen by another word" Word("endpoints", "by: pays", "by: country");
    Service "a plan of a tenth of its calls" Value("variants", to::is_quota, to::a_tenth);
    Service "a plan of ten times its calls" Value("variants", to::is_quota, to::ten_times);
    Service "a prefix without its slash" Word("variants", "prefix: /", "prefix: ");
    Service "a key misspelt" Word("variants", "calls_per_day", "call_per_day");
    Service "a French truth" Word("variants", ": true", ": oui");
}
