// Opens the reference on the description that the page names, in French, for every reader.

import { french } from "/reference-mots.js";

const place = document.querySelector("#reference");

const ours = (system) => ({
  // A link in a button cannot be reached by a keyboard: the button itself opens the operation.
  wrapComponents: { DeepLink: () => ({ text }) => system.React.createElement("span", null, text) },
  statePlugins: {
    spec: {
      wrapActions: {
        // The calls that are tried go to the service that shows them, whatever address it is known by.
        updateJsonSpec: (update) => (description) => update({ ...description, servers: [{ url: "/" }] }),
      },
    },
  },
});

// What the viewer does not say to those who do not see it.
const NAMES = [
  ["select", (select) => nameOf(select.closest("tr")) ?? labelBefore(select)],
  [".responses-table[role=region]", (table) => `Réponses de ${table.closest(".opblock")?.querySelector(".opblock-summary-path")?.dataset.path}${table.matches(".live-responses-table") ? ", reçues" : ""}`],
  [".copy-to-clipboard > button", () => "Copier"],
  ["tr[data-param-name] input:not([type=file])", (field) => nameOf(field.closest("tr"))],
  ["textarea", (area) => nameOf(area.closest("tr")) ?? "Corps de la requête"],
];
const nameOf = (row) => row?.dataset.paramName ?? row?.dataset.propertyName;
const labelBefore = (select) =>
  select.id === "servers" ? "Serveur" : select.getAttribute("aria-label") ?? select.closest("div")?.querySelector("label, .examples__section-header")?.textContent ?? "Exemple";

// Its headings, under the one of the page.
const LEVELS = [
  ["h3.opblock-tag, .models > h4", "2"],
  ["h4", "3"],
  ["h5", "4"],
];

function dress() {
  for (const [selector, name] of NAMES) {
    for (const element of place.querySelectorAll(selector)) {
      if (!element.dataset.named) element.setAttribute("aria-label", name(element));
      element.dataset.named = "";
    }
  }
  for (const region of place.querySelectorAll("pre:not([tabindex]), .table-container:not([tabindex])")) region.tabIndex = 0;
  for (const [selector, level] of LEVELS) {
    for (const heading of place.querySelectorAll(`:is(${selector}):not([aria-level])`)) {
      heading.setAttribute("role", "heading");
      heading.setAttribute("aria-level", level);
    }
  }
  french(place);
}

function watchTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", follow);
  follow();
}

function open() {
  let waiting = false;
  new MutationObserver(() => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      dress();
    });
  }).observe(place, { childList: true, subtree: true, characterData: true });
  globalThis.SwaggerUIBundle({
    url: place.dataset.description,
    domNode: place,
    plugins: [ours],
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    syntaxHighlight: { theme: "monokai" },
  });
}

watchTheme();
const viewer = document.createElement("script");
viewer.src = place.dataset.viewer;
viewer.addEventListener("load", open);
document.head.append(viewer);
