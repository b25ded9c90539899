//! An edition of a folder: the scale of a day with its method, compiled to a program.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use jiff::civil::Date;

use crate::law::answer::{FieldContent, ItemMember};
use crate::law::formula::When;
use crate::law::members::{LINE, PAYMENT, PAYSLIP, ROW_RESERVE, SLICE, SLICE_CONSTANT, SLICE_TAX};
use crate::law::{
    Expr, Field, Figure, FigureId, Member, MemberType, Method, Scale, Step, StepId, Type,
};
use crate::run::error::InternalFault;
use crate::run::program::{Figures, Program};
use crate::text::date_in_words::since;
use crate::text::{Lang, Report};

/// A dated scale with its program; without a scale for a method without dates.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["tva"])
/// #     .load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let edition = folder.edition(jiff::civil::date(2026, 3, 31)).ok_or("no scale on that day")?;
/// let scale = edition.scale().ok_or("a method without dates")?;
/// assert!(scale.date <= jiff::civil::date(2026, 3, 31));
/// assert!(edition.citation().contains(", au 1er janvier 2014 ("));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Edition {
    pub(crate) scale: Option<Scale>,
    pub(crate) method: Arc<Method>,
    /// The same scale from the days on which another folder changes one of its figures, or reaches
    /// another edition by one of its steps.
    later: Vec<Self>,
    /// The compiled program; empty until the edition is first run, once its folder was checked as a
    /// whole.
    program: OnceLock<Result<Program, InternalFault>>,
    /// The version of its law.
    version: String,
    /// The citation line of its answers, once one shows it.
    citation: OnceLock<String>,
}

/// Number of the last month, December.
const MONTHS: i8 = 12;
/// The name of the rules in citations.
const NAME: &str = "Barème";
/// Digits of a version in a citation: enough to distinguish sets of files.
const VERSION_DIGITS: usize = 8;

impl Edition {
    /// A method with the figures of a dated scale, or without; not compiled yet.
    pub(crate) fn new(method: &Arc<Method>, scale: Option<Scale>) -> Self {
        Self {
            scale,
            method: Arc::clone(method),
            later: Vec::new(),
            program: OnceLock::new(),
            version: String::new(),
            citation: OnceLock::new(),
        }
    }

    /// An edition that no later dated file ends, to ask what another one would answer.
    pub(crate) fn alone(method: &Arc<Method>, scale: Scale, report: &mut Report) -> Self {
        let mut edition = Self::new(method, Some(scale));
        edition.follow_shared_figures(None, report);
        edition
    }

    /// Adds the later days, up to the end of the scale, on which another folder changes one of its
    /// figures, or reaches another edition by one of its steps; mistakes go to the report.
    pub(crate) fn follow_shared_figures(&mut self, next: Option<Date>, report: &mut Report) {
        let Some(scale) = &self.scale else { return };
        // Beyond the days for which the scale itself is known, it is applied as it was last known.
        let known = scale.last_known().tomorrow().ok();
        let end = next.into_iter().chain(known).min();

        let callees = &self.method.symbols.callees;
        let shapes = self.method.figures().iter();
        let mut days: BTreeSet<Date> = shapes
            .flat_map(|shape| callees.changes(shape, scale.date, end))
            .collect();

        // Steps that calculate another folder use its edition of the day, even beyond the last known
        // day of this scale.
        let calls = self.method.steps().iter().flat_map(Step::call_changes);
        let is_inside = |day: &Date| scale.date < *day && next.is_none_or(|next| *day < next);
        days.extend(calls.filter(is_inside));

        let later = days.into_iter().map(|day| {
            Self::new(
                &self.method,
                Some(scale.starting_on(day, &self.method, report)),
            )
        });
        self.later = later.collect();
    }

    /// This edition, or the same scale from a later day on which another folder changed one of its
    /// figures: the one for a day.
    pub(crate) fn on(&self, day: Date) -> &Self {
        let has_started = |edition: &&Self| edition.first_day().is_some_and(|first| first <= day);
        self.later.iter().rfind(has_started).unwrap_or(self)
    }

    /// This edition, then those of later days on which other folders change its figures.
    pub(crate) fn with_later(&self) -> impl Iterator<Item = &Self> + Clone {
        std::iter::once(self).chain(&self.later)
    }

    /// Whether another edition of its folder is of the same dated file, on whichever day.
    pub fn is_of_file_of(&self, other: &Self) -> bool {
        match (self.scale(), other.scale()) {
            (Some(own), Some(other)) => own.date == other.date,
            _ => std::ptr::eq(self, other),
        }
    }

    /// The first day on which it answers; `None` for a method without dates.
    pub(crate) fn first_day(&self) -> Option<Date> {
        Some(self.scale.as_ref()?.first_day)
    }

    /// The compiled program; compiles it where that was put off.
    ///
    /// # Errors
    /// An internal error where it does not compile, although a record of checked folders says that
    /// it does.
    pub(crate) fn program(&self) -> Result<&Program, InternalFault> {
        self.compile(&mut Report::default())
    }

    /// The compiled program, like [`program`](Self::program); reports mistakes that only show when
    /// it is compiled.
    pub(crate) fn compile(&self, report: &mut Report) -> Result<&Program, InternalFault> {
        let compiled = self.program.get_or_init(|| {
            let mut own = Report::default();
            let program = Program::compile(&self.method, &self.figures(), &mut own);

            // Errors are reported by the first caller only: whoever asks for the program later gets
            // the fault that is kept.
            let is_ok = own.is_ok();
            report.extend(own);

            if is_ok {
                Ok(program)
            } else {
                Err(InternalFault::new(&self.method.name))
            }
        });

        compiled.as_ref().map_err(Clone::clone)
    }

    /// Drops the compiled program, which the next calculation compiles again.
    pub(crate) fn forget_program(&mut self) {
        self.program.take();
        self.later.iter_mut().for_each(Self::forget_program);
    }

    /// Whether its program is compiled.
    #[cfg(test)]
    pub(crate) fn is_compiled(&self) -> bool {
        self.program.get().is_some()
    }

    /// The compiled program, to be broken by a test.
    #[cfg(test)]
    pub(crate) fn program_mut(&mut self) -> &mut Program {
        self.program.get_mut().unwrap().as_mut().unwrap()
    }

    /// The figures that its method is compiled with.
    fn figures(&self) -> Figures<'_> {
        match &self.scale {
            Some(scale) => Figures {
                date: Some(scale.date),
                sources: &scale.sources,
                citation: scale.citation.as_deref(),
                figures: &scale.figures,
            },
            None => Figures {
                date: None,
                sources: &self.method.sources,
                citation: self.method.citation.as_deref(),
                figures: &[],
            },
        }
    }

    /// Year and month that formulas read, in a calculation of one month: never beyond the last year
    /// that the scale is checked for.
    pub(crate) fn when(&self, date: Date) -> When {
        let last = self
            .scale()
            .map_or(date.year(), |scale| scale.known_until.year());

        When {
            year: date.year().min(last),
            month: date.month(),
            days: date.days_in_month(),
            months: 1,
            last: date.month() == MONTHS,
            day: self.method.depends_on_the_day().then_some(date),
        }
    }

    /// Sets the version of its law, and of each of its later days, to what is computed of these.
    pub(crate) fn set_version(&mut self, version: &impl Fn(&Self) -> String) {
        self.version = version(self);
        self.later
            .iter_mut()
            .for_each(|edition| edition.set_version(version));
    }

    /// The version of the law that it applies: its method, its figures, and the law of the folders
    /// that it calculates or takes figures from. The first 64 bits of a digest, in hexadecimal.
    ///
    /// Comments, layout, worked cases, notes and other years leave it as it is.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The folders that it calculates or takes figures from, each with the version of the law that
    /// applies on its first day.
    pub(crate) fn used_laws(&self) -> BTreeSet<(&str, &str)> {
        let day = self.first_day();
        let steps = self.method.steps().iter();
        let called = steps.filter_map(|step| Some((step.called_folder()?, step.called_law(day)?)));

        let shapes = self.method.figures().iter();
        let shared = shapes.filter_map(|shape| shape.shared.as_ref());
        let read_on = self.scale().map(|scale| scale.shared_day);
        let callees = &self.method.symbols.callees;
        let given =
            shared.filter_map(|from| Some((from.folder.as_str(), callees.law_of(from, read_on)?)));

        called.chain(given).collect()
    }

    /// The citation line of `what` in a version of the rules.
    pub(crate) fn cited(what: &str, version: &str) -> String {
        // Until its folder sets one, an edition has no version.
        let version = version.get(..VERSION_DIGITS).unwrap_or(version);
        format!("{NAME}, {what}, version {version}")
    }

    /// The citation line of its answers:
    /// `Barème, Salaire net en Côte d’Ivoire, au 1er janvier 2026 (CGI, art. 119 bis), version 8b017a56`.
    pub fn citation(&self) -> &str {
        self.citation.get_or_init(|| {
            let date = self
                .scale()
                .map(|scale| format!(", {}", since(scale.date, self.method.lang)))
                .unwrap_or_default();
            let title = &self.method.title;

            let texts = self.figures().source_text(&self.method.symbols.figures);
            // Texts of the law keep the titles under which they were published.
            let texts = match self.method.lang {
                _ if texts.is_empty() => String::new(),
                Lang::Fr => format!(" ({texts})"),
                Lang::En => format!(" (legal texts, as published: {texts})"),
            };

            Self::cited(&format!("{title}{date}{texts}"), &self.version)
        })
    }

    /// The dated scale; `None` for a method without dates.
    pub fn scale(&self) -> Option<&Scale> {
        self.scale.as_ref()
    }

    /// The method that its figures are for.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The members of the elements of a field that is an array; empty for any other field.
    pub fn members_of<'e>(&'e self, field: &'e Field) -> Vec<Member<'e>> {
        match &field.content {
            FieldContent::Lines { .. } => LINE.to_vec(),
            FieldContent::Payslip { .. } => PAYSLIP.to_vec(),
            FieldContent::Brackets(steps) => {
                // A member that no bracket of these steps can have is not documented.
                let has_constant = self.reads_constants(steps);
                let is_there = |member: &&Member| match **member {
                    SLICE_TAX => steps.len() > 1,
                    SLICE_CONSTANT => has_constant,
                    _ => true,
                };
                SLICE.iter().filter(is_there).copied().collect()
            }
            FieldContent::Schedule(_) => PAYMENT.to_vec(),
            FieldContent::Rows {
                figure, by, extra, ..
            } => self.members_of_rows(*figure, by.len(), extra),
            FieldContent::Items { members, .. } => {
                let of_item = |member: &'e ItemMember| {
                    let ty = match member.ty {
                        Type::Text | Type::Choice(_) | Type::Date => MemberType::Text,
                        Type::Boolean => MemberType::Boolean,
                        _ => MemberType::Number,
                    };
                    let label = member.label.as_deref().unwrap_or_default();
                    Member::of_method(&member.name, ty).labelled(label)
                };
                members.iter().map(of_item).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the brackets of some steps have a printed amount in each row.
    fn reads_constants(&self, steps: &[StepId]) -> bool {
        let shapes = self.method.figures();
        let read = steps
            .iter()
            .filter_map(|step| step.of(self.method.steps()))
            .flat_map(|step| &step.figures);

        // Only brackets of a table with a printed constant, such as the ones of a tax table, have
        // it.
        let mut read = read.filter_map(|figure| figure.of(shapes));
        read.any(|shape| shape.column("less").or(shape.column("plus")).is_some())
    }

    fn members_of_rows<'e>(
        &'e self,
        figure: FigureId,
        given: usize,
        extra: &'e [(String, Expr, Type)],
    ) -> Vec<Member<'e>> {
        let Some(shape) = figure.of(self.method.figures()) else {
            return Vec::new();
        };

        // The keys by which the caller's inputs choose the rows are the same in all of them, and
        // are left out.
        let keys = shape
            .keys
            .iter()
            .skip(given)
            .map(|key| Member::of_method(&key.name, MemberType::Text));

        let found = self.scale().and_then(|scale| figure.of(&scale.figures));
        let bound = shape.bound.map(|_| {
            Member::of_method(
                found.map_or("borne", Figure::bound_name),
                MemberType::Number,
            )
        });

        let of_type = |ty: Type| {
            if ty == Type::Text {
                MemberType::Text
            } else {
                MemberType::Number
            }
        };

        let columns = shape
            .columns
            .iter()
            .map(|column| Member::of_method(&column.name, of_type(column.ty)));

        let extra = extra
            .iter()
            .map(|(name, _, ty)| Member::of_method(name, of_type(*ty)));

        keys.chain(bound)
            .chain(columns)
            .chain(extra)
            .chain([ROW_RESERVE])
            .collect()
    }
}
