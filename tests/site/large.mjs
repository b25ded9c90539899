// What a page holds stays in its width, everything unfolded: with text of twice the size on a telephone, whether the page
// or the browser makes it larger, and on the narrowest screens (WCAG 2.2, 1.4.4 and 1.4.10). A table is wider than the
// page only within a region that scrolls and that the keyboard reaches.

import { base, failures, given, launched, open, run, visit } from "./driver.mjs";

// The first pages of each kind: those of a family are made by the same code.
const EACH = 4;
const kind = (path) => path.split("/").slice(0, -1).join("/") || path;
const seen = new Map();
const listed = given[0].split(" ").filter((path) => {
  seen.set(kind(path), (seen.get(kind(path)) ?? 0) + 1);
  return seen.get(kind(path)) <= EACH;
});
const asked = [
  "/?brut=30000&periode=annuel&pays=salaire",
  "/simulateurs?q=impot",
  "/simulateurs/salaire?brut=3000&cadre=true",
  "/simulateurs/pret?montant=180000&duree=216&taux=3.15",
  "/comparer?montant=3000&devise=EUR&pays=zz&pays=sn",
  "/en/comparer?montant=3000&devise=locale",
  "/introuvable",
  "/cle/usage",
];
const paths = [...listed, ...asked];

// What stands out of the page. Runs in the page.
function beyond() {
  document.querySelectorAll("details").forEach((details) => (details.open = true));
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  const isMoved = (element) => {
    const region = element.closest(".wide, pre, textarea, .suggestions");
    return region && region !== element;
  };
  const isBeyond = (element) => element.getBoundingClientRect().right > width + 1 && !isMoved(element);
  const found = [...document.body.querySelectorAll("*")].filter(isBeyond);
  const inner = found.filter((element) => ![...element.children].some(isBeyond));
  return inner.map((element) => {
    const { tagName, className, textContent } = element;
    return `${tagName.toLowerCase()}.${className} “${textContent.trim().slice(0, 40)}”`;
  });
}

// Whether each region that scrolls is reached by Tab, under a name. Runs in the page.
function unreached() {
  const regions = [...document.querySelectorAll(".wide")].filter((region) => region.scrollWidth > region.clientWidth);
  const isReached = (region) => region.tabIndex === 0 && region.getAttribute("aria-label");
  return regions.filter((region) => !isReached(region)).map((region) => region.textContent.trim().slice(0, 40));
}

async function look(page, name, large) {
  for (const path of paths) {
    await visit(page, path);
    if (large) await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
    const faults = [...(await page.evaluate(beyond)), ...(await page.evaluate(unreached))];
    if (faults.length > 0) failures.push(`${path} (${name}): ${faults.slice(0, 3).join("; ")}`);
  }
}

const checks = {
  async "text of twice the size stays in a page of 390 px"() {
    const { context, page } = await open({ viewport: { width: 390, height: 844 } });
    await look(page, "200 % at 390", true);
    await context.close();
  },

  async "so does the text that a browser is set to make larger"() {
    const larger = await launched(["--blink-settings=defaultFontSize=32"]);
    const { page } = await open({ viewport: { width: 390, height: 844 }, program: larger });
    await page.goto(base);
    const size = await page.evaluate(() => getComputedStyle(document.documentElement).fontSize);
    if (size !== "32px") failures.push(`text is of ${size}, which checks nothing`);
    await look(page, "32 px at 390", false);
    await larger.close();
  },

  async "pages fit the narrowest screens"() {
    const { context, page } = await open({ viewport: { width: 320, height: 640 } });
    await look(page, "320", false);
    await context.close();
  },
};

if (paths.length < 60) failures.push(`only ${paths.length} pages were looked at`);
await run(checks);
