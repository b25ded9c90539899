//! `bareme test --update`: replaces expected values by computed ones, and marks the origin of their
//! cases. The earlier values with their origin stay beside these until somebody has worked the case
//! out by hand.

use bareme_engine::Report;
use bareme_engine::authoring::Node;
use bareme_engine::text::{RuleFile, pluralized};
use bareme_show::say;

use super::TestedFolder;
use crate::accept::Rewritten;
use crate::edit::edited;
use crate::prompt;
use crate::rule_files::RuleFiles;
use crate::save;
use crate::session::{Exit, Failure, Session};

/// Rewrites the expected values that differ, and the origin of their cases, and nothing else in the
/// file.
pub(super) fn run(
    is_approved: bool,
    files: &RuleFiles,
    tested: &[TestedFolder],
    session: &Session,
) -> Result<Exit, Failure> {
    let lang = session.lang;

    // 1. The cases that can be rewritten. What is wrong otherwise, as a step, stays.
    let rewritten: Vec<(&RuleFile, Vec<Rewritten>)> = tested.iter().filter_map(rewritten).collect();
    let count = |values: &[Rewritten]| values.iter().map(|case| case.values).sum::<usize>();
    let values: usize = rewritten.iter().map(|(_, cases)| count(cases)).sum();

    if values == 0 {
        session.print(&say!(
            lang,
            "\nRien à récrire : ce qui est faux n’est pas une valeur attendue.\n",
            "\nNothing to rewrite: what is wrong is no expected value.\n"
        ))?;
        return Ok(Exit::Wrong);
    }

    // 2. The approval, since expected values are what proves the rules.
    if !is_approved && !approved(values, session)? {
        return Ok(Exit::Wrong);
    }

    // 3. The writing. All is right afterwards if every failing case was rewritten completely.
    let mut are_all_right = tested.iter().flat_map(|tested| &tested.failures).count()
        == rewritten
            .iter()
            .map(|(_, cases)| cases.len())
            .sum::<usize>();

    for (file, cases) in rewritten {
        are_all_right &= cases.iter().all(|case| case.is_right);
        // Both are reported: rewritten values, and cases that prove nothing from now on.
        let (values, computed) = (
            count(&cases),
            cases.iter().filter(|case| case.is_computed).count(),
        );

        let edits = cases.into_iter().flat_map(|case| case.edits).collect();
        save::write(&files.root.join(file.path()), &edited(file.text(), edits))?;

        let path = files.shown(file.path());
        session.print(&pluralized(
            &say!(
                lang,
                "{path} : {values} valeur(s) récrite(s)\n",
                "{path}: {values} value(s) rewritten\n"
            ),
            lang,
        ))?;

        if computed > 0 {
            session.print(&say!(
                lang,
                "Cas dont les valeurs sont désormais celles du programme (`computed`) : {computed}.\nIls ne prouvent rien : les refaire à la main, puis dire leur origine ;\n`before` garde ce qu’ils attendaient.\n",
                "Cases with values that the program gave (`computed`): {computed}.\nThey prove nothing: work them out by hand, then say their origin;\n`before` keeps what they expected.\n"
            ))?;
        }
    }

    Ok(if are_all_right {
        Exit::Fine
    } else {
        Exit::Wrong
    })
}

/// The cases of a folder to rewrite, with their file.
fn rewritten<'r>(tested: &TestedFolder<'r>) -> Option<(&'r RuleFile, Vec<Rewritten>)> {
    // All cases of a folder are in one file.
    let file = tested.failures.first()?.case.place.file();
    let root = Node::read(file, &mut Report::default())?;

    let rewritten = tested
        .failures
        .iter()
        .filter_map(|failing| failing.rewritten(&root, file.text()));

    let rewritten: Vec<Rewritten> = rewritten.collect();
    (!rewritten.is_empty()).then_some((file.as_ref(), rewritten))
}

fn approved(values: usize, session: &Session) -> Result<bool, Failure> {
    if !prompt::is_interactive() {
        let message = say!(
            session.lang,
            "Pour récrire sans terminal, ajouter `--yes`.",
            "To rewrite without a terminal, add `--yes`."
        );
        return Err(Failure::unusable(message));
    }

    prompt::confirmed(
        &pluralized(
            &say!(
                session.lang,
                "\nRécrire ces {values} valeur(s) attendue(s) ? Leurs cas seront `computed`. [o/N] ",
                "\nRewrite these {values} expected value(s)? Their cases will be `computed`. [y/N] "
            ),
            session.lang,
        ),
        session,
    )
}
