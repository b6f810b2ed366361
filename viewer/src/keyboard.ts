// Keys that work anywhere on the page, unless what has the focus needs them itself.

export interface KeyActions {
  togglePlay(): void;
  timeKey(event: KeyboardEvent): boolean;
  changeSpeed(direction: 1 | -1): void;
  fit(): void;
  toggleTheme(): void;
  toggleHelp(): void;
  clearSelection(): void;
}

const writes = (node: Element): boolean =>
  node.matches("select, textarea, input:not([type=range]):not([type=checkbox]), [contenteditable]");
const pressesWithSpace = (node: Element): boolean =>
  node.matches("button, summary, input[type=checkbox], [role=button], a");

export function listenToKeys(actions: KeyActions): void {
  document.addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || writes(target)) return;
    if (document.querySelector("dialog[open]") && event.key !== "?") return;
    if (handle(event, target, actions)) event.preventDefault();
  });
}

function handle(event: KeyboardEvent, target: Element, actions: KeyActions): boolean {
  switch (event.key) {
    case " ":
      if (pressesWithSpace(target)) return false;
      actions.togglePlay();
      return true;
    case "+":
    case "=":
      actions.changeSpeed(1);
      return true;
    case "-":
      actions.changeSpeed(-1);
      return true;
    case "f":
    case "F":
      actions.fit();
      return true;
    case "t":
    case "T":
      actions.toggleTheme();
      return true;
    case "?":
      actions.toggleHelp();
      return true;
    case "Escape":
      actions.clearSelection();
      return false;
    case "ArrowUp":
    case "ArrowDown":
    case "PageUp":
    case "PageDown":
      // these scroll the page, except on the picture
      return target.matches("canvas") && actions.timeKey(event);
    default:
      return actions.timeKey(event);
  }
}
