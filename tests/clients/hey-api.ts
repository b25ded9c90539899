// @hey-api/openapi-ts, which sends a key in every field that the description names.
import { check, key } from "./calls.js";
import { client } from "./hey-api/client.gen";
import * as api from "./hey-api/sdk.gen";

client.setConfig({ auth: () => key });

async function answer(call: Promise<{ data?: unknown; error?: unknown; response?: Response }>) {
  const { data, error, response } = await call;
  return { status: response?.status ?? 0, body: data ?? error };
}

await check(
  {
    ir: answer(api.ir({ query: { revenu: 30000 } })),
    salaire: answer(api.salaire({ query: { brut: 2500 } })),
    tva: answer(api.tva({ query: { montant: 100 } })),
    pret: answer(api.pret({ query: { montant: 100000, duree: 120, taux: 3 } })),
    salaireNet: answer(api.salaireNet({ query: { pays: "ci", brut: 300000 } })),
    tvaAfrique: answer(api.tvaAfrique({ query: { pays: "senegal" } })),
    employeur: answer(api.salaireNetCi({ query: { brut: 300000, employeur: true } })),
    net: answer(api.salaireNetBe({ query: { net: 2500 } })),
    cout: answer(api.salaireNetSn({ query: { cout: 500000, statut: "cadre" } })),
    annee: answer(api.salaireAnnee({ query: { annee: 2026, brut: [2600, 2600, 3100] } })),
    refused: answer(api.ir({ query: { revenu: -1 } })),
  },
  (name, query) => answer((api as unknown as Record<string, typeof api.ir>)[name]!({ query: query as never })),
);
