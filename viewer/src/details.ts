// The tables of the page: counters, parameters, events, notes.
import { button, element } from "./dom";
import { formatTime } from "./numbers";
import type { Playback } from "./playback";
import type { Run } from "./run";

function card(title: string, ...content: Node[]): HTMLElement {
  return element("section", { class: "card" }, element("header", {}, element("h2", {}, title)), ...content);
}

function pairTable(rows: [string, string][], label: string): HTMLElement {
  const body = element("tbody", {});
  for (const [name, value] of rows) {
    const isNumber = /^[\u2212+-]?[\d.,]+(e[+-]?\d+)?( ?\S{0,6})?$/i.test(value);
    body.append(
      element(
        "tr",
        {},
        element("th", { scope: "row" }, name),
        element("td", { class: isNumber ? "number" : null }, value),
      ),
    );
  }
  return element("table", { class: "pairs", "aria-label": label }, body);
}

function eventTable(run: Run, playback: Playback): HTMLElement {
  const list = element("ul", { class: "events" });
  for (const event of run.events.slice(0, 200)) {
    const time = `${formatTime(event.t, run.end - run.begin)} s`;
    const row = button(
      `Go to ${time}`,
      element("span", { class: "time" }, time),
      () => playback.setTime(event.t),
      { class: "row" },
    );
    row.append(element("span", { class: "name" }, event.name));
    list.append(element("li", {}, row));
  }
  if (run.events.length > 200)
    list.append(element("li", { class: "hint" }, `${run.events.length - 200} more events`));
  return list;
}

/** Cards for whatever the run has to say; none for what it has not. */
export function makeDetails(run: Run, playback: Playback): HTMLElement[] {
  const cards: HTMLElement[] = [];
  if (run.summary.length > 0) cards.push(card("Summary", pairTable(run.summary, "Summary")));
  if (run.parameters.length > 0) cards.push(card("Parameters", pairTable(run.parameters, "Parameters")));
  if (run.events.length > 0) cards.push(card("Events", eventTable(run, playback)));
  if (run.notes.length > 0) {
    const list = element("ul", { class: "notes" }, ...run.notes.map((note) => element("li", {}, note)));
    cards.push(card("Notes", list));
  }
  return cards;
}
