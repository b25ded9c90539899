// `contrat=mandataire` on `/salaire` of the service at the first argument beside the rules that URSSAF's simulators
// run, published as `modele-social`: both sides of the pay of the president of a SASU, 2023 to 2026, three sizes of
// firm, Alsace-Moselle, Acre by the day of creation. With `all` as second argument every pay in every situation, else
// one pay each; with `each` also what differs without each correction. Ends with 1 where rounding does not explain it.
import { checkManual, run, theirDay, value } from './model.mjs'

const [service, extent] = process.argv.slice(2)
const CEILINGS = { 2023: 3666, 2024: 3864, 2025: 3925, 2026: 4005 }
const SIZES = { 5: 'moins de 11', 20: 'moins de 50', 70: 'moins de 150' }
// The health cover of the simulator: 40 euros, half of them paid by each.
const HEALTH_COVER = 20

const E = 'salarié . cotisations'
const ACRE = `${E} . exonérations . Acre`
const EMPLOYEE = {
  vieillesse_plafonnee: `${E} . vieillesse . salarié . plafonnée`,
  vieillesse_deplafonnee: `${E} . vieillesse . salarié . déplafonnée`,
  apec: `${E} . APEC . salarié`,
  maladie_alsace_moselle: `${E} . maladie . salarié`,
  csg_deductible: `${E} . CSG-CRDS . CSG . déductible`,
  csg_crds_non_deductible: `${E} . CSG-CRDS . non déductible`,
}
const EMPLOYER = {
  maladie_patronale: `${E} . maladie . employeur`,
  prevoyance_patronale: `${E} . prévoyances . incapacité invalidité décès . employeur`,
  mutuelle_patronale: `${E} . prévoyances . santé . employeur`,
  accidents_travail: `${E} . ATMP`,
  vieillesse_plafonnee_patronale: `${E} . vieillesse . plafonnée . employeur`,
  vieillesse_deplafonnee_patronale: `${E} . vieillesse . déplafonnée . employeur`,
  famille: `${E} . allocations familiales`,
  chomage: `${E} . chômage`,
  ags: `${E} . AGS`,
  apec_patronale: `${E} . APEC . employeur`,
  solidarite_autonomie: `${E} . CSA`,
  fnal: `${E} . FNAL`,
  dialogue_social: `${E} . contribution au dialogue social`,
  formation_professionnelle: `${E} . formation professionnelle`,
  taxe_apprentissage: `${E} . taxe d'apprentissage`,
  effort_construction: `${E} . PEEC`,
  versement_mobilite: `${E} . versement mobilité`,
  forfait_social: `${E} . forfait social`,
}
// Lines here that are one rule there.
const GROUPS = [
  [['complementaire_t1', 'complementaire_t2', 'cet'], `${E} . retraite complémentaire-CEG-CET . salarié`],
  [['complementaire_t1_patronale', 'complementaire_t2_patronale', 'cet_patronale'], `${E} . retraite complémentaire-CEG-CET . employeur`],
]
const TOTALS = {
  net: 'salarié . rémunération . net . à payer avant impôt',
  net_imposable: 'salarié . rémunération . net . imposable',
  cout_employeur: 'salarié . coût total employeur',
}
// Half a cent for each amount that is rounded here and not there, and what floats lose. The base of CSG has two such
// amounts, of which 6.8 % count: itself and the cover that is sent.
const HALF_CENT = 0.005 * (1 + 2 * 0.068) + 1e-6

const corrections = {
  apec: (rules) => {
    const director = rules['dirigeant . assimilé salarié']
    director['rend non applicable'] = director['rend non applicable'].filter((name) => name !== `${E} . APEC`)
  },
  'taxable-net': (rules) => {
    const net = rules['salarié . rémunération . net . imposable'].avec['sans déductions']
    net.somme = net.somme.map((name) => (name === 'cotisations . prévoyances . employeur' ? 'cotisations . prévoyances . santé . employeur' : name))
  },
  'acre-of-the-employee': (rules) => {
    const [whole] = rules[`${ACRE} . salarié`].grille.tranches
    const before2026 = 'entreprise . date de création < 01/2026'
    whole.montant = { variations: [{ si: before2026, alors: whole.montant }, { sinon: `25% * ${E} . exonérations . ${whole.montant}` }] }
  },
}
checkManual('Directors assimilated to employees', Object.keys(corrections))

/** Closely around the ceilings and three quarters of the first, then up to ten ceilings. */
function paysOf(year) {
  const ceiling = CEILINGS[year]
  const near = [0.75, 1, 4, 8].flatMap((times) => [-0.01, 0, 0.01].map((more) => times * ceiling + more))
  const spread = Array.from({ length: 28 }, (_, i) => 0.04 * ceiling * 1.23 ** i)
  return [...near, ...spread].map((pay) => Math.round(pay * 100) / 100)
}

function situations() {
  const found = []
  for (const year of Object.keys(CEILINGS).map(Number))
    for (const size of Object.keys(SIZES))
      for (const kind of ['ordinary', 'alsace_moselle', 'creation_avant_2026', 'creation_depuis_2026']) {
        if (kind === 'creation_depuis_2026' && year < 2026) continue
        const pays = paysOf(year)
        const kept = extent === 'all' ? pays : pays.filter((_, index) => index % 16 === found.length % 16)
        for (const pay of kept) found.push({ year, size, kind, pay })
      }
  return found
}

function asked({ year, size, kind, pay }) {
  const cover = Math.round(Math.min(pay, CEILINGS[year]) * 1.5) / 100
  const special = kind === 'alsace_moselle' ? { alsace_moselle: true } : kind === 'ordinary' ? {} : { acre: kind }
  return {
    date: `${year}-05-15`,
    contrat: 'mandataire',
    brut: pay,
    employeur: true,
    effectif: size,
    mutuelle_salarie: HEALTH_COVER,
    mutuelle_employeur: HEALTH_COVER,
    // That package counts the cover of executives on both sides.
    prevoyance_employeur: cover,
    ...special,
  }
}

function situationThere({ year, size, kind, pay }) {
  const creation = kind === 'creation_depuis_2026' ? '2026-02-01' : year === 2026 ? '2025-12-31' : `${year}-02-01`
  const special =
    kind === 'alsace_moselle'
      ? { 'salarié . régimes spécifiques . alsace moselle': 'oui' }
      : kind === 'ordinary'
        ? {}
        : { 'entreprise . date de création': theirDay(creation), 'dirigeant . exonérations . ACRE': 'oui' }
  return {
    date: theirDay(`${year}-05-15`),
    'entreprise . catégorie juridique': "'SAS'",
    'entreprise . associés': "'unique'",
    'entreprise . salariés . effectif . seuil': `'${SIZES[size]}'`,
    'salarié . contrat . salaire brut': `${pay} €/mois`,
    ...special,
  }
}

function differences(engines) {
  const engine = engines()
  return (situation, ours) => {
    engine.setSituation(situationThere(situation))
    const amounts = new Map([...ours.detail, ...ours.lignes_patronales].map((line) => [line.code, line.montant]))
    const row = (field, here, there, rounded) => ({ field, here, there, near: HALF_CENT * rounded })

    const rows = Object.entries({ ...EMPLOYEE, ...EMPLOYER }).map(([code, name]) => row(code, amounts.get(code), value(engine, name), 1))
    for (const [codes, name] of GROUPS) {
      const sum = codes.reduce((total, code) => total + amounts.get(code), 0)
      rows.push(row(codes.join(' + '), sum, value(engine, name), codes.length))
    }
    if (ours.exoneration_acre !== undefined) {
      // The exemption here is that of lines which are rounded: two of the employee, four of the employer. There it is of a year.
      rows.push(row('exoneration_acre', ours.exoneration_acre, value(engine, `${ACRE} . salarié`) / 12, 3))
      rows.push(row('exoneration_acre_patronale', ours.exoneration_acre_patronale, -value(engine, `${ACRE} . employeur`) / 12, 5))
    }
    rows.push(row('coefficient_reduction', ours.coefficient_reduction, value(engine, `${E} . exonérations . RGDU`), 1))
    for (const [field, name] of Object.entries(TOTALS)) rows.push(row(field, ours[field], value(engine, name), amounts.size))
    return rows
  }
}

await run({ service, endpoint: 'salaire', extent, corrections, what: 'pays', situations: situations(), query: asked, differences })
