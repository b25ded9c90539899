// URSSAF's rules, the service beside them, and the table of what is read otherwise here.
import { readFileSync } from 'node:fs'
import rules from 'modele-social'
import Engine from 'publicodes'

const logger = { log() {}, warn() {}, error() {} }

/** The rules of the package, with corrections written into a copy of them. */
export function engineOf(corrections = []) {
  const corrected = structuredClone(rules)
  for (const correct of corrections) correct(corrected)
  return new Engine(corrected, { logger })
}

export const value = (engine, name) => engine.evaluate(name).nodeValue || 0

/** A day as the package writes it. */
export const theirDay = (date) => date.split('-').reverse().join('/')

export async function answered(service, endpoint, parameters) {
  const query = new URLSearchParams(parameters)
  const response = await fetch(`${service}/api/v1/${endpoint}?${query}`)
  if (response.status !== 200) throw new Error(`${endpoint}?${query}: ${await response.text()}`)
  return response.json()
}

/** The answers to all queries, in batches. */
async function answeredAll(service, endpoint, queries) {
  const answers = []
  for (let first = 0; first < queries.length; first += 1000) {
    const body = queries.slice(first, first + 1000).map((query) => JSON.stringify(query)).join('\n')
    const headers = { 'Content-Type': 'application/x-ndjson' }
    const response = await fetch(`${service}/api/v1/lot/${endpoint}`, { method: 'POST', headers, body })
    const text = await response.text()
    if (response.status !== 200) throw new Error(text)
    answers.push(...text.trim().split('\n').map((line) => JSON.parse(line)))
  }

  const refused = answers.findIndex((answer) => answer.erreur)
  if (refused !== -1) throw new Error(`${endpoint}?${new URLSearchParams(queries[refused])}: ${JSON.stringify(answers[refused])}`)
  return answers
}

/** Stops unless the manual has a row for each correction, and no other below its heading. */
export function checkManual(heading, names) {
  const manual = readFileSync(new URL('README.md', import.meta.url), 'utf8')
  const section = manual.split(`## ${heading}\n`)[1].split('\n## ')[0]
  const explained = [...section.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, name]) => name)
  if (explained.join() !== names.join()) throw new Error(`README.md explains ${explained.join()}, the script corrects ${names.join()}`)
}

/**
 * Compares every situation: `query` gives what is asked of the endpoint, `differences` the amounts here and there.
 * With `each` as extent, once more without each correction in turn: how many amounts then differ.
 */
export async function run({ service, endpoint, extent, corrections, what, situations, query, differences }) {
  const answers = await answeredAll(service, endpoint, situations.map(query))

  const names = Object.keys(corrections)
  const compare = (left, print) => {
    const kept = names.filter((name) => name !== left).map((name) => corrections[name])
    const differ = differences((more = []) => engineOf([...kept, ...more]))
    let [amounts, different] = [0, 0]
    for (const [index, situation] of situations.entries()) {
      const theirs = differ(situation, answers[index])
      const apart = theirs.filter(({ here, there, near }) => !(Math.abs(here - there) <= near))
      amounts += theirs.length
      different += apart.length
      const asked = new URLSearchParams(query(situation))
      if (print) for (const { field, here, there } of apart) console.log(`${field} of ${asked}: ${here} here, ${there.toFixed(4)} there`)
    }
    return { amounts, different }
  }

  const whole = compare(undefined, true)
  if (extent === 'each')
    for (const name of names) {
      const { different } = compare(name, false)
      console.log(`without ${name}: ${different} amounts differ`)
    }
  console.log(`${situations.length} ${what} compared, ${whole.amounts} amounts, ${whole.different} differ`)
  process.exitCode = situations.length > 0 && whole.different === 0 ? 0 : 1
}
