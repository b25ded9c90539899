// The pictures of the manuals, made again: `node tests/site/pictures.mjs <service> <chromium> <node_modules> <bareme>`, with
// the address of a running service, the browser, the modules that tests/run installs, and the command line. They are in
// server/pictures, in the light theme.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { base, browser, failures, given, open } from "./driver.mjs";

const [bareme] = given;
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const LARGEST = 150_000;
const MARGIN = 16;
const size = { width: 1280, height: 800 };

// The page from the top of an element on, as wide as it is, and as much as a screen shows.
async function picture(name, top, show) {
  const { context, page } = await open({ viewport: size, colorScheme: "light" });
  await show(page);
  const path = join(root, "server/pictures", `${name}.png`);
  const { x, y, width } = await page.locator(top).first().boundingBox();
  const clip = { x: x - MARGIN, y: Math.max(y - MARGIN, 0), width: width + 2 * MARGIN, height: size.height };
  await page.screenshot({ path, fullPage: true, clip });
  const bytes = statSync(path).size;
  console.log(`${name}: ${bytes} bytes`);
  if (bytes > LARGEST) failures.push(`${name} has ${bytes} bytes`);
  await context.close();
}

// What a reform costs, on a sample of 20 000 households that is the same each time.
function impact() {
  const folder = mkdtempSync(join(tmpdir(), "bareme-"));
  const sample = join(folder, "menages.parquet");
  const rules = ["--rules", join(root, "rules")];
  const run = (...options) => execFileSync(bareme, [...options, ...rules], { stdio: ["ignore", "pipe", "ignore"] }).toString();
  try {
    run("population", "ir", "--rows", "20000", "--output", sample);
    const years = ["--before", "2025", "--after", "2026"];
    return run("impact", "ir", sample, ...years, "--weight", "poids", "--by", "decile:revenu", "--format", "html");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

await picture("accueil", "main", (page) => page.goto(`${base}/`));
await picture("salaire", "#resultat figure", (page) => page.goto(`${base}/simulateurs/salaire?brut=2650&employeur=true`));
await picture("impact", "h1", (page) => page.setContent(impact()));
await browser.close();
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;
