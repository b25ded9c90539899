// Opens the reference on the description that the page names.

const place = document.querySelector("#reference");
globalThis.SwaggerUIBundle({
  url: place.dataset.description,
  domNode: place,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
