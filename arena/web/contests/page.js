// A page that does not change: its times depend on the reader, and a file can fill a text of a form.
import { localize } from "./times.js";

for (const input of document.querySelectorAll("input[data-fills]"))
  input.addEventListener("change", async () => {
    if (input.files.length) input.form.elements[input.dataset.fills].value = await input.files[0].text();
  });
localize(document);
