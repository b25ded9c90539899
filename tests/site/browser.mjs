// What somebody does with the site, in a real browser. Any request that leaves the host, any error of a page and
// any violation that axe-core finds is a failure.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [base, chromium, modules, listed] = process.argv.slice(2);
const require = createRequire(join(modules, "_"));
const { chromium: driver } = require("playwright-core");
const axe = readFileSync(join(modules, "axe-core/axe.min.js"), "utf8");
const path = require("node:child_process").execFileSync("which", [chromium]).toString().trim();
const browser = await driver.launch({ executablePath: path, args: ["--no-sandbox"] });
const failures = [];

async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "fr-FR", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  context.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(base) && !url.startsWith("data:")) failures.push(`left the host: ${url}`);
  });
  page.on("pageerror", (error) => failures.push(`${page.url()}: ${error.message}`));
  page.on("console", (message) => {
    // A form that is refused answers with its status: the browser reports it as an error.
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) failures.push(`${page.url()}: ${message.text()}`);
  });
  return { context, page };
}

const plain = (text) => Number(text.replace(/[\s\u202f\u00a0]/g, "").replace("\u2212", "-").replace(",", "."));
const api = async (call) => (await fetch(base + call)).json();
const shownNet = async (page) => plain(await page.locator(".headline .net dd").innerText());

// The result follows the question: waits until the link to the case holds all of these.
async function answered(page, ...parts) {
  await page.waitForFunction(
    (parts) => parts.every((part) => document.querySelector("[data-lien]")?.dataset.lien.includes(part)),
    parts,
  );
}

const checks = {
  async "the net of five countries is that of the interface, while typing"() {
    const { context, page } = await open();
    for (const [country, gross] of [["sn", 450000], ["ci", 600000], ["ma", 12000], ["tn", 2500], ["qc", 5000]]) {
      await page.goto(`${base}/simulateurs/salaire-net/${country}`);
      await page.fill("#champ-montant", String(gross));
      await answered(page, `brut=${gross}`);
      const { net_mensuel } = await api(`/api/v1/salaire-net?pays=${country}&brut=${gross}`);
      assert.equal(await shownNet(page), net_mensuel, country);
      assert.match(page.url(), new RegExp(`brut=${gross}`), "the address reopens the case");
    }
    await context.close();
  },

  async "a net and a cost are starting points"() {
    const { context, page } = await open();
    await page.goto(`${base}/simulateurs/salaire-net/sn`);
    await page.selectOption("#champ-depart", "net");
    await page.fill("#champ-montant", "400000");
    await answered(page, "net=400000");
    assert.equal(await shownNet(page), 400000);
    await page.selectOption("#champ-depart", "cout");
    await page.fill("#champ-montant", "600000");
    await answered(page, "cout=600000");
    const { net_mensuel } = await api("/api/v1/salaire-net?pays=sn&cout=600000");
    assert.equal(await shownNet(page), net_mensuel);
    await context.close();
  },

  async "another date has another scale, and two years stand side by side"() {
    const { context, page } = await open();
    await page.goto(`${base}/simulateurs/salaire-net/tn?brut=3000`);
    await page.fill("#champ-date", "2024-06-30");
    await page.waitForURL(/date=2024-06-30/);
    await page.locator("h1 + p", { hasText: "2024" }).waitFor();
    const { net_mensuel } = await api("/api/v1/salaire-net?pays=tn&brut=3000&date=2024-06-30");
    assert.equal(await shownNet(page), net_mensuel);
    await page.selectOption("#champ-comparer", { index: 1 });
    await answered(page, "comparer-a=");
    assert.ok((await page.locator(".payslip th", { hasText: "Écart" }).count()) === 1);
    await context.close();
  },

  async "a refused value has its message at its question"() {
    const { context, page } = await open();
    await page.goto(`${base}/simulateurs/salaire-net/sn`);
    await page.fill("#champ-montant", "beaucoup");
    await page.locator("#erreur-montant:not([hidden])", { hasText: "Nombre attendu" }).waitFor();
    assert.equal(await page.getAttribute("#champ-montant", "aria-invalid"), "true");
    await page.fill("#champ-montant", "450 000,50");
    await answered(page, "brut=450000.50");
    assert.equal(await page.getAttribute("#champ-montant", "aria-invalid"), null);
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
      if (await page.evaluate(() => document.activeElement.id === "champ-montant")) break;
    }
    await page.keyboard.press("Control+A");
    await page.keyboard.type("500000");
    await answered(page, "brut=500000");
    const status = await page.locator("[role=status]").innerText();
    assert.match(status, /Salaire net/, "a screen reader hears the result");
    await page.locator(".payslip summary").first().focus();
    await page.keyboard.press("Enter");
    assert.ok(await page.locator(".payslip details[open] .detail").first().isVisible());
    await page.focus("#champ-montant");
    await page.keyboard.press("End");
    await page.keyboard.type("0");
    await answered(page, "brut=5000000");
    assert.ok(await page.locator(".payslip details[open]").first().isVisible(), "what was unfolded stays so");
    await context.close();
  },

  async "everything works without scripts"() {
    const { context, page } = await open({ javaScriptEnabled: false });
    await page.goto(`${base}/simulateurs/salaire-net/ma`);
    await page.fill("#champ-montant", "15 000");
    await page.click("form button");
    const { net_mensuel } = await api("/api/v1/salaire-net?pays=ma&brut=15000");
    assert.equal(await shownNet(page), net_mensuel);
    await page.goto(`${base}/`);
    await page.fill("#appel", "/api/v1/tva?montant=100&taux=20&sens=ht");
    await page.click("form.call button");
    assert.match(await page.locator("#reponse pre").innerText(), /"ttc": 120/);
    await context.close();
  },

  async "a call is edited and run on the first page"() {
    const { context, page } = await open();
    await page.goto(`${base}/`);
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

  async "a simulation prints on one page of A4"() {
    const { context, page } = await open();
    for (const folder of ["salaire-net/sn", "salaire-net/qc", "ir"]) {
      await page.goto(`${base}/simulateurs/${folder}`);
      const paper = (await page.pdf({ format: "A4", preferCSSPageSize: true })).toString("latin1");
      assert.equal(paper.match(/\/Type\s*\/Page\b(?!s)/g)?.length, 1, folder);
    }
    await context.close();
  },

  async "the reference opens under its policy"() {
    const { context, page } = await open();
    await page.goto(`${base}/documentation/reference/a`);
    await page.locator(".opblock").nth(5).waitFor();
    await context.close();
  },

  async "every page fits its width and passes axe-core"() {
    const paths = listed.split(" ").filter((path) => !path.startsWith("/erreurs/")).concat("/cle/usage", "/erreurs/quota-depasse");
    const views = [
      { colorScheme: "light", viewport: { width: 360, height: 800 } },
      { colorScheme: "dark", viewport: { width: 1280, height: 900 }, only: ["color-contrast"] },
    ];
    await Promise.all(views.map(async ({ only, ...options }) => {
      const { context, page } = await open(options);
      for (const path of paths) {
        await page.goto(base + path);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (wide > 0) failures.push(`${path}: ${wide} px too wide at ${options.viewport.width}`);
        await page.evaluate(axe);
        const { violations } = await page.evaluate((only) => globalThis.axe.run(only ? { runOnly: only } : {}), only);
        for (const { id, nodes } of violations) failures.push(`${path} (${options.colorScheme}): ${id}: ${nodes[0].html}`);
      }
      await context.close();
    }));
  },
};

for (const [name, check] of Object.entries(checks)) {
  const start = Date.now();
  try {
    await check();
  } catch (error) {
    failures.push(`${name}: ${error.message}`);
  }
  console.log(`${name}: ${Date.now() - start} ms`);
}
await browser.close();
for (const failure of failures) console.error(failure);
process.exit(failures.length === 0 ? 0 : 1);
