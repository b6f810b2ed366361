// A run that is still going: fetches its data again and again until it has ended. A server that marks its
// data with an ETag can say in a few bytes that nothing has changed: it is asked after the end too, for
// another run may begin in the same place. A run in real time sends its samples as they come: its data is fetched
// once, then the page listens until the end.
import { decodeArray } from "./decode";
import type { PageData, SampleBatch } from "./format";

export interface LiveListener {
  data(data: PageData): void;
  samples(batch: SampleBatch): void;
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

/** Listens to samples after the last one of the data, until there are no more or the connection breaks. */
function listen(address: string, data: PageData, listener: LiveListener): Promise<void> {
  const times = decodeArray(data.times);
  const source = new EventSource(`${address}${times.length > 0 ? times[times.length - 1] : -1}`);
  return new Promise((done) => {
    const end = (): void => {
      source.close();
      done();
    };
    source.addEventListener("samples", (event) => {
      listener.samples(JSON.parse((event as MessageEvent<string>).data) as SampleBatch);
    });
    source.addEventListener("end", end);
    source.addEventListener("error", end);
  });
}

export function watchLive(address: string, listener: LiveListener): void {
  let failures = 0;
  let running = true;
  let troubled = false;
  let tag: string | null = null; // of the data that is shown

  // whether samples came afterwards
  const ask = async (): Promise<boolean> => {
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
      const samples = response.headers.get("Trammel-Samples");
      if (running && samples) {
        failures = 0;
        await listen(samples, data, listener);
        return true;
      }
    }
    failures = 0;
    return false;
  };

  const askForEver = async (): Promise<void> => {
    let listened = false;
    try {
      listened = await ask();
    } catch (error) {
      failures++;
      // a run that has ended is shown as it is, whether the server is still there or not
      if (running) {
        troubled = true;
        tag = null; // so that the next answer has data, which takes the message away
        listener.trouble(error instanceof Error ? error.message : String(error));
      }
    }
    // what there is to see after the last sample is seen soon
    const delay = listened ? 200 : running ? pause(failures) : pauseAfterEnd(failures);
    if (running || tag) setTimeout(() => void askForEver(), delay);
  };
  void askForEver();
}
