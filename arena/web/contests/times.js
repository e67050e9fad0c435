// Show the times of a page in the reader's zone. The server writes them in the zone of the contest.

const two = (number) => String(number).padStart(2, "0");

function shown(date) {
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function zoneOf(date) {
  const parts = new Intl.DateTimeFormat("en", { timeZoneName: "short" }).formatToParts(date);
  return parts.find((part) => part.type === "timeZoneName")?.value ?? "";
}

/** @param {ParentNode} part - Its `time` elements have the attribute `data-zone`: the time in the contest's zone. */
export function localize(part) {
  for (const element of part.querySelectorAll("time[data-zone]")) {
    const date = new Date(element.dateTime);
    if (Number.isNaN(date.getTime()) || element.dataset.zone.startsWith(shown(date))) continue;
    const local = `${shown(date)} ${zoneOf(date)}`;
    element.textContent = "both" in element.dataset ? `${local} (${element.dataset.zone})` : local;
    element.title = `${element.dataset.zone} in the zone of the contest`;
  }
}
