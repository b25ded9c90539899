// The comparison while somebody types; without this module the form works by itself.

const form = document.querySelector("#comparaison");
const parts = [...document.querySelectorAll("[data-part]")];
const [result] = parts;
const status = document.createElement("p");
status.className = "reader";
status.setAttribute("role", "status");
form.after(status);

const inEnglish = document.documentElement.lang === "en";
const words = inEnglish
  ? {
      done: "The comparison is up to date.",
      tooMany: "Too many calculations in a short time: wait a few seconds, then press Compare.",
      failed: "The service did not answer: press Compare to try again.",
    }
  : {
      done: "La comparaison est à jour.",
      tooMany: "Trop de calculs en peu de temps : attendez quelques secondes, puis appuyez sur Comparer.",
      failed: "Le service n’a pas répondu : appuyez sur Comparer pour réessayer.",
    };

// Every country is calculated again: an amount is waited for until nothing is typed for a moment.
const PAUSE = 400;
let pause;
let running;

// Where no answer comes, none stays: the amounts were those of what was typed before.
function withdraw(why) {
  const reason = document.createElement("p");
  reason.className = "wrong";
  reason.setAttribute("role", "alert");
  reason.textContent = why;
  result.replaceChildren(reason);
}

async function compare() {
  running?.abort();
  running = new AbortController();
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value.trim() !== ""));
  result.setAttribute("aria-busy", "true");
  try {
    const reply = await fetch(`${location.pathname}?${query}`, { signal: running.signal });
    if (!reply.ok) {
      withdraw(reply.status === 429 ? words.tooMany : words.failed);
      return;
    }
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    for (const part of parts) {
      // A rate that is being typed stays under the cursor.
      if (part.contains(document.activeElement)) continue;
      part.replaceChildren(...page.querySelector(`[data-part="${part.dataset.part}"]`).childNodes);
    }
    history.replaceState(null, "", `?${query}`);
    const other = document.querySelector(".switch");
    if (other) other.search = location.search;
    status.textContent = words.done;
  } catch (error) {
    if (error.name !== "AbortError") withdraw(words.failed);
  } finally {
    result.removeAttribute("aria-busy");
  }
}

document.addEventListener("input", (event) => {
  if (event.target.form !== form) return;
  clearTimeout(pause);
  pause = setTimeout(compare, PAUSE);
});
