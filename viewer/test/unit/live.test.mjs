// Following a run: what is asked of the server, when, and what the reader gets to see of its answers.
import assert from "node:assert/strict";
import test from "node:test";
import { pause, pauseAfterEnd, watchLive } from "../output/modules/live.mjs";

/** Lets a page ask a server of the test's own. `step` answers once and returns what it led to. */
function watched() {
  const original = { fetch: globalThis.fetch, setTimeout: globalThis.setTimeout };
  let next = null;
  let asked = null;
  let answer = null;
  const seen = [];
  globalThis.fetch = async (address, options) => {
    asked = { address, tag: options.headers["If-None-Match"], cache: options.cache };
    return answer();
  };
  globalThis.setTimeout = (callback, delay) => {
    next = { callback, delay };
    return 0;
  };
  const settle = async () => {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    await new Promise((done) => setImmediate(done));
  };
  return {
    async step(given) {
      answer = given;
      const callback = next?.callback;
      next = null;
      seen.length = 0;
      if (callback) callback();
      else
        watchLive("/data", {
          data: (data) => seen.push(data.status),
          samples: (batch) => seen.push(`samples: ${batch.times}`),
          trouble: (message) => seen.push(`trouble: ${message}`),
        });
      await settle();
      return { asked, seen: [...seen], delay: next?.delay ?? null };
    },
    /** What the reader has got since the last answer; something that happens in between. */
    seen: () => [...seen],
    hear: (happens) => happens(),
    async settle(happens) {
      happens();
      await settle();
    },
    restore() {
      Object.assign(globalThis, original);
    },
  };
}

const data = (status, tag) => () =>
  new Response(JSON.stringify({ format: 1, status }), { headers: tag ? { ETag: tag } : {} });
const unchanged = () => new Response(null, { status: 304 });
const waiting = () =>
  new Response('{"message": "not yet"}', { status: 503, headers: { "Content-Type": "application/json" } });
const broken = () => {
  throw new Error("refused");
};

test("live: unchanged data is not sent again, and a new run in the same place is followed", async () => {
  const page = watched();
  try {
    assert.deepEqual(await page.step(data("running", '"a"')), {
      asked: { address: "/data", tag: undefined, cache: "no-store" },
      seen: ["running"],
      delay: pause(0),
    });
    let result = await page.step(unchanged);
    assert.deepEqual([result.asked.tag, result.seen, result.delay], ['"a"', [], pause(0)]);
    result = await page.step(data("finished", '"b"'));
    assert.deepEqual([result.seen, result.delay], [["finished"], pauseAfterEnd(0)]);
    result = await page.step(unchanged);
    assert.deepEqual([result.asked.tag, result.seen, result.delay], ['"b"', [], pauseAfterEnd(0)]);
    result = await page.step(broken);
    assert.deepEqual([result.seen, result.delay], [[], pauseAfterEnd(1)], "what has ended needs no server");
    result = await page.step(data("running", '"c"'));
    assert.deepEqual([result.seen, result.delay], [["running"], pause(0)]);
  } finally {
    page.restore();
  }
});

test("live: a server without ETags is not asked after the end", async () => {
  const page = watched();
  try {
    assert.equal((await page.step(data("finished"))).delay, null);
  } finally {
    page.restore();
  }
});

test("live: no data yet is no trouble, anything else is until there is data again", async () => {
  const page = watched();
  try {
    let result = await page.step(waiting);
    assert.deepEqual([result.seen, result.delay], [[], pause(0)]);
    result = await page.step(data("running", '"a"'));
    assert.deepEqual(result.seen, ["running"]);
    result = await page.step(() => new Response("", { status: 503 }));
    assert.deepEqual([result.seen, result.delay], [["trouble: the server answered 503"], pause(1)]);
    result = await page.step(broken);
    assert.deepEqual([result.seen, result.delay], [["trouble: refused"], pause(2)]);
    result = await page.step(waiting);
    assert.deepEqual([result.seen, result.delay], [["trouble: not yet"], pause(0)]);
    result = await page.step(data("running", '"a"'));
    assert.deepEqual([result.asked.tag, result.seen], [undefined, ["running"]]);
  } finally {
    page.restore();
  }
});

/** A server that sends samples when the test says so. */
class Sent {
  static last = null;
  constructor(address) {
    this.address = address;
    this.listeners = {};
    this.closed = false;
    Sent.last = this;
  }
  addEventListener(name, listener) {
    this.listeners[name] = listener;
  }
  close() {
    this.closed = true;
  }
}

test("live: samples of a run in real time are listened to, and its data fetched again at the end", async () => {
  const page = watched();
  const original = globalThis.EventSource;
  globalThis.EventSource = Sent;
  const real = (status) => () =>
    new Response(JSON.stringify({ format: 1, status, times: [0, 0.5] }), {
      headers: { ETag: '"a"', ...(status === "running" ? { "Trammel-Samples": "/samples/" } : {}) },
    });
  try {
    let result = await page.step(real("running"));
    assert.deepEqual([result.seen, result.delay], [["running"], null], "nothing is asked while samples come");
    assert.equal(Sent.last.address, "/samples/0.5");
    page.hear(() => Sent.last.listeners.samples({ data: '{"times":[0.6,0.7],"values":[1,2]}' }));
    assert.deepEqual(page.seen(), ["running", "samples: 0.6,0.7"]);
    await page.settle(() => Sent.last.listeners.end());
    assert.ok(Sent.last.closed);
    result = await page.step(real("finished"));
    assert.deepEqual([result.asked.tag, result.seen, result.delay], ['"a"', ["finished"], pauseAfterEnd(0)]);

    // a connection that breaks is no trouble either: the data is fetched, and listened to again
    await page.step(real("running"));
    const first = Sent.last;
    await page.settle(() => first.listeners.error());
    assert.ok(first.closed);
    await page.step(real("running"));
    assert.notEqual(Sent.last, first);
  } finally {
    globalThis.EventSource = original;
    page.restore();
  }
});
