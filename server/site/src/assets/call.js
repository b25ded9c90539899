// The call of the page for developers, run without leaving it.

const form = document.querySelector("form[data-live]");
const answer = document.querySelector("#reponse");
const inEnglish = document.documentElement.lang === "en";
const words = inEnglish
  ? { tooMany: "Too many calculations in a short time: wait a few seconds.", failed: "The service could not answer. Try again in a moment.", silent: "The service did not answer. Try again in a moment." }
  : { tooMany: "Trop de calculs en peu de temps : attendez quelques secondes.", failed: "Le service n’a pas pu répondre. Réessayez dans un instant.", silent: "Le service n’a pas répondu. Réessayez dans un instant." };
let running;

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  running?.abort();
  running = new AbortController();
  const query = new URLSearchParams(new FormData(form));
  try {
    const reply = await fetch(`${form.dataset.live}?${query}`, { signal: running.signal });
    if (!reply.ok) {
      answer.textContent = reply.status === 429 ? words.tooMany : words.failed;
      return;
    }
    answer.innerHTML = await reply.text();
    history.replaceState(null, "", `?${query}#essai`);
  } catch (error) {
    if (error.name !== "AbortError") answer.textContent = words.silent;
  }
});
