// Overtime, part time and apprentices on a French payslip beside the rules that Urssaf's simulators run, published as
// `modele-social`: the net before tax and the "montant net social" of what the service at the first argument answers.
// Prints each difference that rounding does not explain; ends with 1 where there is one.
//
// Left out, because the law is read otherwise here (rules/salaire/notes.md says why): overtime of a pay above the ceiling, which
// that package raises by the hours, and additional hours of part-timers, whose reduction it does not know.
import { answered, engineOf, theirDay, value as valueOf } from './model.mjs'

const [service] = process.argv.slice(2)
const DATE = '2026-05-15'
const WEEK = 35

// Half a cent for each line that is rounded here and not there, and what floats lose.
const NEAR = 0.065

const engine = engineOf()

/** The hourly rate counts 1 820 / 12 hours here, as there. */
function* situations() {
  // At most 3 881 with the hours, below the ceiling of 4 005.
  for (const pay of [1823.03, 2100, 2600, 3111.11])
    for (const hours of [1, 8.5, 17.33, 30])
      yield [{ brut: pay, heures_supplementaires: hours }, { 'salarié . temps de travail . heures supplémentaires': `${hours} heures/mois` }]
  for (const pay of [700, 1250.5, 1900, 2900, 4100])
    for (const week of [14, 17.5, 21, 24.5, 28, 31.5])
      yield [
        { brut: pay, quotite: (100 * week) / WEEK },
        {
          'salarié . contrat . temps de travail . temps partiel': 'oui',
          'salarié . contrat . temps de travail . temps partiel . heures par semaine': `${week} heures/semaine`,
        },
      ]
  for (const pay of [520, 784, 911.51, 911.52, 1000, 1250, 1500, 1823.03, 2300])
    // That package goes by the day of the pay, and not by that of the signature.
    for (const [contract, date] of [['apprenti', DATE], ['apprenti_avant_mars_2025', '2025-02-15']])
      yield [{ brut: pay, contrat: contract, date }, { 'salarié . contrat': "'apprentissage'" }]
}

function expected(pay, date, situation) {
  engine.setSituation({ date: theirDay(date), 'salarié . contrat . salaire brut': `${pay} €/mois`, ...situation })
  const value = (name) => valueOf(engine, name)
  return { net: value('salarié . rémunération . net . à payer avant impôt'), montant_net_social: value('salarié . rémunération . montant net social') }
}

let [compared, different, farthest] = [0, 0, 0]
for (const [asked, situation] of situations()) {
  // The cover of the simulator, paid by both: half of 40 euros.
  const query = { date: DATE, mutuelle_salarie: 20, mutuelle_employeur: 20, ...asked }
  const [ours, theirs] = [await answered(service, 'salaire', query), expected(asked.brut, query.date, situation)]
  for (const [field, amount] of Object.entries(theirs)) {
    const gap = Math.abs(ours[field] - amount)
    farthest = Math.max(farthest, gap)
    if (gap > NEAR) {
      different += 1
      console.log(`${field} of ${new URLSearchParams(query)}: ${ours[field]} here, ${amount.toFixed(4)} there`)
    }
  }
  compared += 1
}
console.log(`${compared} payslips compared, ${different} amounts differ; they are ${farthest.toFixed(4)} apart at most`)
process.exitCode = compared > 0 && different === 0 ? 0 : 1
