// Uploads with progress, and a report that renews itself. Without this script, `arena submit` hands in bots.

const csrf = document.body.dataset.csrf;

function upload(form, file) {
  const message = document.getElementById("upload-message");
  const progress = form.querySelector("progress");
  const request = new XMLHttpRequest();
  request.open("POST", "/api/submit");
  request.setRequestHeader("X-CSRF", csrf);
  request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
  request.setRequestHeader("Accept", "application/json");
  request.upload.addEventListener("progress", (event) => {
    progress.value = event.total ? event.loaded / event.total : 0;
  });
  request.addEventListener("load", () => {
    progress.hidden = true;
    let answer = {};
    try {
      answer = JSON.parse(request.responseText);
    } catch {
      answer = { message: `The server answered with status ${request.status}.` };
    }
    if (request.status === 201) location.href = answer.url;
    else message.textContent = answer.message;
  });
  request.addEventListener("error", () => {
    progress.hidden = true;
    message.textContent = "The upload was cut off, or the file is too large.";
  });
  message.textContent = `Sending ${file.name}`;
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

// Show each line of a report when it is known.
async function follow(report) {
  if (!["waiting", "checking"].includes(report.dataset.state)) return;
  try {
    const answer = await fetch(`/api/version/${report.dataset.version}`);
    const state = await answer.json();
    if (!["waiting", "checking"].includes(state.state)) {
      location.reload();
      return;
    }
    const list = report.querySelector(".lines");
    list.replaceChildren(
      ...state.lines.map((line) => {
        const item = document.createElement("li");
        const done = "passed" in line;
        item.textContent = done ? `${line.passed ? "✓" : "✗"} ${line.name}` : `… ${line.running}`;
        return item;
      }),
    );
  } catch {
    // The server starts again: try later.
  }
  setTimeout(() => follow(report), 700);
}

const form = document.getElementById("upload");
if (form) prepare(form);
const report = document.getElementById("report");
if (report) follow(report);
