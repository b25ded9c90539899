// The element with a publishable key: in a page of the origin that the key was declared for, and in the page of another
// site that copied it.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { base, given, open, plain, run } from "./driver.mjs";

const [key, secret, own, foreign] = given;
const EVENTS = ["bareme-resultat", "bareme-refus", "bareme-echec"];

const page = (attributes) => `<!doctype html><html lang="fr"><head><meta charset="utf-8"><title>Du brut au net</title>
<script>const events = []; for (const name of ${JSON.stringify(EVENTS)}) addEventListener(name, (event) => events.push([name, event.detail]));</script>
<script src="${base}/bareme.js"></script></head><body>
<bareme-salaire ${attributes} brut="42000" periode="annuel"></bareme-salaire></body></html>`;
const PAGES = {
  "/": page(`cle="${key}"`),
  "/secrete": page(`cle="${secret}"`),
  "/sans": page(""),
};

// One site, two origins: the same pages, of which the key was declared for the first alone.
async function site(port) {
  const server = createServer((request, response) => {
    response.writeHead(request.url in PAGES ? 200 : 404, { "Content-Type": "text/html; charset=utf-8" });
    response.end(PAGES[request.url] ?? "");
  });
  await new Promise((done) => server.listen(Number(port), "localhost", done));
  return `http://localhost:${port}`;
}
const [declared, other] = [await site(own), await site(foreign)];

// A page, with the calls that it makes and their replies.
async function visit(address) {
  const { context, page } = await open({ others: [declared, other] });
  await page.setExtraHTTPHeaders({});
  const calls = [];
  page.on("response", (response) => {
    if (response.url().startsWith(`${base}/api/`) && response.request().method() === "GET") calls.push(response);
  });
  await page.goto(address);
  const followed = (name) => page.waitForFunction((name) => events.some(([known]) => known === name), name);
  const details = (name) => page.evaluate((name) => events.filter(([known]) => known === name).map(([, detail]) => detail), name);
  return { context, page, calls, followed, details };
}

const amount = (page, name) => page.locator(`bareme-salaire >> #${name}`).inputValue();

const checks = {
  async "a page of the declared origin gets the amounts, and the key is charged"() {
    const { context, page, calls, followed } = await visit(declared);
    await followed("bareme-resultat");
    const answer = await (await fetch(`${base}/api/v1/salaire?brut=42000&periode=annuel&employeur=true&taux_pas=neutre`)).json();
    assert.equal(plain(await amount(page, "net")), answer.net);
    assert.equal(plain(await amount(page, "cout")), answer.cout_employeur);
    const [reply] = calls;
    assert.equal((await reply.request().allHeaders())["x-api-key"], key);
    const headers = await reply.allHeaders();
    assert.equal(headers["access-control-allow-origin"], declared);
    assert.match(headers.vary, /origin/);
    // The quota of the plan, which no address has.
    assert.match(headers["ratelimit-policy"], /"jour";q=10000;/);
    await context.close();
  },

  async "a page of another origin that copied the key is refused, and shows no amount"() {
    const { context, page, calls, followed, details } = await visit(other);
    await followed("bareme-echec");
    assert.deepEqual(await details("bareme-echec"), [{ statut: 403, code: "origine_non_declaree" }]);
    assert.equal(await amount(page, "net"), "");
    assert.match(await page.locator("bareme-salaire >> [role=alert]").innerText(), /pas déclarée pour sa clé/);
    assert.equal(calls.length, 1);
    assert.equal(calls[0].status(), 403);
    // Without the key it calculates, in the quota of the visitor.
    await page.evaluate(() => document.querySelector("bareme-salaire").removeAttribute("cle"));
    await followed("bareme-resultat");
    assert.equal((await calls.at(-1).request().allHeaders())["x-api-key"], undefined);
    assert.notEqual(await amount(page, "net"), "");
    assert.equal(await page.locator("bareme-salaire >> [role=alert]").innerText(), "");
    await context.close();
  },

  async "a secret key is not sent"() {
    const { context, page, calls, followed, details } = await visit(`${declared}/secrete`);
    await followed("bareme-echec");
    assert.equal((await details("bareme-echec"))[0].statut, 0);
    assert.match(await page.locator("bareme-salaire >> [role=alert]").innerText(), /n’est pas publiable/);
    assert.equal(calls.length, 0);
    await context.close();
  },

  async "a key is given later"() {
    const { context, page, calls, followed } = await visit(`${declared}/sans`);
    await followed("bareme-resultat");
    assert.equal((await calls[0].request().allHeaders())["x-api-key"], undefined);
    await page.evaluate((key) => document.querySelector("bareme-salaire").setAttribute("cle", key), key);
    await page.waitForFunction(() => events.filter(([name]) => name === "bareme-resultat").length > 1);
    const last = calls.at(-1);
    assert.equal((await last.request().allHeaders())["x-api-key"], key);
    assert.equal((await last.allHeaders())["access-control-allow-origin"], declared);
    await context.close();
  },
};

await run(checks);
