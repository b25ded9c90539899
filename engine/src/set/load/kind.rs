//! The files of a folder by their names.

use std::sync::Arc;

use jiff::civil::Date;

use crate::law::source::parse_date;
use crate::text::{Problem, RuleFile};

use super::corrected_name;
use super::picture::PICTURE;
use super::translation::TRANSLATION;

/// Kind of a file of a folder, by name.
pub(super) enum FileKind<'n> {
    Method(&'n str),
    Scale(Date),
    Cases,
    Translation,
    Picture,
}

impl<'n> FileKind<'n> {
    pub(super) fn from_name(name: &'n str) -> Option<Self> {
        if name == PICTURE {
            return Some(Self::Picture);
        }
        let stem = name.strip_suffix(".yaml")?;
        match parse_date(stem) {
            Some(date) => Some(Self::Scale(date)),
            None if stem == "cases" => Some(Self::Cases),
            None if name == TRANSLATION => Some(Self::Translation),
            None => (stem == "method" || stem.starts_with("method-")).then_some(Self::Method(stem)),
        }
    }
}

/// The problem of a name that is not one of a rule file; `files` are the others of the folder.
pub(super) fn misnamed(name: &str, files: &[Arc<RuleFile>]) -> Problem {
    let near = Some(corrected_name(name))
        .filter(|near| FileKind::from_name(near).is_some() && near != name);

    // With both names there, `did you mean` would make an author overwrite one by the other.
    if let Some(twin) = near
        .clone()
        .filter(|near| files.iter().any(|file| file.name() == near))
    {
        return Problem::FileBesideItsTwin {
            name: name.to_owned(),
            twin,
        };
    }

    let looks_like_a_day = |stem: &str| {
        stem.len() == 10
            && stem
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'-')
            && stem.contains('-')
    };
    let name = name.to_owned();
    match name
        .strip_suffix(".yaml")
        .filter(|stem| near.is_none() && looks_like_a_day(stem))
    {
        Some(_) => Problem::NoSuchDay { name },
        None => Problem::UnexpectedFile { name, near },
    }
}
