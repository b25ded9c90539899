// What the law says otherwise than `modele-social` about the self-employed, written into its rules: one correction
// for each row of the manual, which names the article.
export const I = 'dirigeant . indépendant'
export const C = `${I} . cotisations et contributions`
const ACRE = `${C} . exonérations . ACRE`
const CEILING = 'plafond sécurité sociale'
/** The ceiling in proportion of the days of the activity, to the euro. */
const PART = `${I} . PSS proratisé`
const BASE = `${I} . assiette des cotisations`
const EUROS = { arrondi: 'oui', unité: '€/an' }

const since2025 = (after, before) => ({ variations: [{ si: 'date >= 01/2025', alors: after }, { sinon: before }] })

export const corrections = {
  'single-base': (rules) => {
    const health = rules[`${C} . maladie`].avec
    const rates = health['taux progressif']['taux progressif']
    const after = structuredClone(rates)
    after.tranches = [[0, 20], [1.5, 40], [4, 60], [6.5, 110], [7.7, 200], [8.5, 300]].map(([rate, share]) => ({ taux: `${rate}%`, plafond: `${share}%` }))
    health['taux progressif'] = { arrondi: '2 décimales', ...since2025({ 'taux progressif': after }, { 'taux progressif': rates }) }
    health.total.barème.assiette = since2025(BASE, health.total.barème.assiette)
    health.total.barème.tranches[0].plafond = since2025(3, 5)
    // Members of the Cipav too.
    rules[`${I} . PL . maladie`]['applicable si'] = 'date < 01/2025'

    const pension = rules[`${C} . retraite de base`]
    pension.avec.taux = since2025('17.87%', pension.avec.taux)
    pension.barème.tranches[1].taux = since2025('0.72%', '0.6%')
    rules[`${I} . PL . CNAVPL . retraite`].avec['tranche T1 . taux'] = since2025('8.73%', '8.23%')

    const complement = rules[`${C} . retraite complémentaire`]
    complement.barème.tranches[0].taux = since2025('8.1%', '7%')
    complement.barème.tranches[1].taux = since2025('9.1%', '8%')
    complement.avec.plafond.valeur = since2025(PART, complement.avec.plafond.valeur)
    const [first, second] = rules[`${I} . PL . CIPAV . retraite complémentaire`].variations[1].sinon.barème.tranches
    first.taux = since2025('11%', '9%')
    Object.assign(second, { taux: since2025('21%', '22%'), plafond: since2025(4, second.plafond) })
  },
  'benefits-apart': (rules) => {
    delete rules[`${C} . maladie`].abattement
  },
  'benefits-minimum': (rules) => {
    const benefits = rules[`${C} . indemnités journalières maladie`].avec.assiette
    benefits.plancher = { 'applicable si': `${I} . assiette minimale`, valeur: `40% * ${CEILING}`, ...EUROS }
  },
  'bases-in-euros': (rules) => {
    rules[`${I} . revenu professionnel`].arrondi = 'oui'
  },
  'ceiling-in-euros': (rules) => {
    const health = rules[`${C} . maladie`].avec
    const rates = health['taux progressif']
    for (const table of rates.variations ? [rates.variations[0].alors, rates.variations[1].sinon] : [rates]) table['taux progressif'].multiplicateur = PART
    health.total.barème.multiplicateur = PART
    rules[`${C} . allocations familiales`].avec.taux['taux progressif'].multiplicateur = PART
    rules[`${C} . retraite de base`].barème.tranches[0].plafond = PART
    rules[`${C} . invalidité et décès`].avec.assiette.plafond = PART
    Object.assign(rules[`${C} . retraite complémentaire`].avec.plafond, EUROS)
  },
  'ceiling-in-part': (rules) => {
    rules[`${C} . retraite complémentaire`].barème.tranches[1].plafond = `4 * ${PART}`
    rules[`${I} . PL . maladie`].avec.taux['taux progressif'].multiplicateur = PART
    const { 'tranche T1': first, 'tranche T2': second } = rules[`${I} . PL . CNAVPL . retraite`].avec
    first.produit[0].plafond = PART
    second.produit[0].plafond = `5 * ${PART}`
  },
  'rates-of-two-decimals': (rules) => {
    for (const rule of [`${C} . allocations familiales`, `${I} . PL . maladie`]) rules[rule].avec.taux.arrondi = '2 décimales'
  },
  'invalidity-minimum': (rules) => {
    const minimum = `${I} . assiette minimale . invalidité et décès`
    rules[minimum].produit = [PART, '11.5%']
    rules[`${C} . invalidité et décès`].avec.assiette.plancher = minimum
    rules[`${I} . PL . CIPAV . invalidité et décès`].variations[1].sinon.produit[0].plancher = { valeur: `37% * ${PART}`, ...EUROS }
  },
  'cipav-invalidity-ceiling': (rules) => {
    rules[`${I} . PL . CIPAV . invalidité et décès`].variations[1].sinon.produit[0].plafond = `1.85 * ${CEILING}`
  },
  'cipav-without-minimum': (rules) => {
    delete rules[`${I} . PL . CNAVPL`]['rend non applicable']
    const base = rules[`${I} . PL . CIPAV . invalidité et décès`].variations[1].sinon.produit[0]
    base.plancher = { 'applicable si': `${I} . assiette minimale`, valeur: base.plancher, ...EUROS }
  },
  'leap-year': (rules) => {
    const days = { variations: [{ si: 'date < 01/2025', alors: '366 jour' }, { sinon: '365 jour' }] }
    rules[`${I} . jours de l'année`] = { valeur: days, unité: 'jour' }
    rules['entreprise . prorata temporis'] = {
      unité: '%',
      variations: [
        { si: 'entreprise . créée cette année', alors: `entreprise . durée d'activité cette année / ${I} . jours de l'année` },
        { sinon: '100%' },
      ],
    }
    const covered = rules[`${ACRE} . prorata sur l'année`]
    covered.valeur = `(${I} . jours de l'année - entreprise . durée d'activité . en début d'année) / ${I} . jours de l'année`
  },
  'acre-in-days': (rules) => {
    delete rules[`${ACRE} . prorata sur l'année`].arrondi
  },
  'acre-at-three-quarters': (rules) => {
    for (const line of Object.values(rules[ACRE].avec)) {
      const atThreeQuarters = { valeur: line.valeur, contexte: { [BASE]: `75% * ${PART}`, 'dirigeant . exonérations . ACRE': 'non' } }
      const exempt = { variations: [{ si: `${BASE} <= 75% * ${PART}`, alors: line.valeur }, { sinon: atThreeQuarters }] }
      line.abattement = { produit: [exempt, `${ACRE} . taux`, `${ACRE} . prorata sur l'année`] }
    }
  },
  'first-year-health': (rules) => {
    delete rules[`${C} . début activité`].contexte['maladie . taux progressif . assiette']
  },
}

/** The lines that Acre lowers are not rounded before it does. */
export function once(rules) {
  const lines = ['maladie', 'indemnités journalières maladie', 'allocations familiales', 'retraite de base', 'invalidité et décès'].map((line) => `${C} . ${line}`)
  const ofCipav = ['maladie', 'CNAVPL . indemnités journalières maladie', 'CIPAV . invalidité et décès'].map((line) => `${I} . PL . ${line}`)
  for (const line of [...lines, ...ofCipav]) delete rules[line].arrondi
}
