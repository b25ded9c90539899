// The words of Swagger UI, which speaks English only, in French. What the description says is French already and
// is left alone: text that is formatted, code, names of types.

const WORDS = {
  "Additional properties": "Autres membres",
  "All of": "Tous parmi",
  "Any of": "Au moins un parmi",
  Authorize: "Donner une clé",
  Authorized: "Clé donnée",
  "Available authorizations": "Façons de donner une clé",
  Cancel: "Annuler",
  Clear: "Effacer",
  Close: "Fermer",
  Code: "Statut",
  "Collapse all": "Tout replier",
  Controls: "Choisit l’en-tête",
  Curl: "curl",
  Description: "Description",
  Details: "Détails",
  Download: "Télécharger",
  Errors: "Erreurs",
  "Example Description": "Description de l’exemple",
  "Example Value": "Exemple",
  Examples: "Exemples",
  "Examples:": "Exemples\u00a0:",
  Execute: "Exécuter",
  "Expand all": "Tout déplier",
  "Failed to fetch.": "Pas de réponse.",
  "Failed to load API definition.": "La description n’a pas pu être chargée.",
  Headers: "En-têtes",
  "Headers:": "En-têtes\u00a0:",
  "header.": ".",
  "In:": "Où\u00a0:",
  Items: "Éléments",
  Links: "Liens",
  "LOADING": "Chargement",
  Logout: "Retirer",
  "Media type": "Format",
  Name: "Nom",
  "Name:": "Nom\u00a0:",
  "No links": "Aucun",
  "No parameters": "Aucun paramètre",
  "One of": "Un parmi",
  Parameters: "Paramètres",
  "Request body": "Corps de la requête",
  "Request duration": "Durée",
  "Request URL": "Adresse appelée",
  Reset: "Remettre",
  "Response body": "Corps de la réponse",
  "Response headers": "En-têtes de la réponse",
  Responses: "Réponses",
  Schema: "Schéma",
  Schemas: "Schémas",
  "Server response": "Réponse du service",
  Servers: "Serveurs",
  "Try it out": "Essayer",
  Type: "Type",
  Undocumented: "Non décrit",
  Value: "Valeur",
  "Value:": "Valeur\u00a0:",
  query: "adresse",
  "Please correct the following validation errors and try again.": "Ces paramètres sont à corriger.",
};

// Words around what the viewer writes itself.
const PHRASES = [
  [/^Error: /, "Statut\u00a0: "],
  [/^For '(.+)': Required field is not provided\.?$/, "`$1`\u00a0: obligatoire."],
  [/^For '(.+)': Value must be an? (?:number|integer)\.?$/, "`$1`\u00a0: un nombre est attendu."],
  [/^For '(.+)': /, "`$1`\u00a0: "],
];

const NAMES = {
  "Apply credentials": "Donner cette clé",
  "Apply given credentials": "Donner cette clé",
  "Copy to clipboard": "Copier",
  "Media Type": "Format de la réponse",
  "Remove authorization": "Retirer cette clé",
  "auth-bearer-value": "Clé",
  "authorization button locked": "Une clé est donnée",
  "authorization button unlocked": "Donner une clé",
};

const UNTOUCHED = "pre, code, .markdown, .renderedMarkdown, .opblock-summary-description, .prop-type, option, textarea";

// Puts the words of the viewer in French, in place: its own elements stay what they are.
export function french(root) {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const word = text.data.trim();
    const own = Object.hasOwn(WORDS, word) ? WORDS[word] : PHRASES.reduce((text, [known, french]) => text.replace(known, french), word);
    if (own !== word && !text.parentElement.closest(UNTOUCHED)) text.data = text.data.replace(word, own);
  }
  for (const attribute of ["aria-label", "title", "placeholder"]) {
    for (const element of root.querySelectorAll(`[${attribute}]`)) {
      const own = NAMES[element.getAttribute(attribute)];
      if (own) element.setAttribute(attribute, own);
    }
  }
}
