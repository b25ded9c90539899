// The browser that the scripts of the site drive, and how they say what failed. Any request that leaves the host and any
// error of a page is a failure.

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";

const [base, chromium, modules, ...given] = process.argv.slice(2);
const require = createRequire(join(modules, "_"));
const { chromium: driver } = require("playwright-core");
const command = execFileSync("which", [chromium]).toString().trim();
// A browser with some settings of its own.
export const launched = (settings = []) => driver.launch({ executablePath: command, args: ["--no-sandbox", ...settings] });
const browser = await launched();
const failures = [];

export { base, browser, failures, given, modules };

// Addresses from which the scripts ask, one after the other: the budget of one holds what a person looks at, and not
// every field of every page. The service trusts this machine to name them.
let addresses = 0;
export async function fromAnotherAddress(page) {
  addresses += 1;
  await page.setExtraHTTPHeaders({ "X-Forwarded-For": `198.18.${addresses >> 8}.${addresses & 255}` });
}

// A page of its own, in French, from an address of its own; `others` are sites that it may ask besides, `program` the
// browser.
export async function open({ others = [], program = browser, ...options } = {}) {
  const context = await program.newContext({ viewport: { width: 1280, height: 900 }, locale: "fr-FR", ...options });
  const page = await context.newPage();
  await fromAnotherAddress(page);
  // Long, since other test programs take the processors meanwhile.
  page.setDefaultTimeout(60_000);
  context.on("request", (request) => {
    const url = request.url();
    if (![base, ...others].some((site) => url.startsWith(site)) && !url.startsWith("data:")) failures.push(`left the host: ${url}`);
  });
  page.on("pageerror", (error) => failures.push(`${page.url()}: ${error.message}`));
  page.on("console", (message) => {
    // A form that is refused answers with its status, and a call without a network fails: the browser reports both.
    const isExpected = /status of 4\d\d|ERR_(INTERNET_DISCONNECTED|FAILED)/.test(message.text());
    if (message.type() === "error" && !isExpected) failures.push(`${page.url()}: ${message.text()}`);
  });
  return { context, page };
}

// Opens a page, from another address where one has asked for too many calculations.
export async function visit(page, path) {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const reply = await page.goto(base + path);
    if (reply.status() !== 429) return;
    await fromAnotherAddress(page);
  }
  throw new Error(`${path} stays refused`);
}

// The first number of a text: 2 097,72 of `2 097,72 € par mois`.
export const plain = (text) =>
  Number(text.replace("\u2212", "-").match(/-?\d[\d\s]*(,\d+)?/)[0].replace(/\s/g, "").replace(",", "."));
export const shownResult = async (page) => plain(await page.locator(".headline .net dd").innerText());

// The result follows the question: waits until the link to the case holds all of these.
export async function answered(page, ...parts) {
  await page.waitForFunction(
    (parts) => parts.every((part) => document.querySelector("[data-lien]")?.dataset.lien.includes(part)),
    parts,
  );
}

// Runs the checks, says how long each took and what failed, and ends.
export async function run(checks) {
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
}
