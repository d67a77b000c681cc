/* Keys, double submits, focus and toasts. Every page works without this file: it only presses the
   buttons that are there, and reads the one keymap the server prints. */
(() => {
  "use strict";

  const QUIET_MS = 300; // after a card changed, keys rest: they were meant for the card before
  const PREFIX_MS = 4000;
  const root = document.documentElement;
  let inFlight = 0;
  let changedAt = performance.now();
  let prefix = [];
  let prefixTimer = 0;

  const all = (selector, scope = document) => Array.from(scope.querySelectorAll(selector));
  const shown = (element) => element.checkVisibility ? element.checkVisibility() : element.offsetParent !== null;

  function bindings() {
    const source = document.getElementById("keymap");
    return source ? JSON.parse(source.textContent) : [];
  }

  function same(a, b) {
    return a.length === b.length && a.every((press, index) => press === b[index]);
  }

  /* Where keys are not ours */

  function isEditable(element) {
    if (!(element instanceof Element)) return false;
    if (element.closest("[contenteditable]:not([contenteditable=false])")) return true;
    if (element.matches("textarea, select")) return true;
    return element.matches("input:not([type=radio], [type=checkbox], [type=submit], [type=button])");
  }

  function isOurs(event, press) {
    if (event.defaultPrevented || event.isComposing || event.keyCode === 229 || event.repeat) return false;
    if (root.dataset.keys === "off" && press !== "Escape") return false;
    if (document.querySelector("dialog[open]")) return false;
    if (inFlight > 0 || performance.now() - changedAt < QUIET_MS) return false;
    if (press === "Control+Enter" || press === "Escape") return true;
    if (event.ctrlKey || event.altKey || event.metaKey) return false;
    return !isEditable(event.target);
  }

  function pressOf(event) {
    if (event.key === "Enter" && event.ctrlKey && !event.altKey && !event.metaKey) return "Control+Enter";
    return event.key;
  }

  /* What an action does: it presses, chooses or focuses the element that carries it */

  function target(action) {
    return all(`[data-action~="${action}"]`).find((element) => shown(element) || opener(element));
  }

  function opener(element) {
    const menu = element.closest("details.menu");
    return menu && shown(menu) ? menu : null;
  }

  function act(action) {
    if (action === "leave") return leave();
    if (action === "sheet" && openSheet()) return true;
    if (action === "gap-next" || action === "gap-previous") return moveGap(action === "gap-next" ? 1 : -1);
    if ((action === "next" || action === "previous") && moveRow(action === "next" ? 1 : -1)) return true;
    const element = target(action);
    if (!element) return false;
    const menu = opener(element);
    if (menu && !element.matches("summary")) menu.open = true;
    if (element.matches("input[type=radio]")) {
      element.checked = true;
      element.focus();
      element.dispatchEvent(new Event("change", { bubbles: true }));
    } else if (element.matches("input, textarea, select")) {
      element.focus();
    } else {
      if (element.matches("summary")) element.focus({ preventScroll: true });
      element.click();
    }
    return true;
  }

  function moveGap(step) {
    const gaps = all("mark[id]").filter(shown);
    if (!gaps.length) return false;
    const here = gaps.indexOf(document.activeElement);
    const next = here < 0 ? (step > 0 ? 0 : gaps.length - 1) : (here + step + gaps.length) % gaps.length;
    gaps[next].focus();
    gaps[next].scrollIntoView({ block: "center" });
    return true;
  }

  function moveRow(step) {
    if (document.querySelector("[data-card]")) return false;
    const rows = all("a.row").filter(shown);
    if (!rows.length) return false;
    const here = rows.indexOf(document.activeElement);
    rows[Math.min(rows.length - 1, Math.max(0, here + step))].focus();
    return true;
  }

  function leave() {
    const open = document.querySelector("details.menu[open]");
    if (open) {
      open.open = false;
      open.querySelector("summary").focus();
      return true;
    }
    if (isEditable(document.activeElement)) {
      document.activeElement.blur(); // what was typed stays; a second press leaves
      return true;
    }
    const element = target("leave");
    if (!element) return false;
    element.click();
    return true;
  }

  function openSheet() {
    const sheet = document.getElementById("sheet");
    if (!sheet || !sheet.showModal) return false;
    sheet.showModal();
    return true;
  }

  function forget() {
    prefix = [];
    clearTimeout(prefixTimer);
  }

  document.addEventListener("keydown", (event) => {
    if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
    const press = pressOf(event);
    if (!isOurs(event, press)) return;
    const known = bindings();
    const tries = prefix.length ? [[...prefix, press], [press]] : [[press]];
    forget();
    for (const presses of tries) {
      const exact = known.find((key) => same(key.press, presses));
      const longer = known.some((key) => key.press.length > presses.length && same(key.press.slice(0, presses.length), presses));
      if (!exact && !longer) continue;
      const done = exact ? act(exact.action) : false;
      if (longer && (done || !exact)) {
        prefix = presses;
        prefixTimer = setTimeout(forget, PREFIX_MS);
      }
      if (done || longer) event.preventDefault();
      return;
    }
  });

  /* One press, one decision */

  function settle(form) {
    delete form.dataset.busy;
    for (const button of form.elements) if (button.type === "submit") button.removeAttribute("aria-disabled");
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post" || form.dataset.again !== undefined) return;
    if (form.dataset.busy || document.querySelector("form[data-busy]")) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    form.dataset.busy = "1";
    for (const button of form.elements) if (button.type === "submit") button.setAttribute("aria-disabled", "true");
    if (!form.hasAttribute("hx-post")) inFlight += 1;
  }, true);

  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    inFlight = 0;
    all("form[data-busy]").forEach(settle);
  });

  /* What only shows something while one writes holds up no key and ends no press. */
  const isQuiet = (event) => event.detail.elt.matches("[data-quiet]");

  document.addEventListener("htmx:beforeRequest", (event) => { if (!isQuiet(event)) inFlight += 1; });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (isQuiet(event)) return;
    inFlight = Math.max(0, inFlight - 1);
    const form = event.detail.elt.closest("form");
    if (form) settle(form);
  });

  /* After a swap: say where we are, put the focus where the work is */

  function focusWork(scope) {
    const wanted = scope.querySelector("[data-focus]");
    if (!wanted) return;
    wanted.focus({ preventScroll: true });
    if (wanted.dataset.focus === "show") wanted.scrollIntoView({ block: "center" });
    else window.scrollTo(0, 0);
  }

  document.addEventListener("htmx:afterSettle", (event) => {
    if (!event.detail.target || event.detail.target.id !== "work") return;
    changedAt = performance.now();
    forget();
    focusWork(document);
    revealRow();
  });

  function revealRow() {
    const row = document.querySelector(".beside > .list a.row[aria-current]");
    const list = row?.closest(".list");
    if (!list || list.scrollHeight <= list.clientHeight) return;
    const box = row.getBoundingClientRect();
    const frame = list.getBoundingClientRect();
    if (box.top < frame.top || box.bottom > frame.bottom) list.scrollTop += box.top - frame.top - frame.height / 3;
  }

  function say(text) {
    const status = document.getElementById("status");
    if (status) status.textContent = text;
  }

  function toast(text) {
    const model = document.getElementById("toast-model");
    const place = document.getElementById("toasts");
    if (!model || !place) return;
    const copy = model.content.cloneNode(true);
    copy.querySelector("p").textContent = text;
    place.append(copy);
    say(text);
  }

  document.addEventListener("htmx:sendError", () => toast("The server did not answer. Nothing was decided; try again."));
  document.addEventListener("htmx:responseError", (event) => toast(`The server could not do that (${event.detail.xhr.status}). Nothing was decided; try again.`));

  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    const dismiss = event.target.closest("[data-dismiss]");
    if (dismiss) {
      event.preventDefault();
      dismiss.closest(".toast")?.remove();
      dismiss.closest("dialog")?.close();
      return;
    }
    const sheet = event.target.closest("[data-action=sheet]");
    if (sheet && openSheet()) event.preventDefault();
    all("details.menu[open]").forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
  });

  /* A chosen day is written out beside its box, and chooses its option */

  document.addEventListener("change", (event) => {
    const box = event.target;
    if (!(box instanceof HTMLInputElement) || box.type !== "date" || !box.dataset.writes) return;
    const day = document.getElementById(box.dataset.writes);
    if (day && box.value) {
      const format = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
      day.textContent = format.format(new Date(`${box.value}T00:00:00Z`)).replace(",", "");
    }
    const option = box.closest(".option")?.querySelector("input[type=radio]");
    if (option) option.checked = true;
  });

  document.addEventListener("DOMContentLoaded", () => {
    revealRow();
    if (document.querySelector("[data-focus=show], .toast")) focusWork(document);
  });
})();
