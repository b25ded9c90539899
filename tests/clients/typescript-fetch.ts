// openapi-generator, typescript-fetch.
import { type Answer, check, key, type Query } from "./calls.js";
import { CalculsApi, Configuration, type ApiResponse, ResponseError } from "./typescript-fetch/index";

const api = new CalculsApi(new Configuration({ apiKey: () => key, accessToken: () => key }));

// The answer as it was sent, once the client has read it into its own types.
async function answer(call: Promise<ApiResponse<unknown>>): Promise<Answer> {
  try {
    const answered = await call;
    const copy = answered.raw.clone();
    await answered.value();
    return { status: copy.status, body: await copy.json() };
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    return { status: error.response.status, body: await error.response.json() };
  }
}

// A parameter of `format: date` is a Date in this client.
const isDay = (value: unknown) => typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value);
const typed = (query: Query) =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, isDay(value) ? new Date(value as string) : value]));

await check(
  {
    ir: answer(api.irRaw({ revenu: 30000 })),
    salaire: answer(api.salaireRaw({ brut: 2500 })),
    tva: answer(api.tvaRaw({ montant: 100 })),
    pret: answer(api.pretRaw({ montant: 100000, duree: 120, taux: 3 })),
    salaireNet: answer(api.salaireNetRaw({ pays: "ci", brut: 300000 })),
    tvaAfrique: answer(api.tvaAfriqueRaw({ pays: "senegal" })),
    employeur: answer(api.salaireNetCiRaw({ brut: 300000, employeur: true })),
    net: answer(api.salaireNetBeRaw({ net: 2500 })),
    cout: answer(api.salaireNetSnRaw({ cout: 500000, statut: "cadre" })),
    annee: answer(api.salaireAnneeRaw({ annee: 2026, brut: [2600, 2600, 3100] })),
    refused: answer(api.irRaw({ revenu: -1 })),
  },
  (name, query) => answer((api as unknown as Record<string, typeof api.irRaw>)[`${name}Raw`]!.call(api, typed(query) as never)),
);
