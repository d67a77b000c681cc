/* An open card: what is written is kept, others see that it is open, what changes on it is told,
   and the next one is fetched before it is wanted. Every card works without this file. */
(() => {
  "use strict";

  const KEEP_AFTER_MS = 2000; // after the last key
  const BEAT_EVERY_MS = 180000; // while somebody looks
  const BEAT_ON_RETURN_MS = 60000;
  const AGAIN_MS = 5000;
  const AHEAD_AFTER_MS = 120; // the card just shown comes first
  const AHEAD_FRESH_MS = 600000;
  const UNSENT = "unsent:";

  const cardNow = () => document.querySelector("[data-card]");
  const editNow = () => document.getElementById("edit-form");
  let lastBeat = 0;
  let open = null; // the card this page last said it has open: {token, leave}

  function ask(url, options = {}) {
    const headers = { "HX-Request": "true", "HX-Current-URL": location.href, ...options.headers };
    return fetch(url, { credentials: "same-origin", cache: "no-store", ...options, headers });
  }

  function csrf() {
    return document.querySelector("input[name=csrfmiddlewaretoken]")?.value || "";
  }

  /* Drafts */

  let keepTimer = 0;
  let keeping = null;
  let dirty = false;
  let loggedOut = false;

  function written(form) {
    return Object.fromEntries(Array.from(new FormData(form)).filter(([name]) => name !== "csrfmiddlewaretoken"));
  }

  /* Only what the server could not take: gone as soon as it has it. */
  function stash(form) {
    const kept = JSON.stringify({ person: form.dataset.person, values: written(form) });
    try { sessionStorage.setItem(UNSENT + cardNow()?.dataset.card, kept); } catch { /* no room: the page still holds it */ }
  }

  function unstash() {
    const card = cardNow();
    if (card) sessionStorage.removeItem(UNSENT + card.dataset.card);
  }

  function state(text, link) {
    const line = document.getElementById("draft-state");
    if (!line) return;
    line.textContent = text;
    if (!link) return;
    const element = document.createElement("a");
    element.href = link.href;
    element.textContent = link.text;
    line.append(" ", element);
  }

  async function keep() {
    clearTimeout(keepTimer);
    const form = editNow();
    if (!form || !dirty) return;
    keeping?.abort();
    const mine = keeping = new AbortController();
    dirty = false;
    try {
      const answer = await ask(form.dataset.keep, { method: "POST", body: new FormData(form), headers: { "HX-Target": "draft-state" }, signal: mine.signal, keepalive: true });
      const login = answer.headers.get("HX-Redirect");
      if (login) {
        loggedOut = true;
        stash(form);
        state("Your session ended. What you write stays in this window.", { href: login, text: "Log in to go on" });
        return;
      }
      if (!answer.ok) throw new Error(String(answer.status));
      unstash();
      const line = document.getElementById("draft-state");
      if (line && !dirty) line.innerHTML = await answer.text();
    } catch (error) {
      if (error.name === "AbortError") return;
      dirty = true;
      state("Not kept: the server did not answer. It is tried again.");
      keepTimer = setTimeout(keep, AGAIN_MS);
    }
  }

  function typed(event) {
    const form = editNow();
    if (!form || event.target.form !== form) return;
    dirty = true;
    if (loggedOut) stash(form);
    clearTimeout(keepTimer);
    keepTimer = setTimeout(keep, KEEP_AFTER_MS);
  }

  document.addEventListener("input", typed);
  document.addEventListener("change", typed);

  document.addEventListener("submit", () => {
    clearTimeout(keepTimer); // what is submitted is kept, decided or thrown away by that
    keeping?.abort();
  });

  document.addEventListener("htmx:beforeOnLoad", (event) => {
    const form = editNow();
    if (!form || !event.detail.xhr.getResponseHeader("HX-Redirect")?.includes("/login/")) return;
    stash(form);
    if (event.detail.elt.matches("[data-quiet]")) event.preventDefault(); // nobody is led away while writing
  });

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.requestConfig.verb === "get") keep(); // going elsewhere: what was typed last comes along
  });

  function refill() {
    const card = cardNow();
    if (!card) return;
    const text = sessionStorage.getItem(UNSENT + card.dataset.card);
    if (!text) return;
    const form = editNow();
    if (!form) {
      document.querySelector("[data-action=edit]")?.click();
      return;
    }
    const kept = JSON.parse(text);
    if (kept.person !== form.dataset.person) { unstash(); return; }
    for (const name of "text about attribute value memory_type criticality valid_from valid_to changed_from note".split(" ")) {
      const field = form.elements.namedItem(name);
      if (field instanceof Element && name in kept.values) field.value = kept.values[name];
    }
    dirty = true;
    keep();
  }

  /* Who looks, and what changed meanwhile */

  async function beat() {
    const card = cardNow();
    if (!card || document.visibilityState === "hidden") return;
    lastBeat = performance.now();
    const body = new FormData();
    body.set("csrfmiddlewaretoken", csrf());
    body.set("page", card.dataset.token);
    body.set("stamp", card.dataset.stamp);
    body.set("last_quote", card.dataset.lastQuote);
    let answer;
    try { answer = await ask(card.dataset.beat, { method: "POST", body }); } catch { return; }
    if (!answer.ok || answer.headers.has("HX-Redirect") || cardNow() !== card) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (cardNow() !== card) return;
    renewList(page);
    for (const id of ["queue-count", "company", "news"]) renew(id, page);
    if (card.dataset.ahead !== undefined) opened(page, card);
  }

  /* A card that was fetched ahead of time was opened now. */
  function opened(page, card) {
    const at = page.getElementById("opened")?.value;
    if (at) document.querySelectorAll("input[name=opened_at]").forEach((field) => { field.value = at; });
    delete card.dataset.ahead;
  }

  function renew(id, page) {
    const here = document.getElementById(id);
    const there = page.getElementById(id);
    if (!here || !there || here.outerHTML === there.outerHTML || here.contains(document.activeElement)) return;
    here.replaceWith(there);
    window.htmx?.process(there);
  }

  function renewList(page) {
    const here = document.querySelector(".beside > .list");
    const there = page.querySelector("section.list");
    if (!here || !there || here.contains(document.activeElement) || here.querySelector("details[open]")) return;
    here.replaceChildren(...there.childNodes);
    window.htmx?.process(here);
  }

  function left() {
    if (!open) return;
    const body = new FormData();
    body.set("csrfmiddlewaretoken", csrf());
    body.set("page", open.token);
    navigator.sendBeacon(open.leave, body);
    open = null;
  }

  setInterval(beat, BEAT_EVERY_MS);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") keep();
    else if (performance.now() - lastBeat > BEAT_ON_RETURN_MS) beat();
  });
  window.addEventListener("pagehide", () => { keep(); left(); });

  /* A card out of the browser's memory may be decided by now. */
  window.addEventListener("pageshow", (event) => { if (event.persisted && cardNow()) location.reload(); });

  /* The next card */

  let ahead = null;
  let fetching = 0;

  async function fetchAhead() {
    const card = cardNow();
    if (!card?.dataset.next) return;
    try {
      const answer = await ask(card.dataset.next, { headers: { "HX-Target": "work", "X-Ahead": "1" } });
      if (!answer.ok || answer.headers.has("HX-Redirect") || answer.headers.has("HX-Retarget")) return;
      const html = await answer.text();
      const found = /data-card="(\d+)" data-stamp="([\d.]+)"/.exec(html);
      if (found && cardNow() === card) ahead = { id: found[1], stamp: found[2], html, at: performance.now() };
    } catch { /* then it is fetched when it is wanted */ }
  }

  document.addEventListener("htmx:configRequest", (event) => {
    const { verb, headers } = event.detail;
    if (verb !== "post" || !ahead || performance.now() - ahead.at > AHEAD_FRESH_MS) return;
    if (event.detail.elt.matches("[data-quiet]")) return;
    headers["X-Ahead"] = `${ahead.id} ${ahead.stamp}`;
  });

  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr } = event.detail;
    const id = xhr.getResponseHeader("X-Ahead");
    if (!id) return;
    if (ahead?.id === id) event.detail.serverResponse = ahead.html + event.detail.serverResponse;
    else {
      event.detail.shouldSwap = false;
      location.assign(xhr.getResponseHeader("HX-Push-Url"));
    }
  });

  /* A page came, or another card */

  function shown() {
    ahead = null;
    dirty = false;
    clearTimeout(keepTimer);
    clearTimeout(fetching);
    const card = cardNow();
    if (!card) { left(); return; }
    open = card.dataset.open === undefined ? null : { token: card.dataset.token, leave: card.dataset.leave };
    if (card.dataset.ahead !== undefined) beat();
    else lastBeat = performance.now();
    fetching = setTimeout(fetchAhead, AHEAD_AFTER_MS);
    refill();
  }

  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.target?.id === "work") shown();
  });
  document.addEventListener("DOMContentLoaded", shown);
})();
