//! `bareme new` where the method gives figures on some days only.

use std::fs::{read_to_string, write};

use crate::common::{run_in, small_rules};

#[test]
fn a_figure_that_has_ended_is_left_out_of_the_next_file_and_one_that_starts_is_named() {
    let folder = small_rules(None);
    let edit = |file: &str, from: &str, to: &str| {
        let path = folder.path().join("rules/zz").join(file);
        let text = read_to_string(&path).unwrap();
        assert!(text.contains(from), "{from}");
        write(path, text.replacen(from, to, 1)).unwrap();
    };
    edit(
        "method.yaml",
        "figures:\n",
        "figures:\n  aide: {montant: money/month, until: 2026-12-31}\n  taxe: {rate: rate, since: 2027-01-01}\n",
    );
    edit(
        "method.yaml",
        "  net:        {formula: brut - pension - impot_mois,",
        "  aide:       {formula: aide.montant, when: given(aide), label: \"Aide\"}\n  \
           taxe:       {formula: brut * taxe.rate, when: given(taxe), label: \"Taxe\"}\n  \
           net:        {formula: brut - pension - impot_mois + aide - taxe,",
    );
    edit(
        "2026-01-01.yaml",
        "figures:\n",
        "figures:\n  aide: {montant: 0, per: month, source: css}\n",
    );

    let shown = run_in(folder.path(), &["new", "zz", "2027-01-01"]).fine();
    let shown = shown.replace(['\u{a0}', '\u{202f}'], " ");
    assert!(shown.contains("`aide` a pris fin"), "{shown}");
    assert!(shown.contains("`taxe` commence"), "{shown}");

    let text = read_to_string(folder.path().join("rules/zz/2027-01-01.yaml")).unwrap();
    assert!(
        !text.contains("aide") && text.contains("pension: {unconfirmed: true"),
        "{text}"
    );
}
