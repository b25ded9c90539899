// The calls that each generated client makes, and what their answers have to be.
// Arguments of the programs: the address of the service, the description, a key.
import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";

export interface Answer {
  status: number;
  body: unknown;
}

/** The parameters of a call; one with a value a month is an array. */
export type Query = Record<string, string | string[]>;

/** The calls that a user of the client writes. */
export type Written = Record<
  "ir" | "salaire" | "tva" | "pret" | "salaireNet" | "tvaAfrique" | "employeur" | "net" | "cout" | "annee" | "refused",
  Promise<Answer>
>;

const [, , address, path, ownKey] = process.argv;
if (!address || !path || !ownKey) throw new Error("arguments: address, description, key");
export const origin = address;
export const key = ownKey;
const document = JSON.parse(readFileSync(path, "utf8"));

// Clients call the address that the description says, or a path of the site that they are on: both are the service under
// test here.
const send = globalThis.fetch;
const described: string = document.servers[0].url;
globalThis.fetch = (to, init) => {
  const here = (url: string) => new URL(url.replace(described, origin), origin);
  return to instanceof Request ? send(new Request(here(to.url), to), init) : send(here(to.toString()), init);
};

const camel = (name: string) => name.replace(/_(\w)/g, (_, first: string) => first.toUpperCase());

/**
 * Checks the calls that are written, and then the worked example of each calculation.
 * @param call calls an operation by the name that the client gives it, or by its path, with a query
 */
export async function check(
  written: Written,
  call: (name: string, query: Query, path: string) => Promise<Answer>,
) {
  const { refused, ...good } = written;
  const bodies: Record<string, Record<string, unknown>> = {};
  for (const [name, promise] of Object.entries(good)) {
    const { status, body } = await promise;
    equal(status, 200, `${name}: ${JSON.stringify(body)}`);
    bodies[name] = body as Record<string, unknown>;
  }
  ok(typeof bodies["employeur"]!["cout_employeur"] === "number", "employeur");
  equal(bodies["net"]!["net_mensuel"], 2500, "net");
  equal(bodies["cout"]!["cout_employeur"], 500000, "cout");
  equal(bodies["salaireNet"]!["pays"], "ci", "salaireNet");
  equal((bodies["annee"]!["mois"] as unknown[]).length, 3, "annee");
  const refusal = await refused;
  equal(refusal.status, 400);
  equal((refusal.body as { code: string }).code, "parametres_invalides");

  let answers = Object.keys(written).length;
  for (const [path, { get }] of Object.entries<any>(document.paths)) {
    if (get?.tags[0] !== "calculs") continue;
    const [example] = Object.values<any>(get.responses["200"].content["application/json"].examples);
    const listed = get.parameters.filter((one: any) => one.schema.type === "array").map((one: any) => one.name);
    const sent = [...new URLSearchParams(example.summary)];
    const query = Object.fromEntries(sent.map(([name, value]) => [name, listed.includes(name) ? value.split(";") : value]));
    const { status, body } = await call(camel(get.operationId), query, path);
    equal(status, 200, path);
    deepStrictEqual(body, example.value, path);
    answers += 1;
  }
  console.log(`${answers} answers`);
}
