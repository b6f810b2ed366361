// A run that is still going: fetches its data again and again until it has ended. A server that marks its
// data with an ETag can say in a few bytes that nothing has changed: it is asked after the end too, for
// another run may begin in the same place.
import type { PageData } from "./format";

export interface LiveListener {
  data(data: PageData): void;
  trouble(message: string): void;
}

/** How long to wait after so many failures in a row: a second, then longer, at most ten. */
export const pause = (failures: number): number => Math.min(10000, 1000 * Math.pow(1.6, failures));

/** The same when the run has ended. */
export const pauseAfterEnd = (failures: number): number => Math.max(3000, pause(failures));

/** A server that is well but has no data yet answers 503 and says why; anything else is a failure. */
async function reasonToWait(response: Response): Promise<string | null> {
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
  if (response.status !== 503 || !isJson) return null;
  return String(((await response.json()) as { message?: unknown }).message ?? "no data yet");
}

export function watchLive(address: string, listener: LiveListener): void {
  let failures = 0;
  let running = true;
  let troubled = false;
  let tag: string | null = null; // of the data that is shown

  const ask = async (): Promise<void> => {
    const headers: Record<string, string> = tag ? { "If-None-Match": tag } : {};
    const response = await fetch(address, { cache: "no-store", headers });
    const waiting = await reasonToWait(response);
    if (waiting !== null) {
      // what is on the page stays, unless it says that there is no connection
      if (troubled) listener.trouble(waiting);
    } else if (response.status !== 304) {
      if (!response.ok) throw new Error(`the server answered ${response.status}`);
      const data = (await response.json()) as PageData;
      listener.data(data);
      running = data.status === "running";
      tag = response.headers.get("ETag");
      troubled = false;
    }
    failures = 0;
  };

  const askForEver = async (): Promise<void> => {
    try {
      await ask();
    } catch (error) {
      failures++;
      // a run that has ended is shown as it is, whether the server is still there or not
      if (running) {
        troubled = true;
        tag = null; // so that the next answer has data, which takes the message away
        listener.trouble(error instanceof Error ? error.message : String(error));
      }
    }
    const delay = running ? pause(failures) : pauseAfterEnd(failures);
    if (running || tag) setTimeout(() => void askForEver(), delay);
  };
  void askForEver();
}
