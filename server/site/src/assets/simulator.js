// The result of a simulator while somebody types; without this module the form works by itself.

const form = document.querySelector("form[data-live]");
const result = document.querySelector("#resultat");
const status = document.createElement("p");
status.className = "reader";
status.setAttribute("role", "status");
result.before(status);

let isCalculating = false;
let isBehind = false;

// The change that is tried, whose form is a part of the result.
let tried = [];

// The amounts that a question may start from: the one that was typed last is sent, the others follow from the answer.
const start = form.elements["point-de-depart"];
const amounts = [...form.querySelectorAll("[data-montant]")];
const nameOf = (field) => field.dataset.champs;

function query() {
  const others = new Set(amounts.map(nameOf).filter((name) => name !== start.value));
  const isSent = ([name, value]) => value.trim() !== "" && !others.has(name) && !name.startsWith("affiche-");
  const steps = result.querySelector("#etapes")?.open ? [["toutes-les-etapes", "oui"]] : [];
  return new URLSearchParams([...new FormData(form), ...tried, ...steps].filter(isSent));
}

function follow() {
  const shown = result.querySelector("[data-montants]")?.dataset.montants;
  const values = new URLSearchParams(shown);
  for (const field of amounts) {
    const name = nameOf(field);
    const isTyped = name === start.value;
    field.classList.toggle("typed", isTyped);
    if (shown !== undefined) field.hidden = !isTyped && !values.has(name);
    form.elements[name].disabled = field.hidden;
    if (isTyped) continue;
    // A form that is sent without this script compares each amount with what the page showed.
    form.elements[name].value = form.elements[`affiche-${name}`].value = values.get(name) ?? "";
  }
}

// A question that only some answers to another one allow is asked beside these alone: `situation=couple`.
function fit() {
  for (const field of form.querySelectorAll("[data-pour]")) {
    const [name, words] = field.dataset.pour.split("=");
    const control = form.elements[name];
    if (!control || control.disabled) continue;
    field.hidden = !words.split(" ").includes(control.value);
    for (const own of field.querySelectorAll("[name]")) own.disabled = field.hidden;
  }
}

// What was unfolded stays unfolded, also over a refusal.
const unfolded = new Map();
const keyOf = (details) => details.id || details.querySelector("summary")?.textContent;

function note() {
  for (const details of result.querySelectorAll("details")) unfolded.set(keyOf(details), details.open);
}

function unfold() {
  for (const details of result.querySelectorAll("details")) details.open = unfolded.get(keyOf(details)) ?? details.open;
}

// Each message goes to its question too.
function tellFields() {
  for (const field of form.querySelectorAll("[data-champs]")) {
    const names = field.dataset.champs.split(" ");
    const wrong = [...result.querySelectorAll("[data-champ]")].find((item) => names.includes(item.dataset.champ));
    const message = field.querySelector(".wrong");
    const control = field.querySelector("input") ?? field.querySelector("select");
    if (!message || !control) continue;
    message.hidden = !wrong;
    message.textContent = wrong ? wrong.textContent : "";
    if (wrong) {
      control.setAttribute("aria-invalid", "true");
      if (field.closest("details")) field.closest("details").open = true;
    } else control.removeAttribute("aria-invalid");
  }
}

// A message of a month goes to its cell of the grid.
function tellCells() {
  const wrong = new Set([...result.querySelectorAll("[data-mois]")].map((item) => `${item.dataset.champ}-${item.dataset.mois}`));
  for (const cell of form.querySelectorAll("[data-grille] [name]")) {
    if (wrong.has(cell.name)) cell.setAttribute("aria-invalid", "true");
    else cell.removeAttribute("aria-invalid");
  }
}

const inEnglish = document.documentElement.lang === "en";
const words = (french, english) => (inEnglish ? english : french);

function say() {
  const sentence = result.querySelector(".sentence");
  if (sentence) {
    status.textContent = sentence.textContent;
    return;
  }
  const net = result.querySelector(".headline dd");
  const label = result.querySelector(".headline dt");
  status.textContent = net ? `${label.textContent}${words(" : ", ": ")}${net.textContent}` : result.querySelector("strong")?.textContent;
}

// Where no answer comes, none stays: the figures were those of what was typed before.
let isWithdrawn = false;
let isBack = false;
let retry;

function withdraw(why, asked) {
  note();
  history.replaceState(null, "", `?${asked}`);
  isWithdrawn = true;
  const part = (name, text) => Object.assign(document.createElement(name), { textContent: text });
  const button = Object.assign(part("button", words("Réessayer", "Try again")), { type: "button", className: "plain" });
  button.addEventListener("click", calculate);
  const refused = document.createElement("div");
  refused.className = "refused";
  refused.setAttribute("role", "alert");
  const reason = document.createElement("p");
  reason.append(part("strong", why));
  const gone = words(
    "Le résultat précédent est retiré : il n’était pas celui de cette saisie.",
    "The result before is removed: it was not that of what is typed now.",
  );
  refused.append(reason, part("p", gone), button);
  result.replaceChildren(refused);
  follow();
  status.textContent = "";
}

async function show() {
  const asked = query();
  clearTimeout(retry);
  result.setAttribute("aria-busy", "true");
  try {
    const reply = await fetch(`${form.dataset.live}?${asked}`);
    if (reply.status === 429) {
      const why = words(
        "Trop de calculs en peu de temps : le résultat revient dans quelques secondes.",
        "Too many calculations in a short time: the result comes back in a few seconds.",
      );
      withdraw(why, asked);
      retry = setTimeout(calculate, 1000 * (Number(reply.headers.get("Retry-After")) || 5));
      return;
    }
    if (!reply.ok) throw new Error(String(reply.status));
    const answer = await reply.text();
    note();
    isWithdrawn = false;
    isBack = false;
    result.innerHTML = answer;
    unfold();
    follow();
    const link = result.querySelector("[data-lien]")?.dataset.lien;
    history.replaceState(null, "", link ?? `?${asked}`);
    // The same question in the other language.
    const other = document.querySelector(".switch");
    if (other) other.search = location.search;
    tellFields();
    tellCells();
    say();
  } catch {
    const why = navigator.onLine
      ? words("Le service n’a pas répondu.", "The service did not answer.")
      : words("Vous êtes hors ligne.", "You are offline.");
    withdraw(why, asked);
    // A network that has just come back may fail once more.
    if (isBack) retry = setTimeout(calculate, 2000);
    isBack = false;
  } finally {
    result.removeAttribute("aria-busy");
  }
}

addEventListener("online", () => {
  isBack = isWithdrawn;
  if (isWithdrawn) calculate();
});

// Each keystroke is answered at once; those that come while an answer is on its way are answered together.
async function calculate() {
  isBehind = true;
  if (isCalculating) return;
  isCalculating = true;
  while (isBehind) {
    isBehind = false;
    await show();
  }
  isCalculating = false;
}

form.addEventListener("input", (event) => {
  if (event.target.closest("[data-montant]")) start.value = event.target.name;
  fit();
  // Another day may have other questions: the whole page is asked for.
  if (event.target.name !== "date") calculate();
});
form.addEventListener("change", (event) => {
  if (event.target.name === "date" && (event.target.value === "" || event.target.validity.valid)) form.requestSubmit();
});
form.addEventListener("submit", (event) => {
  if (document.activeElement?.name === "date") return;
  event.preventDefault();
  calculate();
});

// A change that is tried is answered in its place.
result.addEventListener("submit", async (event) => {
  if (!event.target.matches("[data-essai]")) return;
  event.preventDefault();
  tried = [...new FormData(event.target, event.submitter)].filter(([name]) => name.startsWith("essai-") || name === "un-essai");
  await calculate();
  const effect = result.querySelector("#essai");
  status.textContent = effect?.querySelector("p")?.textContent ?? "";
  effect?.scrollIntoView({ block: "nearest" });
});
fit();

// The steps of a calculation come once they are unfolded; where they do not come, the link to them stays.
async function fetchSteps(details) {
  const link = details.querySelector("[data-etapes]");
  if (!link) return;
  const reply = await fetch(form.dataset.live + link.search).catch(() => undefined);
  if (!reply?.ok) return;
  const part = document.createElement("template");
  part.innerHTML = await reply.text();
  const [, ...steps] = part.content.querySelector("#etapes")?.children ?? [];
  if (steps.length) link.closest("p").replaceWith(...steps);
}

result.addEventListener(
  "toggle",
  (event) => {
    if (event.target.id === "etapes" && event.target.open) fetchSteps(event.target);
  },
  true,
);

// What was copied from a spreadsheet fills the grid from its cell on: a line a month, a tab between columns.
const grid = form.querySelector("[data-grille]");

function fill(cell, text) {
  const rows = [...grid.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("[name]")]);
  const row = rows.findIndex((cells) => cells.includes(cell));
  const column = rows[row].indexOf(cell);
  text.replace(/\r?\n$/, "").split(/\r?\n/).forEach((line, down) => {
    line.split("\t").forEach((value, right) => {
      const target = rows[row + down]?.[column + right];
      if (target) target.value = value.trim();
    });
  });
}

if (grid) {
  for (const hint of form.querySelectorAll("[data-collage]")) hint.hidden = false;
  grid.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!/[\t\n]/.test(text.trimEnd()) || !event.target.name) return;
    event.preventDefault();
    fill(event.target, text);
    calculate();
  });
  // Months outside the year that is asked stay there, paler.
  form.addEventListener("change", () => {
    const [first, last] = ["premier_mois", "dernier_mois"].map((name) => Number(form.elements[name].value));
    grid.querySelectorAll("tbody tr:not(.all)").forEach((row, index) => {
      row.classList.toggle("outside", index + 1 < first || index + 1 > last);
    });
  });
}

// The link of the case, and the page on paper.
const isFramed = window !== window.parent;

function enliven() {
  for (const button of document.querySelectorAll("[data-imprimer]")) button.hidden = isFramed;
}

async function share(link) {
  const address = new URL(link.getAttribute("href"), location.href).href;
  const said = link.closest(".actions").querySelector("[data-partage]");
  // A telephone shares with its own programs; elsewhere the address is copied.
  if (navigator.share && matchMedia("(pointer: coarse)").matches) {
    try {
      await navigator.share({ title: document.title, url: address });
      return;
    } catch (error) {
      if (error.name === "AbortError") return;
    }
  }
  try {
    await navigator.clipboard.writeText(address);
    said.textContent = words("Lien copié.", "Link copied.");
  } catch {
    said.textContent = address;
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-partager]");
  if (link) {
    event.preventDefault();
    share(link);
  }
  if (event.target.closest("[data-imprimer]")) window.print();
});
new MutationObserver(enliven).observe(result, { childList: true });
enliven();
