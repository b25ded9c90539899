// Each call of a guide is copied by a button, and its answer shown in its place; without this module
// a link shows the answer on the page for developers.

const inEnglish = document.documentElement.lang === "en";
const words = inEnglish
  ? { copy: "Copy", copied: "Copied", failed: "The service did not answer. Try again in a moment." }
  : { copy: "Copier", copied: "Copié", failed: "Le service n’a pas répondu. Réessayez dans un instant." };

for (const call of document.querySelectorAll("[data-appel]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  button.textContent = words.copy;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(call.textContent);
    button.textContent = words.copied;
    setTimeout(() => (button.textContent = words.copy), 2000);
  });
  // Without a secure connection there is no clipboard.
  if (navigator.clipboard) call.after(button);
}

async function answer(details) {
  const link = details.querySelector("[data-reponse]");
  if (!link) return;
  const reply = await fetch(link.dataset.reponse).catch(() => undefined);
  const shown = document.createElement("div");
  shown.setAttribute("aria-live", "polite");
  if (!reply?.ok) {
    shown.textContent = words.failed;
    link.closest("p").after(shown);
    return;
  }
  shown.innerHTML = await reply.text();
  link.closest("p").replaceWith(shown);
}

for (const details of document.querySelectorAll("details.answer")) {
  details.addEventListener("toggle", () => details.open && answer(details));
}
