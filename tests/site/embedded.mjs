// The element in a page of another origin, under a strict policy: the page of a ministry on gross and net.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { base, modules, open, plain, run } from "./driver.mjs";

const axe = readFileSync(join(modules, "axe-core/axe.min.js"), "utf8");
const EVENTS = ["bareme-pret", "bareme-saisie", "bareme-periode", "bareme-resultat", "bareme-refus", "bareme-echec"];

const PAGE = `<!doctype html><html lang="fr"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Du brut au net</title><link rel="stylesheet" href="/style.css"><script src="/events.js"></script>
<script src="${base}/bareme.js" async></script></head><body><main><h1>Du brut au net</h1>
<bareme-salaire brut="42000" periode="annuel"><a href="${base}/simulateurs/salaire">Calculer</a></bareme-salaire>
<bareme-salaire id="sn" pays="sn" net="300000"></bareme-salaire></main></body></html>`;
// Of an English page, and one that has a language of its own.
const ENGLISH = PAGE.replace('lang="fr"', 'lang="en-GB"').replace('id="sn"', 'id="sn" lang="fr"');
const FILES = {
  "/": ["text/html; charset=utf-8", PAGE],
  "/en": ["text/html; charset=utf-8", ENGLISH],
  "/style.css": ["text/css", "bareme-salaire { --bareme-accent: #00695c; --bareme-taille: 1.25rem } label { color: red }"],
  "/events.js": [
    "text/javascript",
    `const events = []; for (const name of ${JSON.stringify(EVENTS)}) addEventListener(name, (event) => events.push([name, event.detail]));`,
  ],
};

const server = createServer((request, response) => {
  const [type, text] = FILES[request.url] ?? ["text/plain", ""];
  const policy = `default-src 'none'; style-src 'self'; script-src 'self' ${base}; connect-src ${base}; require-trusted-types-for 'script'`;
  response.writeHead(200, { "Content-Type": type, "Content-Security-Policy": policy, "Cross-Origin-Embedder-Policy": "require-corp" });
  response.end(text);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const other = `http://127.0.0.1:${server.address().port}`;

const api = async (call) => (await fetch(base + call)).json();

// A page of the other site, whose own requests are no failure.
async function visit(options, path = "/") {
  const { context, page } = await open({ ...options, others: [other] });
  // A header of its own would make each call one that the service has to allow first.
  await page.setExtraHTTPHeaders({});
  await page.goto(other + path);
  return { context, page };
}

const amount = async (page, name, element = "bareme-salaire") => plain(await page.locator(`${element} >> #${name}`).first().inputValue());
const followed = (page, count) =>
  page.waitForFunction((count) => events.filter(([name]) => name === "bareme-resultat").length >= count, count);

const checks = {
  async "the amounts of the attributes are answered as by the interface"() {
    const { context, page } = await visit();
    await followed(page, 2);
    const answer = await api("/api/v1/salaire?brut=42000&periode=annuel&employeur=true&taux_pas=neutre");
    assert.equal(await amount(page, "net"), answer.net);
    assert.equal(await amount(page, "net_apres_impot"), answer.net_apres_impot);
    assert.equal(await amount(page, "cout"), answer.cout_employeur);
    const { brut_mensuel } = await api("/api/v1/salaire-net?pays=sn&net=300000");
    assert.equal(await amount(page, "brut", "#sn"), brut_mensuel);
    await context.close();
  },

  async "each amount is typed, by the keyboard, and the others follow"() {
    const { context, page } = await visit();
    await followed(page, 2);
    await page.locator("#periode").first().selectOption("mensuel");
    await followed(page, 3);
    for (const [count, name, typed, field] of [[4, "net", "2 000,50", "net"], [5, "net_apres_impot", "1900", "net_apres_impot"], [6, "cout", "4000", "cout_employeur"]]) {
      await page.locator(`#${name}`).first().focus();
      await page.keyboard.press("Control+A");
      await page.keyboard.type(typed);
      await followed(page, count);
      const sent = typed.replace(" ", "").replace(",", ".");
      const answer = await api(`/api/v1/salaire?${name}=${sent}&employeur=true&taux_pas=neutre`);
      assert.equal(await amount(page, "brut"), answer.brut, name);
      assert.ok(answer[field] > 0);
    }
    assert.match(await page.locator("[role=status]").first().innerText(), /brut/i, "a screen reader hears the amounts");
    await context.close();
  },

  async "a refusal is shown, without an old amount"() {
    const { context, page } = await visit();
    await followed(page, 2);
    await page.locator("#brut").first().fill("beaucoup");
    await page.locator("[role=alert]", { hasText: "Nombre attendu" }).first().waitFor();
    assert.equal(await page.locator("#brut").first().getAttribute("aria-invalid"), "true");
    assert.equal(await page.locator("#net").first().inputValue(), "");
    await page.route(`${base}/api/**`, (route) => route.abort());
    await page.locator("#brut").first().fill("2000");
    await page.locator("[role=alert]", { hasText: "pas répondu" }).first().waitFor();
    await page.locator("#periode").first().selectOption("mensuel");
    const names = new Set(await page.evaluate(() => events.map(([name]) => name)));
    assert.deepEqual(EVENTS.filter((name) => !names.has(name)), [], "events that never came");
    await context.close();
  },

  async "it is in the language of its page, or in its own"() {
    const { context, page } = await visit({}, "/en");
    await followed(page, 2);
    const first = page.locator("bareme-salaire").first();
    const text = await first.evaluate((element) => element.shadowRoot.querySelector("form").innerText);
    assert.match(text, /Gross pay/);
    assert.match(text, /Period/);
    assert.doesNotMatch(text, /salaire|période|employeur/i);
    assert.match(await first.locator(".by").innerText(), /^Calculation: Barème, for information only\.$/);
    assert.match(await first.locator(".by a").getAttribute("href"), /\/en\/simulateurs\/salaire$/);
    assert.match(await page.locator("#sn >> form").innerText(), /Salaire brut/);

    // Numbers are typed and written as in English, and as they are elsewhere.
    await first.locator("#periode").selectOption("mensuel");
    await first.locator("#brut").fill("2,650.50");
    const answer = await api("/api/v1/salaire?brut=2650.5&employeur=true&taux_pas=neutre");
    const written = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 2 }).format(answer.net);
    await page.waitForFunction((written) => document.querySelector("bareme-salaire").shadowRoot.querySelector("#net").value === written, written);
    assert.match(await first.locator("[role=status]").innerText(), /: [\d,]+\.\d\d €; /);
    await first.locator("#brut").fill("plenty");
    await first.locator("[role=alert]", { hasText: "A number is expected" }).waitFor();

    // The language may be changed.
    await first.evaluate((element) => element.setAttribute("lang", "fr"));
    await first.locator("label[for=periode]", { hasText: "Période" }).waitFor();
    await context.close();
  },

  async "its script is small"() {
    const reply = await fetch(`${base}/bareme.js`);
    const size = gzipSync(await reply.text()).length;
    assert.ok(size < 12 * 1024, `${size} bytes as gzip`);
  },

  async "its styles are its own, it fits 320 px and passes axe-core"() {
    const { context, page } = await visit({ viewport: { width: 320, height: 900 }, bypassCSP: false });
    await followed(page, 2);
    const label = page.locator("bareme-salaire >> label").first();
    assert.notEqual(await label.evaluate((element) => getComputedStyle(element).color), "rgb(255, 0, 0)");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wide, 0);
    assert.ok(await page.locator("bareme-salaire >> a", { hasText: "Barème" }).first().isVisible(), "the attribution is shown");
    await context.close();
    // The checker is a script of its own, which the policy of the page would refuse.
    const free = await visit({ bypassCSP: true });
    await followed(free.page, 2);
    await free.page.evaluate(axe);
    const { violations } = await free.page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
    await free.context.close();
  },
};

await run(checks);
