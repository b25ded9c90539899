// The call of the page for developers, run without leaving it.

const form = document.querySelector("form[data-live]");
const answer = document.querySelector("#reponse");
let running;

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  running?.abort();
  running = new AbortController();
  const query = new URLSearchParams(new FormData(form));
  try {
    const reply = await fetch(`${form.dataset.live}?${query}`, { signal: running.signal });
    if (!reply.ok) {
      answer.textContent = reply.status === 429 ? "Trop de calculs en peu de temps : attendez quelques secondes." : "Le service n’a pas pu répondre. Réessayez dans un instant.";
      return;
    }
    answer.innerHTML = await reply.text();
    history.replaceState(null, "", `?${query}#essai`);
  } catch (error) {
    if (error.name !== "AbortError") answer.textContent = "Le service n’a pas répondu. Réessayez dans un instant.";
  }
});
