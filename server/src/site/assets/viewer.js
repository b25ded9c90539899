// Opens the reference on the description that the page names.

const place = document.querySelector("#reference");
const viewer = document.createElement("script");
viewer.src = place.dataset.viewer;
viewer.addEventListener("load", () => {
  globalThis.SwaggerUIBundle({
    url: place.dataset.description,
    domNode: place,
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
  });
});
document.head.append(viewer);
