// Calls every endpoint by openapi-fetch, with the types that openapi-typescript made of the description.
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

declare const process: { argv: string[] };

const origin = process.argv[2]!;
const api = createClient<paths>({ baseUrl: origin });

function check(holds: boolean, what: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(what));
}

const ir = await api.GET("/api/v1/ir", { params: { query: { revenu: 30000 } } });
check(ir.response.status === 200 && typeof ir.data?.version === "string", ir);
const salaire = await api.GET("/api/v1/salaire", { params: { query: { brut: 2500 } } });
check(salaire.response.status === 200 && salaire.data!.references.length > 0, salaire);
const tva = await api.GET("/api/v1/tva", { params: { query: { montant: 100 } } });
check(tva.response.status === 200, tva);
const pret = await api.GET("/api/v1/pret", { params: { query: { montant: 100000, duree: 120, taux: 3 } } });
check(pret.response.status === 200, pret);

// Every country, with the call of its worked example.
type Family = "/api/v1/salaire-net" | "/api/v1/tva-afrique";
const document = await (await fetch(`${origin}/api/v1/openapi.json`)).json();
let answers = 4;
for (const path of ["/api/v1/salaire-net", "/api/v1/tva-afrique"] satisfies Family[]) {
  const operation = document.paths[path].get;
  for (const [name, example] of Object.entries<{ summary: string; value: unknown }>(
    operation.responses["200"].content["application/json"].examples,
  )) {
    const query = Object.fromEntries(new URLSearchParams(example.summary));
    const answer = await api.GET(path, { params: { query: query as never } });
    check(answer.response.status === 200, [name, answer]);
    check(JSON.stringify(answer.data) === JSON.stringify(example.value), [name, answer.data, example.value]);
    answers += 1;
  }
}

const refused = await api.GET("/api/v1/ir", { params: { query: { revenu: -1 } } });
check(refused.response.status === 400 && refused.error?.code === "parametres_invalides", refused);
console.log(`${answers} answers`);
