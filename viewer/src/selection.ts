// Which body is selected or pointed at, shared by the picture, the structure graph and whoever else wants to
// know.

export class Selection {
  selected: number | null = null;
  hovered: number | null = null;
  private readonly listeners: (() => void)[] = [];

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  select(body: number | null): void {
    if (body === this.selected) return;
    this.selected = body;
    for (const listener of this.listeners) listener();
  }

  /** Selects a body, or none if it was selected already. */
  toggle(body: number | null): void {
    this.select(body === this.selected ? null : body);
  }

  hover(body: number | null): void {
    if (body === this.hovered) return;
    this.hovered = body;
    for (const listener of this.listeners) listener();
  }
}
