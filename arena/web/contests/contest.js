// The pages of a contest: parts that renew themselves, boards of running matches, uploads with progress, the picture of
// a team. Without this script, `arena submit` hands in bots.
import { boards } from "./boards.js";
import { localize, recount } from "./times.js";

const SIDE = 64; // pixels of the picture of a team
const csrf = document.body.dataset.csrf;
let tag = "";

function upload(form, file) {
  const message = document.getElementById("upload-message");
  const progress = form.querySelector("progress");
  const request = new XMLHttpRequest();
  request.open("POST", "/api/submit");
  request.setRequestHeader("X-CSRF", csrf);
  request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
  request.setRequestHeader("X-Activate", form.elements.activate.value);
  request.setRequestHeader("Accept", "application/json");
  if (form.elements.licence) {
    const agreed = [...form.elements].filter((box) => box.checked).map((box) => box.name);
    request.setRequestHeader("X-Consent", agreed.join(" "));
    request.setRequestHeader("X-Licence", encodeURIComponent(form.elements.licence.value));
  }
  request.upload.addEventListener("progress", (event) => {
    progress.value = event.total ? event.loaded / event.total : 0;
  });
  const refuse = (text) => {
    progress.hidden = true;
    message.textContent = text;
    message.classList.add("problem");
  };
  request.addEventListener("load", () => {
    let answer = {};
    try {
      answer = JSON.parse(request.responseText);
    } catch {
      answer = { message: `The server answered with status ${request.status}.` };
    }
    if (answer.url) location.href = answer.url;
    else refuse(`${file.name} was refused: ${[answer.message, answer.hint].filter(Boolean).join(" ")}`);
  });
  request.addEventListener("error", () => refuse("The upload was cut off, or the file is too large."));
  message.textContent = `Sending ${file.name}`;
  message.classList.remove("problem");
  progress.hidden = false;
  request.send(file);
}

function prepare(form) {
  const input = form.querySelector("input[type=file]");
  form.addEventListener("submit", (event) => event.preventDefault());
  input.addEventListener("change", () => {
    if (input.files.length) upload(form, input.files[0]);
    input.value = "";
  });
  for (const kind of ["dragover", "dragleave", "drop"])
    form.addEventListener(kind, (event) => {
      event.preventDefault();
      form.classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files.length) upload(form, event.dataTransfer.files[0]);
    });
}

// Return a picture as the server accepts it: its middle as a small PNG file. The browser reads the other formats.
async function small(file) {
  const picture = await createImageBitmap(file);
  const side = Math.min(picture.width, picture.height);
  const [left, top] = [(picture.width - side) / 2, (picture.height - side) / 2];
  const canvas = new OffscreenCanvas(SIDE, SIDE);
  const g = canvas.getContext("2d");
  g.imageSmoothingQuality = "high";
  g.drawImage(picture, left, top, side, side, 0, 0, SIDE, SIDE);
  return canvas.convertToBlob({ type: "image/png" });
}

function preparePicture(form) {
  const message = document.getElementById("picture-message");
  const refuse = (text) => {
    message.textContent = text;
    message.classList.add("problem");
  };
  const send = async (body) => {
    const headers = { "X-CSRF": csrf, Accept: "application/json" };
    const answer = await fetch("/picture", { method: "POST", headers, body });
    if (answer.ok) return location.reload();
    const { message: text, hint } = await answer.json();
    refuse([text, hint].filter(Boolean).join(" "));
  };
  const lost = () => refuse("The server does not answer. Try again.");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send("").catch(lost);
  });
  const { file } = form.elements;
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    const body = await small(chosen).catch(() => refuse(`This browser cannot read ${chosen.name} as a picture.`));
    if (body) await send(body).catch(lost);
    file.value = "";
  });
}

// Renew the parts of the page that have the attribute data-renew. Its value is the number of milliseconds between two
// renewals. The server's page leaves out the attribute of a part that will not change any more.
async function renew() {
  const parts = [...document.querySelectorAll("[data-renew]")];
  if (!parts.length) return;
  try {
    const headers = tag ? { "If-None-Match": tag } : {};
    const answer = document.hidden ? null : await fetch(location.href, { headers });
    if (answer?.ok) {
      tag = answer.headers.get("ETag") ?? "";
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const part of parts) replace(part, fresh.getElementById(part.id));
    }
    delete document.documentElement.dataset.lost;
    boards();
    recount();
  } catch {
    document.documentElement.dataset.lost = "true"; // the server is restarting: try again later
  }
  setTimeout(renew, Math.min(...parts.map((part) => Number(part.dataset.renew ?? 1000))));
}

function replace(part, fresh) {
  if (!fresh || fresh.outerHTML === part.dataset.known) return;
  const known = fresh.outerHTML;
  const focus = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  const open = [...part.querySelectorAll("details")].map((one) => one.open);
  if (!("renew" in fresh.dataset)) delete part.dataset.renew;
  part.replaceChildren(...fresh.childNodes);
  localize(part);
  part.dataset.known = known;
  part.querySelectorAll("details").forEach((one, index) => (one.open = open[index] ?? one.open));
  if (focus) part.querySelector(`a[href="${CSS.escape(focus)}"]`)?.focus();
}

const form = document.getElementById("upload");
if (form) prepare(form);
const picture = document.getElementById("picture");
if (picture) preparePicture(picture);
for (const input of document.querySelectorAll("input[data-fills]"))
  input.addEventListener("change", async () => {
    if (input.files.length) input.form.elements[input.dataset.fills].value = await input.files[0].text();
  });
// Browsers have a clipboard for pages of a secure address only.
for (const button of navigator.clipboard ? document.querySelectorAll("button[data-copies]") : []) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
    button.textContent = "Copied";
  });
}
// A table of hundreds of rows is laid out in parts, so that the page answers meanwhile.
for (const [rows, at] of [
  ["200", 50],
  ["all", 150],
])
  for (const part of document.querySelectorAll("[data-rows]")) setTimeout(() => (part.dataset.rows = rows), at);
localize(document);
boards();
renew();
