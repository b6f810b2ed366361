// Light or dark: as the system prefers until the reader chooses; the choice is remembered where the browser
// allows it.
import { palettes, type Palette, type Theme } from "./palette";

const key = "trammel-theme";

function remembered(): Theme | null {
  try {
    const value = localStorage.getItem(key);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null; // a page opened from a file may not use storage
  }
}

export class ThemeChoice {
  private chosen: Theme | null = remembered();
  private readonly system = matchMedia("(prefers-color-scheme: dark)");
  private readonly listeners: (() => void)[] = [];

  constructor() {
    this.system.addEventListener("change", () => this.apply());
    this.apply();
  }

  get theme(): Theme {
    return this.chosen ?? (this.system.matches ? "dark" : "light");
  }

  get palette(): Palette {
    return palettes[this.theme];
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  toggle(): void {
    this.chosen = this.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(key, this.chosen);
    } catch {
      // then it is forgotten with the page
    }
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.theme;
    for (const listener of this.listeners) listener();
  }
}
