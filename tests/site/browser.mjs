// What somebody does with the site, in a real browser. Any violation that axe-core finds is a failure.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { answered, base, failures, given, modules, open, plain, run, shownResult } from "./driver.mjs";

const [listed, build] = given;
const paths = listed.split(" ");
// In milliseconds: what is promised of a release; a debug build is not optimized, and shows only that nothing waits.
const longest = build === "release" ? { load: 200, answer: 50 } : { load: 1_500, answer: 1_000 };
const axe = readFileSync(join(modules, "axe-core/axe.min.js"), "utf8");

const api = async (call) => (await fetch(base + call)).json();

async function tabTo(page, selector) {
  for (let pressed = 0; pressed < 120; pressed += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((selector) => document.activeElement.matches(selector), selector)) return;
  }
  throw new Error(`${selector} is not reached by Tab`);
}

// Both widths with every rule, both themes with those on colours: the other rules know no theme.
const VIEWS = [
  ["light", 360, undefined],
  ["light", 1280, undefined],
  ["dark", 1280, ["color-contrast"]],
  ["dark", 360, ["color-contrast"]],
];

async function examine(page, name) {
  await page.evaluate(axe);
  for (const [colorScheme, width, runOnly] of VIEWS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    // Colours that change with the theme change over a while.
    await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {}))));
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (wide > 0) failures.push(`${name}: ${wide} px too wide at ${width}`);
    const { violations } = await page.evaluate(
      (options) => globalThis.axe.run({ resultTypes: ["violations"], ...options }),
      runOnly ? { runOnly } : {},
    );
    for (const { id, nodes } of violations) failures.push(`${name} (${colorScheme}, ${width}): ${id}: ${nodes[0].html}`);
  }
}

const checks = {
  async "the net of five countries is that of the interface, while typing"() {
    const { context, page } = await open();
    for (const [country, gross] of [["sn", 450000], ["ci", 600000], ["ma", 12000], ["tn", 2500], ["qc", 5000]]) {
      await page.goto(`${base}/simulateurs/salaire-net/${country}`);
      await page.fill("#champ-brut", String(gross));
      await answered(page, `brut=${gross}`);
      const { net_mensuel } = await api(`/api/v1/salaire-net?pays=${country}&brut=${gross}`);
      assert.equal(await shownResult(page), net_mensuel, country);
      assert.match(page.url(), new RegExp(`brut=${gross}`), "the address reopens the case");
    }
    await context.close();
  },

  async "a net and a cost are starting points"() {
    const { context, page } = await open();
    await page.goto(`${base}/simulateurs/salaire-net/sn`);
    await page.fill("#champ-net", "400000");
    await answered(page, "net=400000");
    // Who types a net asks for the gross: it is the result in large type.
    const { brut_mensuel } = await api("/api/v1/salaire-net?pays=sn&net=400000");
    assert.equal(await shownResult(page), Math.round(brut_mensuel));
    assert.equal(plain(await page.inputValue("#champ-brut")), Math.round(brut_mensuel));
    await page.fill("#champ-cout", "600000");
    await answered(page, "cout=600000");
    const { net_mensuel } = await api("/api/v1/salaire-net?pays=sn&cout=600000");
    assert.equal(await shownResult(page), net_mensuel);
    assert.equal(plain(await page.inputValue("#champ-net")), net_mensuel);
    await context.close();
  },

  async "another date has another scale, and two years stand side by side"() {
    const { context, page } = await open();
    await page.goto(`${base}/simulateurs/salaire-net/tn?brut=3000`);
    await page.fill("#champ-date", "2024-06-30");
    await page.waitForURL(/date=2024-06-30/);
    await page.locator("h1 + p", { hasText: "2024" }).waitFor();
    const { net_mensuel } = await api("/api/v1/salaire-net?pays=tn&brut=3000&date=2024-06-30");
    assert.equal(await shownResult(page), net_mensuel);
    await page.selectOption("#champ-comparer", { index: 1 });
    await answered(page, "comparer-a=");
    assert.ok((await page.locator(".payslip th", { hasText: "Écart" }).count()) === 1);
    await context.close();
  },

  async "the link of a case is copied, and the schedule of a loan is joined"() {
    const { context, page } = await open();
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: base });
    await page.goto(`${base}/simulateurs/pret?montant=12000&duree=24&taux=3`);
    await page.click("[data-partager]");
    await page.locator("[data-partage]", { hasText: "Lien copié." }).waitFor();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /pret\?montant=12000&duree=24&taux=3$/);
    assert.ok(await page.locator("[data-imprimer]").isVisible());
    await page.locator("details.more summary").click();
    await page.check("#champ-echeancier");
    await answered(page, "echeancier=true");
    assert.equal(await page.locator("#echeancier [scope=rowgroup]").count(), 2);
    await context.close();
  },

  async "a year is typed, pasted from a spreadsheet, and told by its months"() {
    const { context, page } = await open();
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: base });
    await page.goto(`${base}/simulateurs/salaire/annee?annee=2026&brut=2600&employeur=true`);
    // The address holds the parameters of the interface.
    const total = async () => (await api(`/api/v1/salaire/annee${new URL(page.url()).search}`)).total;
    await page.fill('[name="primes-12"]', "2 600,00");
    await answered(page, "primes=");
    assert.equal((await total()).net, 26755.96);
    assert.equal(await shownResult(page), 26755.96);
    assert.match(await page.locator(".settled").innerText(), /décembre.*repris/s, "what December takes back is said");
    await page.evaluate(() => navigator.clipboard.writeText("2 650,50\t100\n2 700,00 €\t\n"));
    await page.focus('[name="brut-2"]');
    await page.keyboard.press("Control+V");
    await answered(page, "2650.50;2700.00");
    assert.equal(await page.inputValue('[name="primes-2"]'), "100");
    assert.equal(await shownResult(page), (await total()).net);
    assert.equal(await page.locator("table.months tbody tr").count(), 12);
    await page.selectOption("#champ-dernier_mois", "3");
    await answered(page, "dernier_mois=3");
    assert.equal(await page.locator("table.months tbody tr").count(), 3);
    await page.fill('[name="brut-3"]', "-1");
    await page.locator('[data-mois="3"]').waitFor();
    assert.equal(await page.getAttribute('[name="brut-3"]', "aria-invalid"), "true");
    await examine(page, "a year that is refused");
    await context.close();
  },

  async "no column of a comparison is cut on a telephone"() {
    const { context, page } = await open({ viewport: { width: 360, height: 800 } });
    await page.goto(`${base}/comparer`);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll(".countries *, .shares *")].filter((part) => part.getBoundingClientRect().right > innerWidth).length,
    );
    assert.equal(cut, 0);
    await context.close();
  },

  async "a refused value has its message at its question"() {
    const { context, page } = await open();
    await page.goto(`${base}/simulateurs/salaire-net/sn`);
    await page.fill("#champ-brut", "beaucoup");
    await page.locator("#erreur-brut:not([hidden])", { hasText: "Écrivez un nombre" }).waitFor();
    assert.equal(await page.getAttribute("#champ-brut", "aria-invalid"), "true");
    await page.fill("#champ-brut", "450 000,50");
    await answered(page, "brut=450000.50");
    assert.equal(await page.getAttribute("#champ-brut", "aria-invalid"), null);
    await context.close();
  },

  async "the keyboard is enough"() {
    const { context, page } = await open();
    await page.goto(`${base}/simulateurs/salaire-net/sn`);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Aller au contenu");
    await page.keyboard.press("Enter");
    for (let pressed = 0; pressed < 12; pressed += 1) {
      await page.keyboard.press("Tab");
      if (await page.evaluate(() => document.activeElement.id === "champ-brut")) break;
    }
    await page.keyboard.press("Control+A");
    await page.keyboard.type("500000");
    await answered(page, "brut=500000");
    const status = await page.locator("[role=status]").innerText();
    assert.match(status, /Salaire net/, "a screen reader hears the result");
    await page.locator(".payslip summary").first().focus();
    await page.keyboard.press("Enter");
    assert.ok(await page.locator(".payslip details[open] .detail").first().isVisible());
    await page.focus("#champ-brut");
    await page.keyboard.press("End");
    await page.keyboard.type("0");
    await answered(page, "brut=5000000");
    assert.ok(await page.locator(".payslip details[open]").first().isVisible(), "what was unfolded stays so");
    await context.close();
  },

  async "the steps of a calculation come once they are unfolded, and follow what is typed"() {
    const { context, page } = await open();
    await page.goto(`${base}/simulateurs/salaire?brut=2650&date=2026-03-31`);
    assert.equal(await page.locator("#etapes .steps").count(), 0);
    await page.locator("#etapes summary").focus();
    await page.keyboard.press("Enter");
    await page.locator("#etapes .detail", { hasText: "2 650,00 € × 6,9 % = 182,85 €" }).first().waitFor();
    assert.ok(await page.evaluate(() => document.activeElement.matches("#etapes summary")), "the focus stays");
    await page.fill("#champ-brut", "2000");
    await answered(page, "brut=2000");
    await page.locator("#etapes[open] .detail", { hasText: "2 000,00 € × 6,9 % = 138,00 €" }).first().waitFor();
    assert.doesNotMatch(page.url(), /etapes/, "the link of the case is that of its question");
    await context.close();
  },

  async "the comparison follows what is typed, and a rate that is typed stays under the cursor"() {
    const { context, page } = await open();
    await page.goto(`${base}/comparer`);
    const net = page.locator('[data-bareme="salaire-net/be"] [data-colonne="Net"]');
    for (const brut of [3000, 3456]) {
      await page.fill("#montant", String(brut));
      await page.waitForFunction((brut) => location.search.includes(brut), brut);
      const { net_mensuel } = await api(`/api/v1/salaire-net?pays=be&brut=${brut}`);
      assert.match((await net.innerText()).replace(/[\s\u00a0\u202f]/g, ""), new RegExp(`^${String(net_mensuel).replace(".", ",")}`));
    }
    await page.selectOption("#devise", "EUR");
    const rate = page.locator('[data-part="cours"] input').first();
    await rate.pressSequentially("10,5");
    await page.waitForFunction(() => /10(,|%2C)5/.test(location.search));
    assert.ok(await rate.evaluate((field) => field === document.activeElement && field.value === "10,5"));
    await page.fill("#montant", "abc");
    await page.locator('[data-part="resultat"] .wrong').waitFor();
    assert.equal(await net.count(), 0, "no amount of what was typed before is left");
    await context.close();
  },

  async "a call of a guide is copied by a button, and its answer shown in its place"() {
    const { context, page } = await open();
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: base });
    await page.goto(`${base}/documentation/premier-appel`);
    await page.getByRole("button", { name: "Copier" }).first().click();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^curl '.*\/api\/v1\/ir\?revenu=30000&parts=1'$/);
    const { impot_net } = await api("/api/v1/ir?revenu=30000&parts=1");
    await page.locator("details.answer summary").first().click();
    await page.locator("details.answer[open] pre", { hasText: `"impot_net": ${impot_net}` }).waitFor();
    await context.close();
  },

  async "everything works without scripts"() {
    const { context, page } = await open({ javaScriptEnabled: false });
    await page.goto(`${base}/simulateurs/salaire-net/ma`);
    await page.fill("#champ-brut", "15 000");
    await page.click("form button");
    const { net_mensuel } = await api("/api/v1/salaire-net?pays=ma&brut=15000");
    assert.equal(await shownResult(page), net_mensuel);
    await page.goto(`${base}/simulateurs/salaire/annee`);
    await page.fill('[name="brut-tous"]', "2 600");
    await page.fill('[name="primes-12"]', "2 600");
    await page.click("form button");
    assert.equal(await shownResult(page), 26755.96);
    await page.goto(`${base}/simulateurs/salaire?brut=2500`);
    await page.click("#etapes summary");
    await page.click("#etapes a");
    assert.ok(await page.locator("#etapes[open] .detail", { hasText: "2 500,00 € × 6,9 % = 172,50 €" }).first().isVisible());
    await page.fill("#champ-net_apres_impot", "2 000");
    await page.click("form.questions button");
    assert.match(page.url(), /net_apres_impot=2/);
    const { brut } = await api("/api/v1/salaire?net_apres_impot=2000");
    assert.equal(plain(await page.inputValue("#champ-brut")), brut);
    await page.goto(`${base}/`);
    await page.fill("#brut", "15 000");
    await page.selectOption("#pays", "salaire-net/ma");
    await page.click("form.pay button");
    assert.equal(await shownResult(page), net_mensuel);
    await page.goto(`${base}/api`);
    await page.fill("#appel", "/api/v1/tva?montant=100&taux=20&sens=ht");
    await page.click("form.call button");
    assert.match(await page.locator("#reponse pre").innerText(), /"ttc": 120/);
    await context.close();
  },

  async "a search is completed while typing, by the keyboard"() {
    const { context, page } = await open();
    await page.goto(`${base}/`);
    const input = page.locator("#chercher");
    await input.focus();
    await page.keyboard.type("notaire");
    await page.locator("[role=option]").first().waitFor();
    assert.equal(await input.getAttribute("aria-expanded"), "true");
    assert.match(await page.locator("form.search [role=status]").first().innerText(), /suggestion/, "a screen reader hears of it");
    await page.keyboard.press("ArrowDown");
    const active = await input.getAttribute("aria-activedescendant");
    assert.equal(await page.locator(`#${active}`).getAttribute("aria-selected"), "true");
    await examine(page, "a search with suggestions");
    await page.keyboard.press("Escape");
    assert.equal(await input.getAttribute("aria-expanded"), "false");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const target = await page.locator("[role=option][aria-selected=true]").getAttribute("data-vers");
    await page.keyboard.press("Enter");
    await page.waitForURL(base + target);
    await context.close();
  },

  async "a pay and an income tax are documents on paper"() {
    const { context, page } = await open();
    for (const [path, parts] of [
      ["/simulateurs/salaire?brut=2650&employeur=true", ["table.payslip", ".legend"]],
      ["/simulateurs/ir?revenu=78400", [".brackets .legend"]],
    ]) {
      await page.goto(base + path);
      assert.equal(await page.locator("[data-imprimer]").innerText(), "Enregistrer en PDF");
      await page.emulateMedia({ media: "print" });
      for (const part of ["h1", ".headline", ".cite", ...parts]) assert.ok(await page.locator(part).first().isVisible(), `${part} of ${path}`);
      for (const control of ["form.questions", "header nav", ".actions", "footer nav", "summary"]) {
        assert.equal(await page.locator(`${control}:visible`).count(), 0, `${control} of ${path}`);
      }
      assert.match(await page.locator(".cite").innerText(), /^Sources et date\s.*art\.\s[\s\S]*Calcul du \d+/s);
      const pdf = await page.pdf({ preferCSSPageSize: true });
      const sheets = pdf.toString("latin1").match(/\/Type\s*\/Page\b(?!s)/g).length;
      assert.ok(sheets <= 2, `${sheets} sheets of ${path}`);
      await page.emulateMedia({ media: "screen" });
    }
    await context.close();
  },

  async "a legend keeps its colours where the reader has colours of his own"() {
    const { context, page } = await open({ forcedColors: "active" });
    await page.goto(`${base}/simulateurs/salaire?brut=2650&employeur=true`);
    const colours = await page.$$eval(".legend li", (items) => items.map((item) => getComputedStyle(item, "::before").backgroundColor));
    assert.ok(colours.length >= 3 && new Set(colours).size === colours.length, colours.join(" "));
    await context.close();
  },

  async "a call is edited and run on the page of the API"() {
    const { context, page } = await open();
    await page.goto(`${base}/api`);
    await page.fill("#appel", "/api/v1/ir?revenus=1");
    await page.click("form.call button");
    await page.locator("#reponse", { hasText: "parametres_invalides" }).waitFor();
    await page.fill("#appel", "/api/v1/tva?montant=100&taux=20&sens=ht");
    await page.click("form.call button");
    await page.locator("#reponse", { hasText: '"ttc": 120' }).waitFor();
    await context.close();
  },

  async "a key is got, used, and says what it used"() {
    const { context, page } = await open();
    await page.goto(`${base}/cle`);
    await page.fill("#courriel", "claire@example.org");
    await page.click("form button");
    const key = await page.locator("code.key").innerText();
    assert.ok((await page.locator("pre.copy").first().innerText()).includes(key), "the first call is ready");
    const used = await fetch(`${base}/api/v1/ir?revenu=30000`, { headers: { "X-API-Key": key } });
    assert.equal(used.status, 200);
    await page.goto(`${base}/cle/usage`);
    await page.fill("#cle", key);
    await page.click("form button");
    assert.equal(await page.locator("#appels").innerText(), "1");
    await page.fill("#cle", "bma_rien");
    await page.click("form button");
    assert.ok(await page.locator("[role=alert]").isVisible());
    await context.close();
  },

  async "every simulation prints on one page of A4"() {
    const { context, page } = await open();
    for (const path of paths.filter((path) => path.startsWith("/simulateurs/"))) {
      await page.goto(base + path);
      const paper = (await page.pdf({ format: "A4", preferCSSPageSize: true })).toString("latin1");
      assert.equal(paper.match(/\/Type\s*\/Page\b(?!s)/g)?.length, 1, path);
    }
    await context.close();
  },

  async "the first page and a keystroke's answer come at once"() {
    const loads = [];
    const answers = [];
    for (let round = 0; round < 5; round += 1) {
      const { context, page } = await open();
      await page.goto(`${base}/`);
      loads.push(await page.evaluate(() => performance.getEntriesByType("navigation")[0].loadEventEnd));
      await page.goto(`${base}/simulateurs/salaire-net/sn`);
      await page.waitForFunction(() => document.querySelector("[role=status]"));
      answers.push(await page.evaluate(async (gross) => {
        const field = document.querySelector("#champ-brut");
        const shown = new Promise((done) => new MutationObserver(done).observe(document.querySelector("#resultat"), { childList: true }));
        const start = performance.now();
        field.value = gross;
        field.dispatchEvent(new Event("input", { bubbles: true }));
        await shown;
        return performance.now() - start;
      }, 400_000 + round));
      await context.close();
    }
    // Whatever else runs on the machine, one of five is not disturbed.
    const [load, answer] = [Math.min(...loads), Math.min(...answers)];
    console.log(`first page ${load.toFixed(0)} ms, a keystroke ${answer.toFixed(0)} ms`);
    assert.ok(load < longest.load, `first page: ${load} ms`);
    assert.ok(answer < longest.answer, `keystroke: ${answer} ms`);
  },

  async "the reference opens under its policy, in French, for every reader"() {
    const { context, page } = await open();
    await page.goto(`${base}/documentation/reference/a`);
    await page.locator("#operations-calculs-tva .opblock-summary-control").click();
    await page.locator("#operations-calculs-tva .try-out__btn", { hasText: "Essayer" }).click();
    await page.locator(".execute", { hasText: "Exécuter" }).click();
    await page.locator(".live-responses-table .microlight", { hasText: "bareme_en_vigueur" }).waitFor();
    await page.locator("#operations-cles-obtenirCle .opblock-summary-control, .opblock-post .opblock-summary-control").first().click();
    const english = /\b(Parameters|Responses?|Execute|Try it out|Cancel|Clear|Servers?|Media type|Example|Schemas?|required|query|Headers|Links)\b/;
    const words = await page.evaluate(() => {
      const texts = document.createTreeWalker(document.querySelector("#reference"), NodeFilter.SHOW_TEXT);
      const found = [];
      while (texts.nextNode()) {
        const { data, parentElement } = texts.currentNode;
        if (!parentElement.closest("pre, code, .markdown, .renderedMarkdown") && parentElement.checkVisibility()) found.push(data.trim());
      }
      return found;
    });
    assert.deepEqual(words.filter((text) => english.test(text)), [], "words of the viewer that are not French");
    await examine(page, "the reference, a call made");
    await context.close();
  },

  async "every page fits its width and passes axe-core in both themes"() {
    const waiting = [...paths];
    const visit = async () => {
      const { context, page } = await open();
      for (let path = waiting.shift(); path; path = waiting.shift()) {
        await page.goto(base + path);
        if (path.includes("/reference/")) await page.locator(".opblock").first().waitFor();
        await examine(page, path);
      }
      await context.close();
    };
    await Promise.all([visit(), visit()]);
  },

  async "pages of errors pass axe-core"() {
    const { context, page } = await open();
    for (const path of ["/simulateur/salaire-net/sn", "/simulateurs/salaire-net/sn?brut=beaucoup&parts=99"]) {
      await page.goto(base + path);
      await examine(page, path);
    }
    await context.close();
  },

  async "every part of the site is reached by the keyboard alone"() {
    const { context, page } = await open();
    await page.goto(`${base}/`);
    for (const part of ["/simulateurs", "/comparer", "/baremes", "/api", "/documentation"]) {
      await tabTo(page, `header a[href="${part}"]`);
      await page.keyboard.press("Enter");
      await page.waitForURL(base + part);
    }
    await page.goto(`${base}/api`);
    await tabTo(page, 'main a[href="/cle"]');
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/cle`);
    await tabTo(page, "#courriel");
    await page.keyboard.type("clavier@example.org");
    await tabTo(page, "form button");
    await page.keyboard.press("Enter");
    assert.match(await page.locator("code.key").innerText(), /^bm/);
    await page.goto(`${base}/comparer`);
    await tabTo(page, "#montant");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("4000");
    await page.keyboard.press("Enter");
    await page.waitForURL(/montant=4000/);
    await page.goto(`${base}/api`);
    await tabTo(page, "#appel");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("/api/v1/tva?montant=100");
    await page.keyboard.press("Enter");
    await page.locator("#reponse", { hasText: '"ttc": 120' }).waitFor();
  },
};

await run(checks);
