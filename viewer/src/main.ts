// Entry of the page: reads the data element, shows it, or follows a run that is still going.
import { App } from "./app";
import { element } from "./dom";
import type { PageData } from "./format";
import { publishHook } from "./hook";
import { watchLive } from "./live";

function start(): void {
  const source = document.getElementById("trammel-data");
  try {
    const data = JSON.parse(source?.textContent || "null") as PageData | null;
    if (!data) throw new Error("This page holds no data.");
    const app = new App();
    publishHook(app);
    if (!data.live) {
      app.show(data);
      return;
    }
    app.header.setStatus("Waiting for the run", "running");
    watchLive(data.live, {
      data: (newer) => app.show(newer),
      samples: (batch) => app.extend(batch),
      trouble: (message) => app.header.setStatus(`No connection: ${message}`, "trouble"),
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    document.body.append(
      element(
        "p",
        { class: "banner", role: "alert" },
        element("strong", {}, "This page cannot be shown. "),
        reason,
      ),
    );
  }
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
