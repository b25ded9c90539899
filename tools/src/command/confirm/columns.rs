//! The columns of a sheet, in French and in English: those of one folder, and those of a year.

use bareme_engine::Lang;

/// A column of a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Folder,
    Day,
    Figure,
    Row,
    Article,
    Before,
    Proposed,
    Change,
    Alarm,
    Value,
    Source,
    Because,
    SourceTitle,
    SourcePublisher,
    SourceDate,
    SourceUrl,
}

impl Column {
    /// Those of a sheet of one folder.
    pub(super) const OF_FOLDER: [Self; 7] = [
        Self::Figure,
        Self::Row,
        Self::Before,
        Self::Proposed,
        Self::Value,
        Self::Source,
        Self::Because,
    ];

    /// Those of a sheet of many folders.
    pub(super) const OF_YEAR: [Self; 16] = [
        Self::Folder,
        Self::Day,
        Self::Figure,
        Self::Row,
        Self::Article,
        Self::Before,
        Self::Proposed,
        Self::Change,
        Self::Alarm,
        Self::Value,
        Self::Source,
        Self::Because,
        Self::SourceTitle,
        Self::SourcePublisher,
        Self::SourceDate,
        Self::SourceUrl,
    ];

    /// Its names: both are read back, whatever the language of the command.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Folder => ("dossier", "folder"),
            Self::Day => ("jour", "day"),
            Self::Figure => ("chiffre", "figure"),
            Self::Row => ("ligne", "row"),
            Self::Article => ("article", "article"),
            Self::Before => ("avant", "before"),
            Self::Proposed => ("propose", "proposed"),
            Self::Change => ("ecart", "change"),
            Self::Alarm => ("alarme", "alarm"),
            Self::Value => ("valeur", "value"),
            Self::Source => ("source", "source"),
            Self::Because => ("motif", "because"),
            Self::SourceTitle => ("titre_source", "source_title"),
            Self::SourcePublisher => ("editeur_source", "source_publisher"),
            Self::SourceDate => ("date_source", "source_date"),
            Self::SourceUrl => ("adresse_source", "source_url"),
        }
    }

    /// Its name in a language.
    pub(super) fn name(self, lang: Lang) -> &'static str {
        let (fr, en) = self.names();
        if lang == Lang::En { en } else { fr }
    }

    /// Whether a name of a file is its name.
    pub(super) fn is(self, name: &str) -> bool {
        let (fr, en) = self.names();
        name == fr || name == en
    }

    /// Whether it is to be filled in.
    pub(super) fn is_filled_in(self) -> bool {
        matches!(
            self,
            Self::Value
                | Self::Source
                | Self::Because
                | Self::SourceTitle
                | Self::SourcePublisher
                | Self::SourceDate
                | Self::SourceUrl
        )
    }

    /// Its width in a workbook, in characters.
    pub(super) fn width(self) -> u32 {
        match self {
            Self::Day | Self::Change | Self::SourceDate => 12,
            Self::Before | Self::Proposed | Self::Value => 15,
            Self::Folder | Self::Source | Self::SourcePublisher => 22,
            Self::Figure | Self::Row | Self::Because | Self::SourceUrl => 30,
            Self::Article | Self::Alarm | Self::SourceTitle => 48,
        }
    }
}
