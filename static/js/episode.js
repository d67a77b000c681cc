/* An episode: the words of a proposal show when one looks at it, and those of the open one are in
   sight. The page works without this file: what is open has its words marked by the server. */
(() => {
  "use strict";

  const lit = () => document.querySelectorAll(".talk mark.lit");

  function light(id) {
    lit().forEach((mark) => mark.classList.remove("lit"));
    if (!id) return;
    document.querySelectorAll(`.talk mark[data-of~="${id}"]`).forEach((mark) => mark.classList.add("lit"));
  }

  function reveal(mark, behavior) {
    const talk = mark?.closest(".talk");
    if (!talk || talk.scrollHeight <= talk.clientHeight) return;
    const box = mark.getBoundingClientRect();
    const frame = talk.getBoundingClientRect();
    const top = talk.querySelector("header").offsetHeight;
    if (box.top >= frame.top + top && box.bottom <= frame.bottom) return;
    talk.scrollTo({ top: talk.scrollTop + box.top - frame.top - frame.height / 3, behavior });
  }

  function looked(event) {
    const row = event.target instanceof Element ? event.target.closest(".siblings [data-of]") : null;
    if (!row) { light(null); return; }
    light(row.dataset.of);
    if (event.type === "focusin") reveal(document.querySelector(".talk mark.lit"), "auto");
  }

  document.addEventListener("pointerover", looked);
  document.addEventListener("focusin", looked);

  function arrive() {
    const open = document.querySelector(".siblings > .current");
    if (!open) return;
    reveal(document.querySelector(".talk mark.this"), "auto");
    const wanted = open.querySelector("[data-focus]");
    if (wanted && wanted.dataset.focus !== "show") wanted.scrollIntoView({ block: "nearest" });
  }

  document.addEventListener("htmx:afterSettle", (event) => { if (event.detail.target?.id === "work") arrive(); });
  document.addEventListener("DOMContentLoaded", arrive);
})();
