// The dialog in which the reader picks what a plot shows: groups that open, a search, check boxes.
import { button, element } from "../dom";
import type { Channel } from "../run";

const mostResults = 200;

/** Channels in which every word of the search occurs, in any of their texts. */
export function searchChannels<T extends { name: string; group: string; unit: string; description: string }>(
  channels: T[],
  search: string,
): T[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return channels.filter((channel) => {
    const text = `${channel.name} ${channel.group} ${channel.unit} ${channel.description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export class ChannelDialog {
  readonly host: HTMLDialogElement;
  private readonly search = element("input", {
    type: "search",
    placeholder: "Search channels",
    "aria-label": "Search channels",
    autocomplete: "off",
    spellcheck: "false",
  });
  private readonly results = element("div", { class: "channel-list" });
  private channels: Channel[] = [];
  private chosen = new Set<string>();
  private onChange: (names: string[]) => void = () => {};

  constructor() {
    const close = button("Close", "Done", () => this.host.close(), { class: "primary" });
    const clear = button(
      "Remove all channels",
      "Clear",
      () => {
        this.chosen.clear();
        this.changed();
        this.show();
      },
      { class: "chip" },
    );
    this.host = element(
      "dialog",
      { class: "dialog", "aria-label": "Choose channels" },
      element("header", {}, element("h2", {}, "Channels"), clear, close),
      this.search,
      this.results,
    );
    this.search.addEventListener("input", () => this.show());
    this.host.addEventListener("click", (event) => {
      if (event.target === this.host) this.host.close();
    });
  }

  open(channels: Channel[], names: string[], onChange: (names: string[]) => void): void {
    this.channels = channels;
    this.chosen = new Set(names);
    this.onChange = onChange;
    this.search.value = "";
    this.show();
    this.host.showModal();
    this.search.focus();
  }

  private changed(): void {
    this.onChange([...this.chosen]);
  }

  private show(): void {
    const search = this.search.value.trim();
    if (search) {
      const found = searchChannels(this.channels, search);
      const rows = found.slice(0, mostResults).map((channel) => this.row(channel));
      const rest = found.length - rows.length;
      const note =
        found.length === 0 ? "Nothing found." : rest > 0 ? `${rest} more: search for more words.` : "";
      this.results.replaceChildren(...rows, element("p", { class: "hint" }, note));
      return;
    }
    const groups = new Map<string, Channel[]>();
    for (const channel of this.channels) {
      const group = groups.get(channel.group);
      if (group) group.push(channel);
      else groups.set(channel.group, [channel]);
    }
    this.results.replaceChildren(
      ...[...groups].map(([name, members]) => this.group(name, members, groups.size === 1)),
    );
    if (groups.size === 0) this.results.append(element("p", { class: "hint" }, "This run has no channels."));
  }

  /** A group is filled when it is opened: there may be thousands of channels. */
  private group(name: string, members: Channel[], alone: boolean): HTMLElement {
    const count = members.filter((channel) => this.chosen.has(channel.name)).length;
    const badge = element(
      "span",
      { class: "count" },
      count > 0 ? `${count} of ${members.length}` : String(members.length),
    );
    const body = element("div", {});
    const group = element(
      "details",
      { class: "group" },
      element("summary", {}, element("span", { class: "name" }, name), badge),
      body,
    );
    const fill = (from: number): void => {
      body.append(...members.slice(from, from + mostResults).map((channel) => this.row(channel)));
      const next = from + mostResults;
      if (next >= members.length) return;
      const more = button(
        "Show more channels",
        `${members.length - next} more`,
        () => {
          more.remove();
          fill(next);
        },
        { class: "chip" },
      );
      body.append(more);
    };
    group.addEventListener("toggle", () => {
      if (group.open && body.childElementCount === 0) fill(0);
    });
    group.open = alone || count > 0;
    return group;
  }

  private row(channel: Channel): HTMLElement {
    const box = element("input", { type: "checkbox" });
    box.checked = this.chosen.has(channel.name);
    box.addEventListener("change", () => {
      if (box.checked) this.chosen.add(channel.name);
      else this.chosen.delete(channel.name);
      this.changed();
    });
    return element(
      "label",
      { class: "check", title: channel.description || channel.name },
      box,
      element("span", { class: "name" }, channel.name),
      element("span", { class: "description" }, channel.description),
      element("span", { class: "unit" }, channel.unit),
    );
  }
}
