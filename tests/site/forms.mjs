// What somebody types into the forms: one answer more, a number as people write it, an amount without a network.

import assert from "node:assert/strict";
import { answered, base, failures, fromAnotherAddress, given, open, run, shownResult, visit } from "./driver.mjs";

const paths = given[0].split(" ").filter((path) => /^\/simulateurs\/(?!.*\/annee$)/.test(path));
// A value of each input of a folder, from its worked cases.
const values = JSON.parse(given[1]);

// The fields that may be left out, each filled alone beside what the page opens with: those that are refused for
// something that the page brought, and not for what they are. Runs in the page.
async function refusedBesideTheExample(known) {
  const form = document.querySelector("form[data-live]");
  const ask = async (pairs) => {
    for (;;) {
      const reply = await fetch(`${form.dataset.live}?${new URLSearchParams(pairs)}`);
      if (reply.status !== 429) return new DOMParser().parseFromString(await reply.text(), "text/html");
      await window.fromAnotherAddress();
    }
  };
  const shown = () => [...new FormData(form)].filter(([, value]) => value.trim() !== "");
  const isOwn = (name) => name.includes("-") || form.elements[name]?.required;
  const found = { filled: 0, refused: [] };
  const fields = [...form.elements].filter((field) => field.name && !isOwn(field.name) && field.name !== "date");
  for (const field of fields) {
    const value = known[field.name] ?? (field.tagName === "SELECT" ? field.options[field.options.length - 1].value : "1");
    const side = field.closest(".side")?.querySelector("input[type=radio]");
    form.reset();
    // One that is asked beside another answer is none here.
    if (field.disabled) continue;
    if (side) side.checked = true;
    else if (!field.checkVisibility() && !field.closest("details")) found.refused.push(`${field.name} cannot be seen`);
    if (field.type === "checkbox") field.checked = String(value) === "true";
    else field.value = value;
    const pairs = shown();
    found.filled += 1;
    const answer = await ask(pairs);
    if (answer.querySelector(".headline")) continue;
    const alone = pairs.filter(([name]) => isOwn(name) || name === field.name);
    const why = answer.querySelector(".refused")?.textContent;
    if ((await ask(alone)).querySelector(".headline")) found.refused.push(`${field.name}=${value}: ${why}`);
  }
  form.reset();
  return found;
}

const checks = {
  async "no field is refused for a value that the page brought"() {
    const { context, page } = await open();
    await page.exposeFunction("fromAnotherAddress", () => fromAnotherAddress(page));
    let filled = 0;
    for (const path of paths) {
      await visit(page, path);
      const found = await page.evaluate(refusedBesideTheExample, values[path.replace("/simulateurs/", "")] ?? {});
      filled += found.filled;
      for (const refused of found.refused) failures.push(`${path}: ${refused}`);
    }
    assert.ok(filled > 200, `${filled} fields`);
    await context.close();
  },

  async "inputs that exclude each other are a choice, with a script and without"() {
    for (const javaScriptEnabled of [true, false]) {
      const { context, page } = await open({ javaScriptEnabled });
      const answer = async (...parts) => {
        if (!javaScriptEnabled) await page.click("form.questions button");
        await answered(page, ...parts);
      };
      for (const [path, name, ...others] of [
        ["chomage", "salaire_mensuel"],
        ["dividendes", "autres_revenus"],
        ["ifi", "biens"],
        ["indemnite-licenciement", "remuneration_12_mois"],
        ["indemnites-journalieres", "salaire_m1", "salaire_m2", "salaire_m3"],
      ]) {
        await visit(page, `/simulateurs/${path}`);
        assert.ok(!(await page.isVisible(`[name=${name}]`)), `${path}: the side that is not chosen is folded`);
        await page.check(`input[type=radio][value=${name}]`);
        for (const field of [name, ...others]) await page.fill(`[name=${field}]`, "2 300 €");
        await answer(...[name, ...others].map((field) => `${field}=2300`));
        assert.equal(await page.locator("#resultat .headline").count(), 1, path);
        await visit(page, page.url().replace(base, ""));
        assert.ok(await page.isVisible(`[name=${name}]`), `${path}: the link opens the side that it gives`);
      }
      await visit(page, "/simulateurs/chomage");
      await page.check("input[type=radio][value=salaire_mensuel]");
      if (!javaScriptEnabled) await page.click("form.questions button");
      await page.locator("#resultat .refused", { hasText: "Complétez la saisie." }).waitFor();
      await context.close();
    }
  },

  async "a change is tried, and a rate is found elsewhere, with a script and without"() {
    for (const javaScriptEnabled of [true, false]) {
      const { context, page } = await open({ javaScriptEnabled });
      const send = async () => javaScriptEnabled || page.click("form.questions button");

      // 1. The spouse is asked for of a couple; a gift of another amount.
      await visit(page, "/simulateurs/foyer?salaire=40000");
      assert.equal(await page.isVisible("[name=salaire_conjoint]"), !javaScriptEnabled);
      await page.selectOption("[name=situation]", "couple");
      await page.fill("[name=salaire_conjoint]", "21 000");
      await send();
      await answered(page, "situation=couple", "salaire_conjoint=21000");
      await page.fill("[name=essai-dons]", "200");
      await page.click("button[name=un-essai][value=dons]");
      await answered(page, "un-essai=dons", "essai-dons=200");
      assert.match(await page.innerText("#essai"), /^Un don de 200\s€\s+Vous payez 132\s€ de moins\./);

      // 2. The rate of a pay, there and back.
      await visit(page, "/simulateurs/salaire?brut=6000");
      await page.click("a:text-is('Mon taux d’impôt')");
      await page.locator(".purpose").waitFor();
      await page.selectOption("[name=situation]", "couple");
      await page.fill("[name=enfants]", "1");
      await send();
      await answered(page, "situation=couple", "enfants=1", "retour-vers=salaire");
      const [take] = await page.locator(".takes a").allInnerTexts();
      await page.click(".takes a >> nth=0");
      await page.locator("[data-lien*='taux_pas=']").waitFor();
      assert.equal(`Reprendre ${await page.inputValue("[name=taux_pas]")} %`, take.replace(/\s/g, " "));
      await context.close();
    }
  },

  async "a question that is asked by another one is beside it"() {
    const { context, page } = await open();
    await visit(page, "/simulateurs/salaire");
    await page.locator("details.more summary", { hasText: "Mois incomplet" }).click();
    await page.fill("#champ-jours", "15");
    await page.locator("#resultat .refused", { hasText: "Complétez la saisie." }).waitFor();
    await page.locator("#erreur-brut_mois_complet", { hasText: "brut du mois complet" }).waitFor();
    await page.fill("#champ-brut_mois_complet", "5 300");
    await answered(page, "jours=15", "brut_mois_complet=5300");
    await context.close();
  },

  async "numbers are read as people write them, and asked about where they read in two ways"() {
    for (const javaScriptEnabled of [true, false]) {
      const { context, page } = await open({ javaScriptEnabled });
      const send = async () => javaScriptEnabled || page.click("form.questions button");
      await visit(page, "/simulateurs/salaire-net/ma?brut=10000");
      for (const [typed, read] of [["15 000 DH", "15000"], ["15\u202f000,50", "15000.50"], ["15.000,50 MAD", "15000.50"]]) {
        await page.fill("#champ-brut", typed);
        await send();
        await answered(page, `brut=${read}`);
      }
      await page.fill("#champ-brut", "15.000");
      await send();
      await page.locator("#erreur-brut:not([hidden])", { hasText: /écrivez\s15\sou\s15\s000/ }).waitFor();
      assert.equal(await page.inputValue("#champ-brut"), "15.000", "what is refused stays as it was typed");
      assert.equal(await page.locator("#resultat .headline").count(), 0);
      await visit(page, "/simulateurs/pret");
      await page.fill("#champ-taux", "3,5 %");
      await send();
      await answered(page, "taux=3.5");
      await context.close();
    }
  },

  async "without an answer no earlier one stays, and it comes back by itself"() {
    const { context, page } = await open();
    await visit(page, "/simulateurs/salaire-net/sn?brut=450000");
    const withdrawn = async (why) => {
      await page.locator("#resultat [role=alert]", { hasText: why }).waitFor();
      assert.equal(await page.locator("#resultat .headline, .glance").count(), 0, why);
    };
    await context.setOffline(true);
    await page.fill("#champ-brut", "500000");
    await withdrawn("Vous êtes hors ligne.");
    await context.setOffline(false);
    await answered(page, "brut=500000");
    const after = await shownResult(page);
    await page.route("**/site/simulateur/**", (route) => route.fulfill({ status: 429, headers: { "Retry-After": "1" } }));
    await page.fill("#champ-brut", "600000");
    await withdrawn("Trop de calculs en peu de temps");
    await page.unroute("**/site/simulateur/**");
    await answered(page, "brut=600000");
    assert.ok((await shownResult(page)) > after);
    await page.route("**/site/simulateur/**", (route) => route.abort("failed"));
    await page.fill("#champ-brut", "700000");
    await withdrawn("Le service n’a pas répondu.");
    await page.unroute("**/site/simulateur/**");
    await page.click("#resultat button");
    await answered(page, "brut=700000");
    await context.close();
  },
};

await run(checks);
