// openapi-fetch, with the types that openapi-typescript made.
import createClient from "openapi-fetch";
import { check, key, origin } from "./calls.js";
import type { paths } from "./openapi-typescript/schema.js";

const api = createClient<paths>({ baseUrl: origin, headers: { "X-API-Key": key } });

async function answer(call: Promise<{ data?: unknown; error?: unknown; response: Response }>) {
  const { data, error, response } = await call;
  return { status: response.status, body: data ?? error };
}

await check(
  {
    ir: answer(api.GET("/api/v1/ir", { params: { query: { revenu: 30000 } } })),
    salaire: answer(api.GET("/api/v1/salaire", { params: { query: { brut: 2500 } } })),
    tva: answer(api.GET("/api/v1/tva", { params: { query: { montant: 100 } } })),
    pret: answer(api.GET("/api/v1/pret", { params: { query: { montant: 100000, duree: 120, taux: 3 } } })),
    salaireNet: answer(api.GET("/api/v1/salaire-net", { params: { query: { pays: "ci", brut: 300000 } } })),
    tvaAfrique: answer(api.GET("/api/v1/tva-afrique", { params: { query: { pays: "senegal" } } })),
    employeur: answer(api.GET("/api/v1/salaire-net/ci", { params: { query: { brut: 300000, employeur: true } } })),
    net: answer(api.GET("/api/v1/salaire-net/be", { params: { query: { net: 2500 } } })),
    cout: answer(api.GET("/api/v1/salaire-net/sn", { params: { query: { cout: 500000, statut: "cadre" } } })),
    annee: answer(api.GET("/api/v1/salaire/annee", { params: { query: { annee: 2026, brut: [2600, 2600, 3100] } } })),
    refused: answer(api.GET("/api/v1/ir", { params: { query: { revenu: -1 } } })),
  },
  (_, query, path) => answer(api.GET(path as "/api/v1/ir", { params: { query: query as never } })),
);
