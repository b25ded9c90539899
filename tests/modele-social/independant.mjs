// `/independant` of the service at the first argument beside the rules that URSSAF's simulators run, published as
// `modele-social`: artisans, traders, unregulated liberal professions, members of the Cipav, taxed on income or as
// managers of an EURL at corporate tax; incomes of 2024 to 2026, whole years, parts of a year, Acre, first years.
// With `all` as second argument every amount in every situation, else two amounts each; with `each` also what
// differs without each correction. Ends with 1 where an amount differs.
import { C, I, corrections, once } from './independant-corrections.mjs'
import { checkManual, run, theirDay, value } from './model.mjs'

const [service, extent] = process.argv.slice(2)
checkManual('Self-employed', Object.keys(corrections))

const CEILINGS = { 2024: 46_368, 2025: 47_100, 2026: 48_060 }
// From 2025 the base is the profit less 26 %.
const BASE_SHARE = { 2024: 1, 2025: 0.74, 2026: 0.74 }
const SHARES_OF_CEILING = [
  -0.1, 0, 0.02, 0.1, 0.114, 0.116, 0.22, 0.36, 0.39, 0.42, 0.58, 0.62, 0.745, 0.76, 0.88, 0.99, 1.005, 1.09, 1.25, 1.41, 1.83, 1.87, 2.3,
  2.99, 3.02, 3.45, 3.9, 4.1, 5.1, 7.7,
]

const LINES = {
  maladie: `${C} . maladie`,
  indemnites_journalieres: `${C} . indemnités journalières maladie`,
  famille: `${C} . allocations familiales`,
  retraite_base: `${C} . retraite de base`,
  retraite_complementaire: `${C} . retraite complémentaire`,
  invalidite_deces: `${C} . invalidité et décès`,
  csg_deductible: `${C} . CSG-CRDS . déductible`,
  csg_crds_non_deductible: `${C} . CSG-CRDS . non déductible`,
  cfp: `${C} . formation professionnelle`,
  total: C,
}

const NATURES = {
  artisan: { 'entreprise . activité . nature': "'artisanale'" },
  commercant: { 'entreprise . activité . nature': "'commerciale'" },
  liberal: { 'entreprise . activité . nature': "'libérale'", 'entreprise . activité . nature . libérale . réglementée': 'non' },
  liberal_cipav: { 'entreprise . activité . nature': "'libérale'", 'entreprise . activité . nature . libérale . réglementée': 'oui' },
}
const FORMS = {
  ir: { 'entreprise . catégorie juridique': "'EI'", 'entreprise . catégorie juridique . EI . auto-entrepreneur': 'non' },
  is: { 'entreprise . catégorie juridique': "'SARL'", 'entreprise . associés': "'unique'", 'entreprise . imposition': "'IS'" },
}

const created = (day, more = {}) => ({ 'entreprise . date de création': theirDay(day), ...more })
const withAcre = (day) => created(day, { 'dirigeant . exonérations . ACRE': 'oui' })
const daysBetween = (from, to) => (Date.parse(to) - Date.parse(from)) / 86_400_000

/** What of the year each situation says here and there; `jours` counts the first day. */
function yearsOfActivity(year) {
  const daysFrom = (day) => daysBetween(day, `${year + 1}-01-01`)
  const acre = year === 2026 ? 'creation_depuis_2026' : 'creation_avant_2026'
  const first = (day) => ({ jours: daysFrom(day) })
  return [
    [{}, {}],
    [{ sans_minimales: true }, { 'situation personnelle . RSA': 'oui' }],
    [first(`${year}-07-02`), created(`${year}-07-02`)],
    [first(`${year}-11-06`), created(`${year}-11-06`)],
    // The contributions of a first year on the flat base are not known here for 2025.
    ...(year === 2025 ? [] : [[{ ...first(`${year}-03-20`), debut_activite: true }, created(`${year}-03-20`)]]),
    [{ acre }, withAcre(`${year}-01-01`)],
    [{ ...first(`${year}-04-15`), acre }, withAcre(`${year}-04-15`)],
    [{ acre: 'creation_avant_2026', jours_acre: daysBetween(`${year}-01-01`, `${year}-08-10`) }, withAcre(`${year - 1}-08-10`)],
  ]
}

/** One of the amounts that minimum bases concern, and one of the others. */
function sampleOf(amounts, number) {
  const low = amounts.findIndex((amount) => amount > 0.4 * CEILINGS[2024])
  return [amounts[(number * 3) % low], amounts[low + ((number * 5) % (amounts.length - low))]]
}

/** Every situation, or two amounts of each kind of situation. */
function situations() {
  const found = []
  for (const year of [2024, 2025, 2026])
    for (const activite of Object.keys(NATURES))
      for (const imposition of Object.keys(FORMS))
        for (const [here, there] of yearsOfActivity(year)) {
          // From 2025 the base is given, and a manager is compared like anybody else: one profession is enough.
          if (imposition === 'is' && year > 2024 && activite !== 'commercant') continue
          const amounts = SHARES_OF_CEILING
            // That package computes no remuneration below zero.
            .filter((share) => imposition === 'ir' || share > 0)
            .map((share) => Math.round((share * CEILINGS[year]) / BASE_SHARE[year]))
          const kept = extent === 'all' ? amounts : sampleOf(amounts, found.length)
          for (const amount of kept) {
            const parameter = year === 2024 ? 'revenu_imposable' : 'benefice'
            found.push({ year, query: { annee: year, activite, imposition, [parameter]: amount, ...here }, there })
          }
        }
  return found
}

/** What URSSAF's model is given: before the reform the income, after it the base, which it does not know. */
function situationThere({ year, query, there }, ours) {
  const income =
    year > 2024
      ? { [`${I} . assiette des cotisations`]: `${ours.assiette_cotisations} €/an`, [`${C} . CSG-CRDS . assiette`]: `${ours.assiette_csg_crds} €/an` }
      : query.imposition === 'is'
        ? { 'dirigeant . rémunération . totale': `${ours.benefice} €/an` }
        : { [`${I} . revenu professionnel`]: `${query.revenu_imposable} €/an` }
  return { date: `31/12/${year}`, ...NATURES[query.activite], ...FORMS[query.imposition], ...income, ...there }
}

function differences(engines) {
  const ordinary = engines()
  // With Acre a line is rounded once, when the exemption is off.
  const withAcre = engines([once])
  return (situation, ours) => {
    const engine = 'acre' in situation.query ? withAcre : ordinary
    engine.setSituation(situationThere(situation, ours))

    const rules = { ...LINES }
    if (situation.query.debut_activite) rules.provisionnel_total = `${C} . début activité`
    // The package is given the remuneration of a manager with the contributions.
    if (situation.year === 2024 && situation.query.imposition === 'is') rules.net = 'dirigeant . rémunération . net'
    return Object.entries(rules).map(([field, name]) => ({ field, here: ours[field], there: value(engine, name), near: 1e-6 }))
  }
}

const query = (situation) => situation.query
await run({ service, endpoint: 'independant', extent, corrections, what: 'incomes', situations: situations(), query, differences })
