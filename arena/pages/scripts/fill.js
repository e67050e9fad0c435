// Little content on a big screen is written larger, until it fills the screen.

const LARGEST = 4;
const MARGIN = 40; // pixels below a section

// Write a section with a table in the largest size in which it fits.
export function fill(section) {
  section.style.fontSize = "";
  section.style.setProperty("--air", "0px");
  if (!section.querySelector("table, .podium")) return;
  const { top, bottom } = section.getBoundingClientRect();
  const room = window.innerHeight - top - MARGIN;
  if (bottom - top > room) return;
  section.classList.add("measured"); // its content is as wide as it needs
  const { height } = section.getBoundingClientRect();
  const widest = Math.max(1, ...[...section.querySelectorAll("table, .podium")].map((one) => one.scrollWidth));
  section.classList.remove("measured");
  const factor = Math.min(LARGEST, room / height, section.querySelector(".content").clientWidth / widest);
  if (factor > 1) section.style.fontSize = `${Math.floor(95 * factor) / 100}em`;
  const rows = [...section.querySelectorAll("tr")].filter((row) => row.offsetHeight > 0);
  const left = room - section.getBoundingClientRect().height; // between the rows, at most as much as they have
  const air = Math.min(left / rows.length, rows[0]?.offsetHeight ?? 0) / 2;
  if (air > 0) section.style.setProperty("--air", `${Math.floor(air)}px`);
}
