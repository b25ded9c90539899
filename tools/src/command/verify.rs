//! `bareme verify`: a signed receipt, its answer, and the amounts computed again.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use bareme_engine::Lang;
use bareme_receipts::again::{Again, Difference};
use bareme_receipts::check::{Attested, Checked, ReceiptError, check};
use bareme_receipts::claim::{Claim, PROGRAM};
use bareme_receipts::jws::JwsError;
use bareme_receipts::keys::KeySet;
use bareme_show::{Table, Tone, say};
use serde_json::{Value, json};

use crate::page::Page;
use crate::past_laws::LawsAtHand;
use crate::session::{Exit, Failure, Outcome, Session};

/// Most differences that are shown of a row.
const MOST_SHOWN: usize = 20;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    #[arg(long, value_name = "FILE", required = true)]
    keys: PathBuf,
    #[arg(long, value_name = "FOLDER")]
    archive: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    // 1. The signature, and everything that depends on it.
    let keys = keys(&args.keys, session)?;
    let checked = check(&text(&args.file)?, &keys)
        .map_err(|error| Failure::wrong(refused(&error, session.lang)))?;

    // 2. The amounts, by the rules at hand. Without any, the signature still says something.
    let mut laws = LawsAtHand::find(args.archive.as_deref(), session)?;
    let attested = checked.attested.iter();
    let found: Vec<(&Attested, Again)> = attested
        .map(|attested| (attested, laws.compute(attested)))
        .collect();

    session.show(&outcome(&checked, &found, session.lang))?;
    Ok(exit(&found))
}

/// The exit code: of the worst row.
fn exit(found: &[(&Attested, Again)]) -> Exit {
    let is_any = |is_it: fn(&Again) -> bool| found.iter().any(|(_, again)| is_it(again));
    if is_any(|again| matches!(again, Again::Differs(_))) {
        Exit::Wrong
    } else if is_any(|again| *again == Again::LawNotAtHand) {
        Exit::Undecided
    } else {
        Exit::Fine
    }
}

fn text(file: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    if file == Path::new("-") {
        std::io::stdin().lock().read_to_string(&mut text)?;
        return Ok(text);
    }
    std::fs::read_to_string(file)
        .map_err(|error| Failure::unusable(format!("`{}`: {error}", file.display())))
}

/// The public keys of a file: a key set, or PEM.
fn keys(file: &Path, session: &Session) -> Result<KeySet, Failure> {
    let text = text(file)?;
    let keys = KeySet::from_json(&text).or_else(|_| KeySet::from_pem(&text));
    keys.map_err(|_| {
        let file = file.display();
        Failure::unusable(say!(
            session.lang,
            "`{file}` ne contient pas de clé publique Ed25519 : y enregistrer \
             `/.well-known/jwks.json` du service.",
            "`{file}` holds no public Ed25519 key: save `/.well-known/jwks.json` of the service \
             to it."
        ))
    })
}

/// Why a receipt is refused.
fn refused(error: &ReceiptError, lang: Lang) -> String {
    let row = |index: &Option<u64>| index.map(|index| (index + 1).to_string());
    match error {
        ReceiptError::Json(error) => say!(
            lang,
            "Reçu refusé : ce texte n’est pas du JSON qui se lise d’une seule façon ({error}).",
            "Receipt refused: this text is no JSON that reads in one way only ({error})."
        ),
        ReceiptError::NoReceipt => say!(
            lang,
            "Reçu refusé : il n’y a pas de reçu dans ce texte.",
            "Receipt refused: there is no receipt in this text."
        ),
        ReceiptError::Jws(JwsError::UnknownKey(key)) => say!(
            lang,
            "Reçu refusé : aucune des clés données n’est celle qui l’a signé, `{key}`.",
            "Receipt refused: none of the given keys is the one that signed it, `{key}`."
        ),
        ReceiptError::Jws(JwsError::Signature) => say!(
            lang,
            "Reçu refusé : la signature n’est pas celle de ce texte. Il a été modifié.",
            "Receipt refused: the signature is not that of this text. It was changed."
        ),
        ReceiptError::Jws(JwsError::Form | JwsError::Header) | ReceiptError::Form => say!(
            lang,
            "Reçu refusé : ce qui est signé n’a pas la forme d’un reçu.",
            "Receipt refused: what is signed has not the form of a receipt."
        ),
        ReceiptError::Answer(index) => match row(index) {
            None => say!(
                lang,
                "Reçu refusé : la réponse n’est pas celle qui a été signée. Elle a été modifiée.",
                "Receipt refused: the answer is not the one that was signed. It was changed."
            ),
            Some(row) => say!(
                lang,
                "Reçu refusé : la réponse de la ligne {row} n’est pas celle qui a été signée.",
                "Receipt refused: the answer of row {row} is not the one that was signed."
            ),
        },
        ReceiptError::Place(index) => {
            let row = row(index).unwrap_or_default();
            say!(
                lang,
                "Reçu refusé : la ligne {row} n’est pas à sa place dans le lot signé.",
                "Receipt refused: row {row} is not at its place in the signed batch."
            )
        }
        ReceiptError::Count { found, signed } => say!(
            lang,
            "Reçu refusé : le lot signé a {signed} lignes, et celui-ci {found}.",
            "Receipt refused: the signed batch has {signed} rows, and this one {found}."
        ),
    }
}

fn outcome(checked: &Checked, found: &[(&Attested, Again)], lang: Lang) -> Outcome {
    let Checked {
        key,
        issued,
        program,
        ..
    } = checked;
    let mut page = Page::titled(say!(lang, "Reçu", "Receipt"));
    page.text(say!(
        lang,
        "La signature est vraie : émis le {issued} par le programme {program}, clé `{key}`.",
        "The signature is true: issued on {issued} by the program {program}, key `{key}`."
    ));

    // One receipt is shown whole; of a batch, the rows that need somebody to look.
    let mut is_any = false;
    for (attested, again) in found {
        let is_alone = found.len() == 1;
        if is_alone || !matches!(again, Again::Same | Again::Nothing) {
            is_any = true;
            show(attested, again, (&mut page, checked), lang);
        }
    }
    if !is_any {
        let rows = found.len();
        page.text(say!(
            lang,
            "Les montants des {rows} lignes, recalculés, sont ceux du reçu.",
            "The amounts of the {rows} rows, computed again, are those of the receipt."
        ));
    }

    let rows: Vec<Value> = found
        .iter()
        .map(|(attested, again)| described(&attested.claim, again))
        .collect();
    let json = json!({"cle": key, "emis": issued, "programme": program, "calculs": rows});
    Outcome {
        page,
        json,
        annotations: Vec::new(),
    }
}

/// Adds a calculation with its verdict to the page.
fn show(attested: &Attested, again: &Again, (page, checked): (&mut Page, &Checked), lang: Lang) {
    let Claim {
        calcul,
        demande,
        resultats,
        version,
        ligne,
        ..
    } = &attested.claim;
    let row = ligne.map(|index| {
        let row = index + 1;
        say!(lang, ", ligne {row}", ", row {row}")
    });
    page.heading(format!("{calcul}{}", row.unwrap_or_default()));

    let mut table = Table::default()
        .text(say!(lang, "Paramètre ou champ", "Parameter or field"))
        .text(say!(lang, "Valeur signée", "Signed value"));
    for (name, texts) in demande.iter().flatten() {
        table.row([name.as_str().into(), texts.all().join(" ; ").into()]);
    }
    for (name, value) in resultats.iter().flatten() {
        table.row([name.as_str().into(), value.get().to_owned().into()]);
    }
    page.table(table);

    let version = version.as_deref().unwrap_or_default();
    let (verdict, tone) = match again {
        Again::Same => (
            say!(
                lang,
                "Recalculée par le droit `{version}`, la réponse est la même.",
                "Computed again by the law `{version}`, the answer is the same."
            ),
            Tone::Strong,
        ),
        Again::OtherTexts => (
            say!(
                lang,
                "Recalculés par le droit `{version}`, les montants sont ceux du reçu. Des textes \
                 de la réponse ont changé depuis.",
                "Computed again by the law `{version}`, the amounts are those of the receipt. \
                 Texts of the answer have changed since."
            ),
            Tone::Strong,
        ),
        Again::LawNotAtHand => (
            say!(
                lang,
                "Montants non recalculés : les barèmes donnés n’ont pas le droit `{version}`. \
                 Donner par `--rules` ceux qui étaient en service, ou par `--archive` ceux que le \
                 service a gardés.",
                "Amounts not computed again: the given rules do not have the law `{version}`. \
                 Give those that were in service, with `--rules`, or those that the service has \
                 kept, with `--archive`."
            ),
            Tone::Warning,
        ),
        Again::Nothing => (
            say!(
                lang,
                "Cette ligne a été refusée : elle n’a pas de montant.",
                "This row was refused: it has no amount."
            ),
            Tone::Strong,
        ),
        Again::Differs(differences) => {
            page.table(table_of(differences, lang));
            (differing(&checked.program, lang), Tone::Warning)
        }
    };
    page.toned(verdict, tone);
}

/// The verdict of other amounts by the same law.
fn differing(program: &str, lang: Lang) -> String {
    if program == PROGRAM {
        return say!(
            lang,
            "Reçu refusé : le même droit et le même programme donnent d’autres valeurs.",
            "Receipt refused: the same law and the same program give other values."
        );
    }
    say!(
        lang,
        "Le même droit donne d’autres valeurs par ce programme, {PROGRAM}, que par celui du reçu, \
         {program} : le journal des programmes dit ce qui a été corrigé. Le reçu atteste ce qui a \
         été répondu.",
        "The same law gives other values by this program, {PROGRAM}, than by that of the receipt, \
         {program}: the changelog of the programs says what was corrected. The receipt attests \
         what was answered."
    )
}

fn table_of(differences: &[Difference], lang: Lang) -> Table {
    let mut table = Table::default()
        .text(say!(lang, "Valeur", "Value"))
        .text(say!(lang, "Signée", "Signed"))
        .text(say!(lang, "Recalculée", "Computed again"));
    for one in differences.iter().take(MOST_SHOWN) {
        let shown = |text: &Option<String>| text.clone().unwrap_or_default();
        table.row([
            one.name.as_str().into(),
            shown(&one.signed).into(),
            shown(&one.found).into(),
        ]);
    }
    table
}

/// A calculation with its verdict, for programs.
fn described(claim: &Claim, again: &Again) -> Value {
    let (verdict, differences) = match again {
        Again::Same => ("identique", None),
        Again::OtherTexts => ("montants_identiques", None),
        Again::Differs(differences) => ("different", Some(differences)),
        Again::LawNotAtHand => ("droit_absent", None),
        Again::Nothing => ("sans_montant", None),
    };
    let results: Option<BTreeMap<&String, &str>> = claim.resultats.as_ref().map(|results| {
        let results = results.iter();
        results.map(|(name, value)| (name, value.get())).collect()
    });
    let differences = differences.map(|differences| {
        let one = |one: &Difference| {
            json!({"nom": one.name, "signe": one.signed, "recalcule": one.found})
        };
        differences.iter().map(one).collect::<Vec<_>>()
    });
    json!({
        "calcul": claim.calcul,
        "ligne": claim.ligne,
        "version": claim.version,
        "resultats": results,
        "verdict": verdict,
        "differences": differences,
    })
}
