// orval, with functions over fetch.
import { check, key } from "./calls.js";
import * as api from "./orval/api";

const sent = { headers: { "X-API-Key": key } };

async function answer(call: Promise<{ data: unknown; status: number }>) {
  const { data, status } = await call;
  return { status, body: data };
}

await check(
  {
    ir: answer(api.ir({ revenu: 30000 }, sent)),
    salaire: answer(api.salaire({ brut: 2500 }, sent)),
    tva: answer(api.tva({ montant: 100 }, sent)),
    pret: answer(api.pret({ montant: 100000, duree: 120, taux: 3 }, sent)),
    salaireNet: answer(api.salaireNet({ pays: "ci", brut: 300000 }, sent)),
    tvaAfrique: answer(api.tvaAfrique({ pays: "senegal" }, sent)),
    employeur: answer(api.salaireNetCi({ brut: 300000, employeur: true }, sent)),
    net: answer(api.salaireNetBe({ net: 2500 }, sent)),
    cout: answer(api.salaireNetSn({ cout: 500000, statut: "cadre" }, sent)),
    annee: answer(api.salaireAnnee({ annee: 2026, brut: [2600, 2600, 3100] }, sent)),
    refused: answer(api.ir({ revenu: -1 }, sent)),
  },
  (name, query) => answer((api as unknown as Record<string, typeof api.ir>)[name]!(query as never, sent)),
);
