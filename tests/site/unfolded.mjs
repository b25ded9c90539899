// Every simulator as it reads unfolded, after an answer that its script has asked for: on a telephone, a tablet, a
// screen and paper nothing is wider than the page, and no text stands in a column of a few letters.

import { failures, given, open, run, visit } from "./driver.mjs";

const paths = given[0].split(" ").filter((path) => path.startsWith("/simulateurs/"));
const VIEWS = [
  ["screen", 320],
  ["screen", 390],
  ["screen", 768],
  ["screen", 1280],
  // A4 with its margins.
  ["print", 703],
];

// Texts that are cut or stand in too narrow a column, each with its place. Runs in the page.
function found() {
  const LETTERS = 4;
  const faults = [];
  const over = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (over > 0) faults.push(`the page is ${over} px too wide`);
  const unit = document.createElement("span");
  unit.textContent = "0".repeat(LETTERS);
  Object.assign(unit.style, { position: "absolute", whiteSpace: "nowrap" });
  const place = (element, text) => `${element.tagName.toLowerCase()}.${element.className} “${text.slice(0, 40)}”`;

  // The lines of each text: a column of few letters has many.
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const cells = new Set();
  while (texts.nextNode()) {
    const { data, parentElement: parent } = texts.currentNode;
    const text = data.trim();
    if (text.length < LETTERS || !parent.checkVisibility() || parent.closest("svg, option, .reader")) continue;
    // What only a screen reader gets.
    if (parent.offsetWidth <= 1) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const boxes = [...range.getClientRects()].filter((box) => box.width > 0);
    if (boxes.length === 0) continue;
    const lines = new Set(boxes.map((box) => Math.round(box.top))).size;
    if (lines > 1 && text.length / lines < LETTERS) faults.push(`${place(parent, text)} is on ${lines} lines`);
    // What is wide may be moved aside, by its own bar.
    const region = parent.closest(".wide");
    const end = region ? region.getBoundingClientRect().left + region.scrollWidth : document.documentElement.clientWidth;
    const cut = Math.max(...boxes.map((box) => box.right)) - end;
    if (cut > 1) faults.push(`${place(parent, text)} is cut by ${Math.round(cut)} px`);
    // One that is on a line has the room that it needs.
    const cell = parent.closest("td, th, dt, dd, li, summary, p, .step > *");
    if (lines > 1 && cell && getComputedStyle(cell).display !== "inline") cells.add(cell);
  }

  // The room of each cell with a text of several lines.
  for (const cell of cells) {
    const { width, paddingLeft, paddingRight, boxSizing } = getComputedStyle(cell);
    const padding = boxSizing === "border-box" ? parseFloat(paddingLeft) + parseFloat(paddingRight) : 0;
    cell.append(unit);
    const least = unit.getBoundingClientRect().width;
    unit.remove();
    if (parseFloat(width) - padding < least - 1) faults.push(`${place(cell, cell.textContent.trim())} has ${width}`);
  }
  return faults;
}

const checks = {
  async "every simulator reads well unfolded, on every width and on paper"() {
    const waiting = [...paths];
    const look = async () => {
      const { context, page } = await open();
      for (let path = waiting.shift(); path; path = waiting.shift()) {
        await visit(page, path);
        await page.evaluate(() => {
          window.before = document.querySelector("#resultat").firstElementChild;
          document.querySelector("form[data-live]").dispatchEvent(new Event("input", { bubbles: true }));
        });
        await page.waitForFunction(() => !window.before.isConnected && document.querySelector("#resultat .headline"));
        await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
        await page.waitForFunction(() => document.querySelector("#etapes .steps") || !document.querySelector("#etapes"));
        for (const [media, width] of VIEWS) {
          await page.emulateMedia({ media });
          await page.setViewportSize({ width, height: 900 });
          const faults = await page.evaluate(found);
          const more = faults.length > 3 ? [`${faults.length - 3} more`] : [];
          if (faults.length > 0) failures.push(`${path} (${media}, ${width}): ${[...faults.slice(0, 3), ...more].join("; ")}`);
        }
        await page.emulateMedia({ media: "screen" });
        await page.setViewportSize({ width: 1280, height: 900 });
      }
      await context.close();
    };
    await Promise.all([look(), look()]);
  },
};

await run(checks);
