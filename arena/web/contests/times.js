// Show the times of a page in the reader's zone. The server writes them in the zone of the contest.

const HOUR = 3_600_000; // milliseconds
const DAY = 24 * HOUR;
const FAR = 300; // days from which on a date has its year
const away = new Intl.RelativeTimeFormat("en");
const two = (number) => String(number).padStart(2, "0");
const clock = (date) => `${two(date.getHours())}:${two(date.getMinutes())}`;

function shown(date) {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock(date)}`;
}

function part(date, type, options) {
  return new Intl.DateTimeFormat("en", options).formatToParts(date).find((one) => one.type === type)?.value ?? "";
}

const zoneOf = (date) => part(date, "timeZoneName", { timeZoneName: "short" });

/** Return how far a time is away, such as "in 65 days"; empty if it has passed. */
function until(date, now) {
  const left = date - now;
  if (left < 0) return "";
  if (left < HOUR) return away.format(Math.ceil(left / 60_000), "minute");
  if (left < DAY) return away.format(Math.round(left / HOUR), "hour");
  return away.format(days(date, now), "day");
}

// Days are nights between two dates, as people count them.
function days(date, now) {
  const midnights = [date, now].map((one) => Date.UTC(one.getFullYear(), one.getMonth(), one.getDate()));
  return (midnights[0] - midnights[1]) / DAY;
}

/**
 * Return a time as a person writes it, in the reader's zone: "Sunday, 31 January, 18:00, in 65 days".
 * @param {string} zone - The time in the zone of the contest, which follows if it is another one.
 */
export function written(date, zone, now = new Date()) {
  const weekday = part(date, "weekday", { weekday: "long" });
  const month = part(date, "month", { month: "long" });
  const year = Math.abs(days(date, now)) > FAR ? ` ${date.getFullYear()}` : "";
  const isThere = zone.startsWith(shown(date));
  const there = isThere ? "" : ` ${zoneOf(date)} (${zone})`;
  const text = `${weekday}, ${date.getDate()} ${month}${year}, ${clock(date)}${there}`;
  return [text, until(date, now)].filter(Boolean).join(", ");
}

/** @param {ParentNode} part - Its `time` elements have the attribute `data-zone`: the time in the contest's zone. */
export function localize(part, selector = "time[data-zone]") {
  for (const element of part.querySelectorAll(selector)) {
    const { zone } = element.dataset;
    const date = new Date(element.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    if ("written" in element.dataset) element.textContent = written(date, zone);
    else if (zone.startsWith(shown(date))) continue;
    else element.textContent = `${shown(date)} ${zoneOf(date)}${"both" in element.dataset ? ` (${zone})` : ""}`;
    element.title = `${zone} in the zone of the contest`;
  }
}

/** Tell again how far the times are away that people wait for. */
export const recount = () => localize(document, "time[data-written]");
