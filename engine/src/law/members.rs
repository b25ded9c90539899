//! The members of the objects of an answer: one table for each kind of object, which the writer,
//! the schema of the methods, [`Edition::members_of`](crate::run::Edition::members_of) and the
//! description of the interface all read.

use MemberType::{Any, Boolean, Date, Integer, Map, Number, Object, Objects, Steps, Text, Texts};

use crate::text::json::{Datum, Key};

mod year;

pub use year::{MONTH, OF_MONTHS, REFERENCE_OF_MONTHS, REMARK_OF_MONTHS, YEAR};

/// A member of an object of an answer.
///
/// ```
/// use bareme_engine::law::members::LINE;
///
/// let names: Vec<&str> = LINE.iter().map(|member| member.name).collect();
/// assert_eq!(names, ["code", "libelle", "assiette", "taux", "montant"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member<'m> {
    /// Its name in the JSON.
    pub name: &'m str,
    /// Its name as JSON with the colon, `"nom":`.
    key: &'m str,
    /// The type of its value.
    pub ty: MemberType,
    /// Whether it is always present.
    pub always: bool,
    /// Whether it may be `null`.
    pub nullable: bool,
    /// Its possible values, where they are few.
    pub values: &'static [&'static str],
    /// Its meaning, in French.
    pub label: &'m str,
}

/// The type of the value of a member.
///
/// ```
/// use bareme_engine::law::MemberType;
///
/// assert_eq!(MemberType::Date.json_type(), Some("string"));
/// assert_eq!(MemberType::Any.json_type(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemberType {
    /// A string.
    Text,
    /// A string, `2026-01-31`.
    Date,
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A number, a string or an object.
    Any,
    /// An object whose members depend on the method.
    Map,
    /// An object.
    Object(&'static [Member<'static>]),
    /// An array of whole numbers.
    Integers,
    /// An array of strings.
    Texts,
    /// An array of objects.
    Objects(&'static [Member<'static>]),
    /// An array of steps, within a step.
    Steps,
}

impl MemberType {
    /// Its JSON type; `None` where there are several.
    pub fn json_type(self) -> Option<&'static str> {
        Some(match self {
            Self::Text | Self::Date => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Map | Self::Object(_) => "object",
            Self::Texts | Self::Integers | Self::Objects(_) | Self::Steps => "array",
            Self::Any => return None,
        })
    }
}

impl<'m> Member<'m> {
    /// A member that a method names: described here, written elsewhere.
    pub(crate) const fn of_method(name: &'m str, ty: MemberType) -> Self {
        Self {
            name,
            key: "",
            ty,
            always: false,
            nullable: true,
            values: &[],
            label: "",
        }
    }

    /// Its name as JSON, to write before a value.
    pub(crate) const fn written(&self) -> Key<'m> {
        Key::written(self.name, self.key)
    }

    pub(crate) const fn labelled(self, label: &'m str) -> Self {
        Self { label, ..self }
    }

    pub(crate) const fn or_null(self) -> Self {
        Self {
            nullable: true,
            ..self
        }
    }

    pub(crate) const fn at_times(self) -> Self {
        Self {
            always: false,
            ..self
        }
    }

    const fn one_of(self, values: &'static [&'static str]) -> Self {
        Self { values, ..self }
    }
}

/// Declares a member of a table.
macro_rules! member {
    ($name:literal, $ty:expr, $label:literal) => {
        Member {
            name: $name,
            key: concat!('"', $name, "\":"),
            ty: $ty,
            always: true,
            nullable: false,
            values: &[],
            label: $label,
        }
    };
}

use member;

/// A line of a payslip.
pub const LINE: [Member; 5] = [
    member!("code", Text, "nom de l’étape"),
    member!("libelle", Text, "ce qu’elle est"),
    member!("assiette", Number, "assiette retenue").or_null(),
    member!("taux", Number, "taux appliqué").or_null(),
    member!("montant", Number, "montant de la ligne"),
];

/// A row of a payslip with the employee's and the employer's part.
pub const PAYSLIP: [Member; 6] = [
    member!("rubrique", Text, "rubrique de la ligne, s’il y en a une").or_null(),
    member!("libelle", Text, "ce qu’elle est"),
    member!(
        "assiette",
        Number,
        "assiette des deux parts ; `null` si elles diffèrent, ou s’il n’y en a pas"
    )
    .or_null(),
    member!(
        "part_salariale",
        Object(&LINE),
        "part du salarié, s’il y en a une"
    )
    .or_null(),
    member!(
        "part_patronale",
        Object(&LINE),
        "part de l’employeur, s’il y en a une"
    )
    .or_null(),
    member!(
        "information",
        Boolean,
        "`true` : ligne d’information, qui n’entre pas dans les totaux"
    )
    .at_times(),
];

/// The tax that a slice belongs to, in a field that lists the slices of several.
pub(crate) const SLICE_TAX: Member = member!("impot", Text, "impôt de la tranche").at_times();

/// The printed amount of a slice, in the scales that print one.
pub(crate) const SLICE_CONSTANT: Member =
    member!("constante", Number, "montant imprimé du barème").at_times();

/// The first member of a slice that depends on the base: those before it are constant unless the
/// bounds are multiplied.
pub(crate) const SLICE_PART: Member =
    member!("assiette", Number, "part de l’assiette dans la tranche");

/// A slice of a scale.
pub const SLICE: [Member; 7] = [
    SLICE_TAX,
    member!("de", Number, "borne inférieure"),
    member!("a", Number, "borne supérieure").or_null(),
    member!("taux", Number, "taux de la tranche"),
    SLICE_CONSTANT,
    SLICE_PART,
    member!("montant", Number, "impôt de la tranche"),
];

/// A payment of a loan.
pub const PAYMENT: [Member; 6] = [
    member!("mois", Integer, "rang de l’échéance"),
    member!("mensualite", Number, "échéance, hors assurance"),
    member!("interets", Number, "part d’intérêts"),
    member!("capital", Number, "part de capital"),
    member!("assurance", Number, "prime d’assurance"),
    member!(
        "capital_restant_du",
        Number,
        "capital restant dû après l’échéance"
    ),
];

const CONFIDENCE: Member = member!("confiance", Text, "`moyenne` ou `faible`")
    .at_times()
    .one_of(&["moyenne", "faible"]);
const NOTE: Member = member!("note", Text, "ce qu’il faut savoir").at_times();

/// Members of the remark on a listed row.
pub const ROW_REMARK: [Member; 2] = [CONFIDENCE, NOTE];

/// Members of a remark on a figure, under a source.
pub const REMARK: [Member; 3] = [
    member!("figure", Text, "chiffre du barème"),
    CONFIDENCE,
    NOTE,
];

/// A source that an answer cites.
pub const REFERENCE: [Member; 10] = [
    member!("id", Text, "nom de la source dans le barème"),
    member!("titre", Text, "titre"),
    member!("article", Text, "articles").at_times(),
    member!("editeur", Text, "qui la publie"),
    member!("parution", Text, "journal officiel, numéro, date, page").at_times(),
    member!("date", Date, "date du texte").at_times(),
    member!(
        "identifiant",
        Text,
        "identifiant stable : ELI, NOR, numéro du texte"
    )
    .at_times(),
    member!("url", Text, "adresse").at_times(),
    member!(
        "nature",
        Text,
        "`loi`, `administration`, ou avec `detail=true` `secondaire` : élément de vérification"
    )
    .one_of(&["loi", "administration", "secondaire"]),
    member!("reserves", Objects(&REMARK), "réserves sur ses chiffres").at_times(),
];

/// A calculation that a step asks of another folder.
pub const CALL: [Member; 4] = [
    member!("dossier", Text, "dossier calculé"),
    member!("date", Date, "jour de son barème").at_times(),
    member!(
        "adresse",
        Text,
        "adresse de ce même calcul, à la suite du préfixe de l’API"
    )
    .at_times(),
    member!(
        "etapes",
        Steps,
        "avec `detail=complet` : les étapes de ce calcul, dans l’ordre"
    )
    .at_times(),
];

/// A step of a calculation.
pub const STEP: [Member; 16] = [
    member!("nom", Text, "nom de l’étape"),
    member!("libelle", Text, "ce qu’elle est"),
    member!(
        "rang",
        Integer,
        "de quel élément d’un groupe elle est, à partir de 1"
    )
    .at_times(),
    member!("applique", Boolean, "`false` pour une étape sans objet ici").at_times(),
    member!("genre", Text, "genre de l’étape").at_times(),
    member!("operandes", Map, "ce qui y entre, par nom").at_times(),
    member!(
        "tranches",
        Objects(&SLICE),
        "tranches où tombe une part de l’assiette"
    )
    .at_times(),
    member!("au_moins", Number, "le montant est porté à celui-ci")
        .at_times()
        .or_null(),
    member!("au_plus", Number, "puis ramené à celui-ci")
        .at_times()
        .or_null(),
    member!("arrondi", Text, "arrondis, dans l’ordre").at_times(),
    member!(
        "cumule",
        Number,
        "dans une année de paie : le montant depuis le premier mois"
    )
    .at_times(),
    member!(
        "deja",
        Number,
        "dans une année de paie : ce que les mois précédents en ont déjà donné"
    )
    .at_times(),
    member!("resultat", Any, "ce qui en sort").at_times(),
    member!(
        "calcul",
        Object(&CALL),
        "le calcul d’un autre dossier, pour une étape qui en fait un"
    )
    .at_times(),
    member!("loi", Text, "article de la loi").at_times(),
    member!("sources", Texts, "sources, par leur `id`").at_times(),
];

/// A warning; only that of a year of pays may have months.
pub const WARNING: [Member; 4] = [
    member!("code", Text, "code stable, pour les programmes"),
    member!("texte", Text, "ce qu’il faut savoir"),
    member!("parametre", Text, "paramètre concerné, s’il n’y en a qu’un").at_times(),
    OF_MONTHS,
];

/// The day from which the scale is in force: in every answer of a method with dates.
pub const SCALE_IN_FORCE: Member = member!(
    "bareme_en_vigueur",
    Date,
    "Entrée en vigueur du barème appliqué."
)
.at_times();

/// The steps of the calculation, where a query asks for them.
pub const STEPS: Member = member!(
    "etapes",
    Objects(&STEP),
    "Avec `detail=true` ou `detail=complet` : le calcul, dans l’ordre."
)
.at_times();

/// The version of the law of a calculation, or of a year of pays.
const VERSION_OF_LAW: Member = member!(
    "version",
    Text,
    "Version du droit appliqué : méthode et chiffres, sans les autres années."
);

/// The warnings of a calculation, or of a year of pays.
pub const WARNINGS: Member = member!(
    "avertissements",
    Objects(&WARNING),
    "Ce qu’il faut savoir de ce calcul."
)
.at_times();

/// The remarks on the figures used that no reference shows.
pub const REMARKS: Member = member!(
    "reserves",
    Objects(&REMARK),
    "Réserves sur les chiffres utilisés qu’aucune référence ne fonde."
)
.at_times();

/// Names of the members that depend on every step: the rows that the steps find are cited.
pub(crate) const OF_ALL_STEPS: [&str; 3] = ["references", REMARKS.name, STEPS.name];

/// The members added to every answer, after the fields of the method.
pub const AUTOMATIC: [Member; 7] = [
    member!(
        "references",
        Objects(&REFERENCE),
        "Textes et pages officielles du calcul, avec leurs réserves s’il y en a ; avec \
         `detail=true`, les éléments de vérification ensuite."
    ),
    REMARKS,
    SCALE_IN_FORCE,
    VERSION_OF_LAW,
    member!(
        "citation",
        Text,
        "Une ligne à copier dans un rapport : barème, date, textes, version."
    ),
    WARNINGS,
    STEPS,
];

/// Name of the member of a listed row that holds its remark.
pub(crate) const RESERVE: &str = "reserve";

/// The remark on a listed row.
pub(crate) const ROW_RESERVE: Member =
    member!("reserve", Object(&ROW_REMARK), "réserve sur la ligne").at_times();

/// Names of the members of a table that are always present, for a message.
pub(crate) fn always_there(members: &[Member]) -> String {
    members
        .iter()
        .filter(|member| member.always)
        .map(|member| member.name)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Visits the members of a table that have a value.
pub(crate) fn visit_members<'v, const N: usize>(
    table: &'static [Member; N],
    values: [Option<Datum<'v>>; N],
    visit: &mut dyn FnMut(Key<'v>, Datum<'v>),
) {
    for (member, value) in table.iter().zip(values) {
        if let Some(value) = value {
            visit(member.written(), value);
        }
    }
}
