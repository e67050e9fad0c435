/** Lets a reader open replays from their disk, by a button or by dropping them. Nothing is sent. */

import { el, fill } from "arena/dom";
import { Unreadable } from "arena/reader";

/** The most replays of a match. */
const LEGS = 2;

/**
 * @param {HTMLElement} host
 * @param {(config: any, wanted: URLSearchParams, files: Uint8Array[]) => Promise<void>} show
 */
export function offer(host, show) {
  const said = el("p.wrong", { role: "alert" });
  const input = el("input", { type: "file", accept: ".arena", multiple: true, onchange: () => open(input.files) });
  const open = async (/** @type {FileList} */ chosen) => {
    const files = [...chosen].sort((one, other) => one.name.localeCompare(other.name)); // NAME-1, NAME-2
    if (!files.length) return;
    try {
      if (files.length > LEGS) throw new Unreadable("Open one replay, or the two legs of one match.");
      const bytes = await Promise.all(files.map(async (file) => new Uint8Array(await file.arrayBuffer())));
      await show({ opens: true, legs: files.map(() => ({})) }, new URLSearchParams(), bytes);
      document.title = files.map(({ name }) => name).join(", ");
    } catch (error) {
      said.textContent = `${files[0].name}: ${error instanceof Unreadable ? error.message : error}`;
      fill(host, ...first);
    }
  };
  const first = [
    el(
      "main.opening",
      {},
      el("h1", {}, "Watch a match"),
      el("p", {}, "Open a replay of Arena from your disk, or drop it on this page: a file that ends with .arena."),
      el("label.choose", {}, input, "Open a replay"),
      el("p.dim", {}, "The file stays on this machine: the page sends nothing. Two files are the legs of one match."),
      said,
    ),
  ];
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer) open(event.dataTransfer.files);
  });
  fill(host, ...first);
}
