// Suggestions while somebody types words to search; without this module the form works by itself.

const waiting = 150;
let count = 0;

function enliven(form) {
  const input = form.querySelector("input[type=search]");
  const list = document.createElement("ul");
  count += 1;
  list.id = `suggestions-${count}`;
  list.className = "suggestions";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  list.hidden = true;
  const status = document.createElement("p");
  status.className = "reader";
  status.setAttribute("role", "status");
  input.after(list, status);
  for (const [name, value] of Object.entries({
    role: "combobox",
    autocomplete: "off",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": list.id,
  })) {
    input.setAttribute(name, value);
  }

  const options = () => [...list.children];
  let chosen = -1;
  let asked = 0;
  let timer;

  function show(isOpen) {
    list.hidden = !isOpen;
    input.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) choose(-1);
  }

  function choose(index) {
    chosen = index;
    options().forEach((option, own) => option.setAttribute("aria-selected", String(own === index)));
    const option = options()[index];
    if (option) {
      input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else input.removeAttribute("aria-activedescendant");
  }

  async function suggest() {
    const words = input.value.trim();
    asked += 1;
    const own = asked;
    if (words.length < 2) return show(false);
    try {
      const reply = await fetch(`${form.dataset.suggestions ?? "/site/recherche"}?${new URLSearchParams({ q: words })}`);
      // Where suggestions do not come, the form is as it is without them.
      const found = reply.ok ? await reply.text() : "";
      if (own !== asked || document.activeElement !== input) return;
      list.innerHTML = found;
      for (const option of options()) option.id = `${list.id}-${option.id}`;
      choose(-1);
      show(options().length > 0);
      const { length } = options();
      const none = document.documentElement.lang === "en" ? "No suggestion" : "Aucune suggestion";
      status.textContent = length > 1 ? `${length} suggestions` : length === 1 ? "1 suggestion" : none;
    } catch {
      show(false);
    }
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(suggest, waiting);
  });
  input.addEventListener("keydown", (event) => {
    const { length } = options();
    if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      show(false);
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && length > 0) {
      event.preventDefault();
      if (list.hidden) show(true);
      const step = event.key === "ArrowDown" ? 1 : -1;
      // The words themselves are a place of the round.
      choose(((chosen + 1 + step + length + 1) % (length + 1)) - 1);
    } else if (event.key === "Enter" && chosen >= 0) {
      event.preventDefault();
      location.assign(options()[chosen].dataset.vers);
    }
  });
  input.addEventListener("blur", () => show(false));
  // Before the field loses the focus.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[data-vers]");
    if (option) location.assign(option.dataset.vers);
  });
}

document.querySelectorAll("form[role=search]").forEach(enliven);
