//! Chains: the pays of the adults of a household, then its tax, equal to both computed by hand; what
//! does not fit, all at once; rows that are refused.

use arrow::array::{ListArray, StructArray};
use arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::Fields;
use bareme_arrow::{Chain, ChainMistake, Feed};
use bareme_engine::rust_decimal::Decimal;

use super::*;

fn plan(name: &str, fields: &[&str]) -> Plan {
    Plan::new(rules(), name, DAY, &Options::fields(fields.to_vec())).unwrap()
}

fn pay() -> Plan {
    plan("salaire", &["net", "net_imposable"])
}

/// The tax of a household after the pays of its adults.
fn household() -> Chain {
    let adults = Feed::of(pay())
        .each("adultes")
        .months(12)
        .gives("net_imposable", ["salaire", "salaire_conjoint"]);
    Chain::of(plan("foyer", &["impot_net", "revenu_imposable"]))
        .after(adults)
        .unwrap()
}

/// The pays of the adults of six households: two, one, none, a list that is null, one whose pay is
/// wrong, three.
const PAYS: [Option<&str>; 8] = [
    Some("4000"),
    Some("2500.50"),
    Some("3100"),
    Some("-1"),
    Some("2000"),
    Some("2000"),
    Some("2000"),
    None,
];
const ENDS: [i32; 7] = [0, 2, 3, 3, 3, 4, 7];

fn structs(member: &str) -> ArrayRef {
    let pays: ArrayRef = Arc::new(PAYS[..7].iter().copied().collect::<StringArray>());
    let cadres: ArrayRef = Arc::new(BooleanArray::from(vec![
        true, false, false, false, false, false, false,
    ]));
    let fields = Fields::from(vec![
        Field::new(member, DataType::Utf8, true),
        Field::new("cadre", DataType::Boolean, true),
    ]);
    let structs = StructArray::new(fields.clone(), vec![pays, cadres], None);
    let nulls = NullBuffer::from(vec![true, true, true, false, true, true]);
    Arc::new(ListArray::new(
        Arc::new(Field::new("item", DataType::Struct(fields), true)),
        OffsetBuffer::new(ScalarBuffer::from(ENDS.to_vec())),
        Arc::new(structs),
        Some(nulls),
    ))
}

fn households() -> RecordBatch {
    let situations = [
        "couple",
        "celibataire",
        "couple",
        "celibataire",
        "celibataire",
        "couple",
    ];
    table([
        (
            "situation",
            Arc::new(StringArray::from(situations.to_vec())) as _,
        ),
        ("adultes", structs("brut")),
        (
            "enfants",
            Arc::new(Int64Array::from(vec![2, 0, 0, 0, 0, 1])) as _,
        ),
    ])
}

/// A field of one calculation.
fn alone(name: &str, given: &[(&str, &str)], field: &str) -> Decimal {
    let folder = rules().folder(name).unwrap();
    let answer = folder.calculate(&Query::from(given), DAY).unwrap();
    answer.field(field).unwrap().number().unwrap()
}

#[test]
fn a_chain_is_both_calculations_by_hand() {
    let answers = household().evaluate(&households()).unwrap();

    // 1. The first two households by hand: twelve months of each pay, then the tax.
    let yearly = |given: &[(&str, &str)]| {
        let month = alone("salaire", given, "net_imposable");
        (month * Decimal::from(12)).to_string()
    };
    let first = yearly(&[("brut", "4000"), ("cadre", "true")]);
    let second = yearly(&[("brut", "2500.50")]);
    let third = yearly(&[("brut", "3100")]);
    let couple = [
        ("situation", "couple"),
        ("enfants", "2"),
        ("salaire", first.as_str()),
        ("salaire_conjoint", second.as_str()),
    ];
    let single = [("situation", "celibataire"), ("salaire", third.as_str())];

    let taxes = numbers(&answers, "impot_net");
    let expected = [couple.as_slice(), &single].map(|given| alone("foyer", given, "impot_net"));
    let read = |text: &Option<String>| {
        let text = text.as_ref().unwrap();
        text.parse::<Decimal>().unwrap()
    };
    assert_eq!([read(&taxes[0]), read(&taxes[1])], expected);
    assert!(
        expected[0] > 1_000.into() && expected[1] > 1_000.into(),
        "{expected:?}"
    );

    // 2. Without adults there is no pay, and no tax.
    assert_eq!([&taxes[2], &taxes[3]].map(read), [0.into(), 0.into()]);

    // 3. A wrong pay, or a third adult, refuses the household alone.
    assert_eq!((&taxes[4], &taxes[5]), (&None, &None));
    let texts = |name: &str, row| answers[name].as_string::<i32>().value(row).to_owned();
    assert_eq!(
        [4, 5].map(|row| (texts("erreur", row), texts("champ", row))),
        [
            ("hors_bornes".to_owned(), "adultes.brut".to_owned()),
            ("longueur".to_owned(), "adultes".to_owned())
        ]
    );
    assert!(texts("message", 4).starts_with("adultes, élément 1 : "));
    assert!((0..4).all(|row| answers["erreur"].is_null(row)));
    assert!(answers["bareme_en_vigueur"].is_null(4) && answers["avertissements"].is_null(5));

    // 4. The answers of the adults are a column of lists of structs.
    let adults = answers["adultes"].as_list::<i32>();
    let lengths: Vec<i32> = (0..6).map(|row| adults.value_length(row)).collect();
    assert_eq!(lengths, [2, 1, 0, 0, 1, 3]);
    assert!(adults.is_null(3));
    let nets = adults.values().as_struct()["net"].as_primitive::<Decimal128Type>();
    assert_eq!(
        nets.value_as_string(0).parse::<Decimal>().unwrap(),
        alone("salaire", &[("brut", "4000"), ("cadre", "true")], "net")
    );
    let errors = adults.values().as_struct()["erreur"].as_string::<i32>();
    assert_eq!(errors.iter().flatten().collect::<Vec<_>>(), ["hors_bornes"]);
    assert_eq!(
        answers.schema().field(answers.num_columns() - 1).name(),
        "adultes"
    );
}

#[test]
fn a_slice_of_a_table_has_the_answers_of_its_rows() {
    let (chain, rows) = (household(), households());
    let whole = chain.evaluate(&rows).unwrap();
    for (start, count) in [(0, 1), (1, 3), (4, 2), (2, 0)] {
        let part = chain.evaluate(&rows.slice(start, count)).unwrap();
        assert_eq!(part, whole.slice(start, count), "{start}");
    }
}

#[test]
fn rows_of_the_table_feed_a_plan_and_a_chain_feeds_another_one() {
    // The tax of a household is one of those that the tax on its wealth is limited by.
    let wealth = Chain::of(plan("ifi", &["ifi", "plafonnement"]))
        .after(
            Feed::of(household())
                .gives("impot_net", ["impots"])
                .gives("revenu_imposable", ["revenus"]),
        )
        .unwrap();
    let mut columns: Vec<(&str, ArrayRef)> = vec![(
        "patrimoine",
        Arc::new(Int64Array::from(vec![20_000_000; 6])) as _,
    )];
    let rows = households();
    for name in ["situation", "adultes", "enfants"] {
        columns.push((name, Arc::clone(&rows[name])));
    }
    let answers = wealth
        .evaluate(&RecordBatch::try_from_iter(columns).unwrap())
        .unwrap();

    let inner = household().evaluate(&rows).unwrap();
    let of = |name: &str| numbers(&inner, name)[0].clone().unwrap();
    let (tax, income) = (of("impot_net"), of("revenu_imposable"));
    let given = [
        ("patrimoine", "20000000"),
        ("impots", tax.as_str()),
        ("revenus", income.as_str()),
    ];
    let found = numbers(&answers, "ifi")[0].clone().unwrap();
    let expected = alone("ifi", &given, "ifi");
    assert_eq!(found.parse::<Decimal>(), Ok(expected));
    assert!(alone("ifi", &given, "plafonnement") > 0.into());

    // The whole answer of the household is a struct, its refusals are those of the wealth.
    let structs = answers["foyer"].as_struct();
    assert_eq!(&structs["impot_net"], &inner["impot_net"]);
    let reason = answers["champ"].as_string::<i32>().value(4).to_owned();
    assert_eq!(reason, "foyer.adultes.brut");
}

#[test]
fn a_list_of_a_group_takes_the_values_of_all_elements() {
    let chain = Chain::of(plan("partage", &["droits"]))
        .after(
            Feed::of(pay())
                .each("adultes")
                .gives("net", ["donations_anterieures"]),
        )
        .unwrap();
    let given = table([
        ("actif", Arc::new(Int64Array::from(vec![900_000; 6])) as _),
        (
            "lien",
            Arc::new(StringArray::from(vec![
                Some("enfant;enfant"),
                Some("frere_soeur"),
                Some("enfant"),
                Some("enfant"),
                Some("enfant"),
                Some("enfant;enfant;enfant"),
            ])) as _,
        ),
        ("adultes", structs("brut")),
    ]);
    let answers = chain.evaluate(&given).unwrap();
    let net = |given: &[(&str, &str)]| alone("salaire", given, "net").to_string();
    let gifts = format!(
        "{};{}",
        net(&[("brut", "4000"), ("cadre", "true")]),
        net(&[("brut", "2500.50")])
    );
    let by_hand = [
        ("actif", "900000"),
        ("lien", "enfant;enfant"),
        ("donations_anterieures", gifts.as_str()),
    ];
    let duties = numbers(&answers, "droits");
    assert_eq!(
        duties[0].as_ref().unwrap().parse::<Decimal>(),
        Ok(alone("partage", &by_hand, "droits"))
    );
}

fn mistakes(chain: Chain, feed: Feed) -> Vec<ChainMistake> {
    match chain.after(feed).unwrap_err() {
        Error::Chain(mistakes) => mistakes,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_does_not_fit_is_reported_at_once() {
    let codes = |chain, feed| -> Vec<&'static str> {
        let found = mistakes(chain, feed);
        assert!(found.iter().all(|one| !one.text.en.is_empty()));
        found.iter().map(|one| one.code).collect()
    };
    let tax = || Chain::of(plan("foyer", &["impot_net"]));
    let fields = ["net", "net_imposable", "taux_cotisations", "bulletin"];

    let many = Feed::of(plan("salaire", &fields))
        .each("adultes")
        .gives("net_imposabl", ["salaire"])
        .gives("net", ["salair"])
        .gives("net_imposable", ["salaire", "salaire_conjoint"])
        .gives("taux_cotisations", ["pension"])
        .gives("bulletin", ["chomage"])
        .gives("net", ["salaire"]);
    assert_eq!(
        codes(tax(), many),
        [
            "champ_inconnu",
            "parametre_inconnu",
            "parametre_repete",
            "type_de_champ",
            "type_de_champ",
            "parametre_repete"
        ]
    );

    let monthly = Feed::of(pay()).gives("net_imposable", ["salaire"]);
    let found = mistakes(tax(), monthly.clone());
    assert_eq!(found[0].code, "periode");
    assert_eq!(
        found[0].text.fr,
        "`net_imposable` de `salaire` ne peut donner `salaire` de `foyer` : l’un est un montant sans \
         période, l’autre par an : dire pour combien de mois (`months=12`)"
    );
    assert_eq!(codes(tax(), monthly.clone().months(13)), ["mois"]);
    assert_eq!(codes(household(), monthly.months(12)), ["parametre_repete"]);

    // Months without effect, another currency, several parameters of one row, years, nothing.
    let whole =
        Feed::of(plan("foyer", &["revenu_imposable"])).gives("revenu_imposable", ["revenu"]);
    assert_eq!(codes(Chain::of(tax_of("ir")), whole.months(12)), ["mois"]);
    let senegal = Feed::of(plan("salaire-net/sn", &["net_mensuel"])).gives("net_mensuel", ["brut"]);
    assert_eq!(codes(Chain::of(pay()), senegal), ["monnaie"]);
    let two = Feed::of(pay())
        .months(12)
        .gives("net", ["salaire", "pension"]);
    assert_eq!(codes(tax(), two), ["nombre_de_parametres"]);
    let years = Feed::of(plan("salaire/annee", &["net"]))
        .gives("net", ["pension"])
        .months(12);
    assert_eq!(codes(tax(), years), ["annee_par_lots"]);
    assert_eq!(codes(tax(), Feed::of(pay())), ["rien_a_donner"]);
}

fn tax_of(name: &str) -> Plan {
    plan(name, &["impot_net"])
}

#[test]
fn columns_that_do_not_fit_a_chain_are_refused() {
    let rows = households();
    let code = |columns: Vec<(&str, ArrayRef)>| {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        household().evaluate(&batch).unwrap_err().code()
    };
    let adults = || ("adultes", Arc::clone(&rows["adultes"]));

    assert_eq!(
        code(vec![("situation", Arc::clone(&rows["situation"]))]),
        "colonne_absente"
    );
    let numbers = Arc::new(Int64Array::from(vec![0; 6])) as ArrayRef;
    assert_eq!(
        code(vec![("adultes", Arc::clone(&numbers))]),
        "type_de_colonne"
    );
    assert_eq!(
        code(vec![("adultes", structs("brutt"))]),
        "colonne_inconnue"
    );
    // A parameter that is computed has no column.
    assert_eq!(
        code(vec![adults(), ("salaire", Arc::clone(&numbers))]),
        "colonne_repetee"
    );
    assert_eq!(
        code(vec![adults(), ("salarie", numbers)]),
        "colonne_inconnue"
    );
}
