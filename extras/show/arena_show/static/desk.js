/** The desk of the show: its parts follow the show and the screens, and a form is sent where the page stays. */

import { follow, post } from "./following.js";

const wrong = /** @type {HTMLElement} */ (document.getElementById("wrong"));

async function renew() {
  const answer = await fetch(location.pathname).catch(() => null);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const later = fresh.getElementById(part.id);
    const typing = part.contains(document.activeElement) && document.activeElement?.matches("input, select");
    if (later && !typing && !later.isEqualNode(part)) part.replaceChildren(...later.childNodes);
  }
}

document.addEventListener("submit", async (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.matches("[data-live] form")) return; // what shows a new page, such as a link
  event.preventDefault();
  const entries = [...new FormData(form, event.submitter)].map(([key, value]) => [key, String(value)]);
  wrong.textContent = await post(new URL(form.action).pathname, Object.fromEntries(entries));
  if (wrong.textContent) form.reset();
  if (wrong.textContent) wrong.scrollIntoView({ block: "center" });
  /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
  renew();
});
document.addEventListener("change", ({ target }) => {
  const field = /** @type {HTMLSelectElement} */ (target);
  if (field.matches("[data-live] :is(select, [name=minutes], #steps [name=text])")) field.form?.requestSubmit();
});

follow("/remote/state.json?", renew, (status) => {
  wrong.textContent = status === 200 ? "" : "The server does not answer. The page goes on by itself.";
});
