// The element `<bareme-salaire>`: the amounts of a pay, each of which may be typed, the others follow. It needs nothing of
// the page that it is in; `SERVICE` before it has the calculations of the rules in force.

const script = document.currentScript;
const base = script ? new URL(script.src).origin : SERVICE.adresse;
const waiting = 250;

const STYLE = `
:host { display: block; box-sizing: border-box; color: var(--bareme-texte, #1b1b1b); background: var(--bareme-fond, transparent);
  font: var(--bareme-taille, 1rem)/1.4 var(--bareme-police, system-ui, sans-serif); border: 1px solid var(--bareme-bordure, #767676);
  border-radius: var(--bareme-rayon, .4rem); padding: 1em; }
:host([hidden]) { display: none; }
form { display: grid; gap: .8em; grid-template-columns: repeat(auto-fit, minmax(min(9.5em, 100%), 1fr)); align-items: end; margin: 0; }
label { display: block; font-size: .9em; margin-bottom: .2em; }
input, select { font: inherit; width: 100%; box-sizing: border-box; padding: .4em .5em; color: var(--bareme-champ-texte, #1b1b1b);
  background: var(--bareme-champ-fond, #fff); border: 1px solid var(--bareme-champ-bordure, #767676); border-radius: var(--bareme-rayon, .4rem); }
input { text-align: right; font-weight: 600; font-variant-numeric: tabular-nums; }
.typed input { outline: 2px solid var(--bareme-accent, #0b57a4); outline-offset: -1px; }
input:focus-visible, select:focus-visible, a:focus-visible { outline: 3px solid var(--bareme-accent, #0b57a4); outline-offset: 2px; }
[aria-invalid=true] { border-color: var(--bareme-erreur, #b3261e); }
.wrong { color: var(--bareme-erreur, #b3261e); margin: .6em 0 0; }
.wrong:empty { display: none; }
.by { color: var(--bareme-discret, #555); font-size: .85em; margin: .8em 0 0; }
a { color: var(--bareme-accent, #0b57a4); }
.reader { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
[hidden] { display: none; }
`;

const attributeOf = (name) => name.replaceAll("_", "-");
const amounts = new Set(Object.values(SERVICE.calculs).flatMap(({ montants }) => montants.map(({ nom }) => nom)));

function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

// As people write it: 2 650,50 € is 2650.50, and in English 2,650.50 too.
function plain(text, lang) {
  const digits = text.replace(/[\s\u00a0\u202f€$]/g, "");
  if (lang === "en") return /^\d+(,\d{3})+(\.\d*)?$/.test(digits) ? digits.replaceAll(",", "") : digits;
  return digits.includes(",") ? digits.replaceAll(".", "").replace(",", ".") : digits;
}

class Salaire extends HTMLElement {
  static observedAttributes = [...[...amounts].map(attributeOf), "lang", "pays", "periode", "parametres", "cle"];

  #calcul;
  #lang;
  #words;
  #fields = new Map();
  #period;
  #wrong;
  #status;
  #typed;
  #asked = 0;
  #timer;

  connectedCallback() {
    if (this.#calcul) return;
    if (!this.shadowRoot) this.attachShadow({ mode: "open" });
    this.#build();
    this.#send("bareme-pret", { montants: [...this.#fields.keys()] });
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
  }

  attributeChangedCallback(name, before, after) {
    if (!this.#calcul || before === after) return;
    if (name === "pays" || name === "lang") this.#build();
    else if (name === "cle") this.#ask();
    else this.#prefill(name);
  }

  // The element, for the country of its attribute.
  #build() {
    const country = this.getAttribute("pays") ?? "";
    const calcul = SERVICE.calculs[country] ?? Object.values(SERVICE.calculs)[0];
    this.#calcul = calcul;
    // The language of the element or of its page, where the calculation has it.
    const wished = (this.closest("[lang]")?.lang ?? "").slice(0, 2).toLowerCase();
    this.#lang = wished in calcul.textes ? wished : "fr";
    const texts = calcul.textes[this.#lang];
    const words = SERVICE.textes[this.#lang];
    this.#words = words;
    this.#fields = new Map();
    this.#typed = calcul.montants[0].nom;

    const form = make("form");
    form.setAttribute("lang", this.#lang);
    form.setAttribute("aria-label", texts.titre);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#ask();
    });
    for (const [index, { nom }] of calcul.montants.entries()) {
      const libelle = texts.montants[index];
      const input = make("input", { id: nom, name: nom, inputMode: "decimal", autocomplete: "off" });
      input.setAttribute("aria-describedby", "erreur");
      const field = make("div", {}, make("label", { htmlFor: nom, textContent: `${libelle}, ${texts.signe}` }), input);
      input.addEventListener("input", () => this.#type(nom));
      this.#fields.set(nom, { field, input, libelle });
      form.append(field);
    }
    this.#period = undefined;
    if (calcul.periode) {
      const select = make("select", { id: "periode" });
      for (const [index, value] of calcul.periode.mots.entries()) select.append(make("option", { value, textContent: texts.periodes[index] }));
      select.addEventListener("change", () => {
        this.#send("bareme-periode", { periode: select.value });
        this.#ask();
      });
      this.#period = select;
      form.append(make("div", {}, make("label", { htmlFor: "periode", textContent: words.periode }), select));
    }

    this.#wrong = make("p", { id: "erreur", className: "wrong" });
    this.#wrong.setAttribute("role", "alert");
    this.#status = make("p", { className: "reader" });
    this.#status.setAttribute("role", "status");
    const link = make("a", { href: SERVICE.adresse + texts.simulateur, textContent: SERVICE.titre });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    this.shadowRoot.adoptedStyleSheets = [sheet];
    const by = make("p", { className: "by" }, words.avant, link, words.apres);
    for (const part of [this.#wrong, this.#status, by]) part.lang = this.#lang;
    this.shadowRoot.replaceChildren(form, this.#wrong, this.#status, by);
    this.#prefill();
  }

  // Takes the period and the amount of the attributes: that of the attribute which has changed.
  #prefill(changed) {
    const period = this.getAttribute("periode");
    if (this.#period && period) this.#period.value = period;
    const names = [...this.#fields.keys()].filter((name) => this.hasAttribute(attributeOf(name)));
    const name = names.find((own) => attributeOf(own) === changed) ?? names[0];
    if (name) {
      this.#typed = name;
      this.#fields.get(name).input.value = this.getAttribute(attributeOf(name));
      this.#ask();
    } else this.#mark();
  }

  #type(name) {
    this.#typed = name;
    this.#send("bareme-saisie", { parametre: name, valeur: this.#fields.get(name).input.value });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), waiting);
  }

  #mark() {
    for (const [name, { field }] of this.#fields) field.classList.toggle("typed", name === this.#typed);
  }

  #query() {
    const { avec, champs, periode } = this.#calcul;
    const own = new URLSearchParams(this.getAttribute("parametres") ?? "");
    const query = new URLSearchParams([...Object.entries(avec).filter(([name]) => !own.has(name)), ...own]);
    if (periode) query.set(periode.nom, this.#period.value);
    query.set(this.#typed, plain(this.#fields.get(this.#typed).input.value, this.#lang));
    query.set("champs", champs.join(","));
    return query;
  }

  async #ask() {
    clearTimeout(this.#timer);
    this.#mark();
    this.#asked += 1;
    const own = this.#asked;
    if (this.#fields.get(this.#typed).input.value.trim() === "") return this.#empty();
    const key = this.getAttribute("cle");
    // A secret key in the source of a page is everybody's: it is not sent, so that it is noticed before a visitor copies it.
    if (key && !key.includes("_pub_")) return this.#fail(0, this.#words.cle_secrete);
    let reply;
    try {
      const headers = { "Accept-Language": this.#lang, ...(key && { "X-API-Key": key }) };
      reply = await fetch(`${base}${this.#calcul.appel}?${this.#query()}`, { headers });
    } catch {
      if (own === this.#asked) this.#fail(0, this.#words.muet);
      return;
    }
    const answer = await reply.json().catch(() => ({}));
    // An answer to what was typed before says nothing of what is typed now.
    if (own !== this.#asked) return;
    if (reply.ok) this.#show(answer);
    else if (reply.status === 400) this.#refuse(answer);
    else if (reply.status === 401) this.#fail(401, this.#words.cle_refusee, answer.code);
    else if (reply.status === 403) this.#fail(403, this.#words.autre_page, answer.code);
    else if (reply.status === 429) this.#fail(429, key ? this.#words.trop_de_la_page : this.#words.trop, answer.code);
    else this.#fail(reply.status, this.#words.panne, answer.code);
  }

  #empty() {
    for (const { field, input } of this.#fields.values()) {
      field.hidden = false;
      input.value = "";
      input.removeAttribute("aria-invalid");
    }
    this.#wrong.textContent = "";
    this.#status.textContent = "";
  }

  #show(answer) {
    const { decimales, montants } = this.#calcul;
    const format = new Intl.NumberFormat(this.#lang === "en" ? "en-GB" : "fr-FR", { minimumFractionDigits: decimales, maximumFractionDigits: decimales });
    const found = {};
    this.#wrong.textContent = "";
    for (const { nom, champ } of montants) {
      const { field, input } = this.#fields.get(nom);
      const value = answer[champ];
      input.removeAttribute("aria-invalid");
      // Two names of one amount are one field.
      const isTwice = Object.values(found).includes(value);
      field.hidden = nom !== this.#typed && (value === undefined || isTwice);
      if (value === undefined) continue;
      found[nom] = value;
      if (nom !== this.#typed) input.value = format.format(value);
    }
    const shown = montants.filter(({ nom }) => nom !== this.#typed && !this.#fields.get(nom).field.hidden);
    const { signe } = this.#calcul.textes[this.#lang];
    const words = shown.map(({ nom }) => {
      const { input, libelle } = this.#fields.get(nom);
      return `${libelle}${this.#words.montant}${input.value} ${signe}`;
    });
    this.#status.textContent = words.join("; ");
    this.#send("bareme-resultat", { montants: found, reponse: answer });
  }

  // No amount stays that is not the answer to what is typed.
  #withdraw() {
    for (const [name, { input }] of this.#fields) if (name !== this.#typed) input.value = "";
    this.#status.textContent = "";
  }

  #refuse(answer) {
    const parameters = answer.parametres ?? [];
    const own = parameters.find(({ nom }) => nom === this.#typed);
    this.#withdraw();
    if (own) this.#fields.get(this.#typed).input.setAttribute("aria-invalid", "true");
    this.#wrong.textContent = (own ?? parameters[0])?.motif ?? answer.detail ?? this.#words.saisie;
    this.#send("bareme-refus", { parametres: parameters });
  }

  #fail(status, why, code) {
    this.#withdraw();
    this.#wrong.textContent = why;
    this.#send("bareme-echec", { statut: status, code });
  }

  #send(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail }));
  }
}

if (!customElements.get("bareme-salaire")) customElements.define("bareme-salaire", Salaire);
