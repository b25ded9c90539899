// The employer's side of a French salary beside the rules that URSSAF's simulators run, published as
// `modele-social`: what the service at the first argument answers for 200 pays, three sizes of firm, executives
// or not. Each pay is compared with one size and status in turn; with `all` as second argument, with every one,
// which takes some minutes. Prints each difference that rounding does not explain; ends with 1 where there is one.
import { answered as answer, engineOf, theirDay, value as valueOf } from './model.mjs'

const [service, extent] = process.argv.slice(2)
// The minimum wage of 1 January: that package of July 2026 still has the general reduction follow the one of 1 June.
const DATE = '2026-05-15'
const SIZES = { 5: 'moins de 11', 20: 'moins de 50', 70: 'moins de 150' }
const HEALTH_COVER = 20

const E = 'salarié . cotisations'
const LINES = {
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
  forfait_social: `${E} . forfait social`,
  versement_mobilite: `${E} . versement mobilité`,
  effort_construction: `${E} . PEEC`,
  reduction_generale: `${E} . exonérations . employeur`,
}

// Lines here that are one rule there.
const GROUPS = [[['complementaire_t1_patronale', 'complementaire_t2_patronale', 'cet_patronale'], `${E} . retraite complémentaire-CEG-CET . employeur`]]
// Half a cent for each amount that is rounded here and not there, and for the base of a line that is itself
// the sum of rounded amounts; and what floats lose.
const HALF_CENT = 0.005 * 1.08 + 1e-6

const engine = engineOf()
const value = (name) => valueOf(engine, name)

/** 200 pays: closely around the thresholds of the law, then up to ten times the ceiling. */
function pays() {
  const near = [1823.03, 1850, 2189.94, 2734.5, 4004.99, 4005, 4005.01, 5469.09, 5469.1, 5469.11, 16020, 16020.01, 32040, 32040.01]
  const spread = Array.from({ length: 200 - near.length }, (_, i) => Math.round(182303 * 1.0166 ** i) / 100)
  return [...near, ...spread]
}

function expected(pay, size, executive) {
  engine.setSituation({
    date: theirDay(DATE),
    'salarié . contrat . salaire brut': `${pay} €/mois`,
    'salarié . contrat . statut cadre': executive ? 'oui' : 'non',
    'entreprise . salariés . effectif . seuil': `'${SIZES[size]}'`,
  })
  const lines = Object.entries(LINES).map(([code, name]) => [[code], value(name)])
  const groups = GROUPS.map(([codes, name]) => [codes, value(name)])
  return { cost: value('salarié . coût total employeur'), lines: [...lines, ...groups] }
}

function answered(pay, size, executive) {
  return answer(service, 'salaire', { brut: pay, cadre: executive, effectif: size, mutuelle_employeur: HEALTH_COVER, employeur: true, date: DATE })
}

let [compared, different, farthest] = [0, 0, 0]
const differ = (what, ours, theirs) => {
  different += 1
  console.log(`${what}: ${ours} here, ${theirs.toFixed(4)} there`)
}
const firms = Object.keys(SIZES).flatMap((size) => [false, true].map((executive) => ({ size, executive })))
for (const [index, pay] of pays().entries()) {
  for (const { size, executive } of extent === 'all' ? firms : [firms[index % firms.length]]) {
    const [ours, theirs] = [await answered(pay, size, executive), expected(pay, size, executive)]
    const amounts = new Map(ours.lignes_patronales.map((line) => [line.code, line.montant]))
    const what = `${pay}, ${size} employees${executive ? ', executive' : ''}`
    for (const [codes, theirAmount] of theirs.lines) {
      const sign = codes[0] === 'reduction_generale' ? -1 : 1
      const amount = sign * codes.reduce((sum, code) => sum + amounts.get(code), 0)
      const near = Math.abs(amount - theirAmount) <= HALF_CENT * codes.length
      if (!near) differ(`${what}, ${codes.join(' + ')}`, amount, theirAmount)
    }
    const gap = Math.abs(ours.cout_employeur - theirs.cost)
    farthest = Math.max(farthest, gap)
    if (gap > HALF_CENT * amounts.size) differ(`${what}, cost`, ours.cout_employeur, theirs.cost)
    compared += 1
  }
}
console.log(`${compared} pays compared, ${different} amounts differ; costs are ${farthest.toFixed(4)} apart at most`)
process.exitCode = different === 0 ? 0 : 1
