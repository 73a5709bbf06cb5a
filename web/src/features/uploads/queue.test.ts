import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { setTokenSource } from "@/api/token";
import { Unreadable } from "./digests";
import { FakeServer } from "./fakeServer";
import { KeptUploads } from "./keptUploads";
import { type QueuedUpload, UploadQueue } from "./queue";

const mebibyte = 1 << 20;
const endpoint = "http://cairn.test/api/v1/rf/uploads";

const chosen = (path: string, content: string | Uint8Array<ArrayBuffer> = path) => ({
  path,
  file: new File([content], path.split("/").at(-1) ?? "", { lastModified: 7 }),
});

const large = (path: string, mebibytes: number) => chosen(path, new Uint8Array(mebibytes * mebibyte));

/** A storage like the browser's. */
function memory(): Storage {
  const values = new Map<string, string>();
  return {
    get length() {
      return values.size;
    },
    key: (at: number) => [...values.keys()][at] ?? null,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
    clear: () => values.clear(),
  };
}

let server: FakeServer;
let storage: Storage;
let network: EventTarget;

beforeEach(() => {
  server = new FakeServer(endpoint);
  storage = memory();
  network = new EventTarget();
  vi.stubGlobal("XMLHttpRequest", server.request);
  setTokenSource(() => ({ accessToken: "t1", subject: "ada", email: "ada@example.org" }));
});

afterEach(() => {
  setTokenSource(() => undefined);
  vi.useRealTimers();
});

function makeQueue(options: Partial<ConstructorParameters<typeof UploadQueue>[0]> = {}) {
  const queue = new UploadQueue({
    ...{ account: "ada", target: "new", endpoint, network, kept: new KeptUploads(storage) },
    digestOf: async (content) => `digest of ${content.size}`,
    remove: async (id) => server.remove(id),
    ...options,
  });
  queue.open();
  return queue;
}

/** Waits until the list of uploads is like this. */
function until(queue: UploadQueue, holds: (list: readonly QueuedUpload[]) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!holds(queue.get())) return;
      leave();
      resolve();
    };
    const leave = queue.subscribe(look);
    look();
  });
}

const allAre = (state: QueuedUpload["state"]) => (list: readonly QueuedUpload[]) =>
  list.length > 0 && list.every((each) => each.state === state);

/** Waits until this holds, and lets time pass for that, of which the test has its own. */
async function soon(holds: () => boolean): Promise<void> {
  while (!holds()) {
    vi.advanceTimersByTime(500);
    await new Promise(setImmediate); // files are read beside
  }
}

const stopTime = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

const one = (queue: UploadQueue) => queue.get()[0] as QueuedUpload;

describe("uploading", () => {
  test("a file arrives in chunks, with its place in the folder", async () => {
    const queue = makeQueue();
    const accepted: number[] = [];
    queue.subscribe(() => accepted.push(one(queue).accepted));
    queue.add([large("in/data.bin", 33), chosen("größe.txt", "")]);
    await until(queue, allAre("done"));
    const [first, second] = server.uploads.toSorted((one, other) => other.length - one.length);
    expect(first?.metadata).toEqual({ filename: "data.bin", path: "in/data.bin" });
    expect(first?.received).toBe(33 * mebibyte);
    expect(second?.metadata.path).toBe("größe.txt");
    expect([...new Set(accepted)]).toEqual([0, 16 * mebibyte, 32 * mebibyte, 33 * mebibyte]);
    expect(queue.get().map(({ id }) => id)).toEqual([first?.id, second?.id]);
    expect(await queue.digests()).toEqual({
      [first?.id ?? ""]: `digest of ${33 * mebibyte}`,
      [second?.id ?? ""]: "digest of 0",
    });
  });

  test("three go on at once", async () => {
    stopTime();
    server.held = true;
    const queue = makeQueue();
    queue.add(Array.from({ length: 5 }, (_, at) => chosen(`${at}`)));
    await soon(() => server.mostAtOnce === 3);
    expect(queue.get().map(({ state }) => state)).toEqual(["uploading", "uploading", "uploading", "queued", "queued"]);
    server.release();
    await until(queue, allAre("done"));
    expect(server.mostAtOnce).toBe(3);
  });

  test("each request has the token of its time, and a refused one is renewed", async () => {
    let token = "old";
    setTokenSource(() => ({ accessToken: token, subject: "ada", email: "" }));
    const { onTokenRefused } = await import("@/api/token");
    onTokenRefused(async () => {
      token = "new";
      return true;
    });
    server.accepts = (sent) => sent === "Bearer new";
    const queue = makeQueue();
    queue.add([chosen("a")]);
    await until(queue, allAre("done"));
    expect(server.uploads.length).toBe(1);
    onTokenRefused(async () => false);
  });

  test("a second file with the same path is left out", () => {
    const queue = makeQueue();
    expect(queue.add([chosen("a"), chosen("b")])).toEqual([]);
    expect(queue.add([chosen("b"), chosen("c")])).toEqual([{ path: "b", reason: "twice" }]);
    expect(queue.get().flatMap(({ files }) => files.map(({ path }) => path))).toEqual(["a", "b", "c"]);
    queue.close();
  });

  test("many small files travel packed, others alone", async () => {
    const queue = makeQueue();
    const small = Array.from({ length: 21 }, (_, at) => chosen(`in/${at}.txt`));
    queue.add([...small, large("large.bin", 1)]);
    expect(queue.get().map(({ packed, files }) => [packed, files.length])).toEqual([
      [false, 1],
      [true, 21],
    ]);
    await until(queue, allAre("done"));
    expect(server.uploads.map(({ metadata }) => metadata.packed)).toEqual([undefined, "tar"]);
    queue.close();
    const few = makeQueue({ target: "other" });
    few.add(small.slice(1));
    expect(few.get().every(({ packed }) => !packed)).toBe(true);
    few.close();
  });

  test("packs have at most 64 MiB", () => {
    const queue = makeQueue({ network: new EventTarget() });
    queue.close();
    const content = new Uint8Array(mebibyte - 1);
    queue.add(Array.from({ length: 70 }, (_, at) => chosen(`${at}`, content)));
    expect(queue.get().map(({ packed, bytes }) => packed && bytes <= 64 * mebibyte)).toEqual([true, true]);
  });
});

describe("going on", () => {
  test("after a reload, the same files continue where they were", async () => {
    server.limit = 16 * mebibyte;
    const queue = makeQueue();
    queue.add([large("data.bin", 20)]);
    await until(queue, (list) => list[0]?.accepted === 16 * mebibyte);
    queue.close();
    server.limit = Number.POSITIVE_INFINITY;
    server.log.length = 0;

    const next = makeQueue();
    next.add([large("data.bin", 20)]);
    await until(next, allAre("done"));
    expect(server.log).toEqual(["HEAD 1", `PATCH 1 ${16 * mebibyte}`]);
    expect(server.uploads.length).toBe(1);
  });

  test("after a reload, what was complete isn't sent again, until it was used", async () => {
    const files = Array.from({ length: 30 }, (_, at) => chosen(`${at}.txt`));
    const queue = makeQueue();
    queue.add(files);
    await until(queue, allAre("done"));
    queue.close();

    server.log.length = 0;
    const next = makeQueue();
    next.add(files.toReversed());
    await until(next, allAre("done"));
    expect(server.log).toEqual(["HEAD 1"]);
    next.forget();
    expect(next.get()).toEqual([]);
    expect(storage.length).toBe(0);
    next.close();
  });

  test("another account begins anew, and so does what the server has deleted", async () => {
    const queue = makeQueue();
    queue.add([chosen("a")]);
    await until(queue, allAre("done"));
    const other = makeQueue({ account: "eve" });
    other.add([chosen("a")]);
    await until(other, allAre("done"));
    expect(server.uploads.length).toBe(2);
    server.remove("1");
    const again = makeQueue();
    again.add([chosen("a")]);
    await until(again, allAre("done"));
    expect(one(again).id).toBe("3");
  });

  test("paused ones go on when they are resumed", async () => {
    server.held = true;
    const queue = makeQueue();
    queue.add([large("data.bin", 20), chosen("b")]);
    await until(queue, (list) => list.every(({ id }) => id !== undefined));
    queue.pause();
    expect(queue.get().map(({ state }) => state)).toEqual(["paused", "paused"]);
    server.release();
    queue.resume();
    await until(queue, allAre("done"));
    expect(server.uploads.map(({ received }) => received)).toEqual([20 * mebibyte, 1]);
  });

  test("a busy server doesn't make it begin anew", async () => {
    stopTime();
    const queue = makeQueue();
    queue.add([chosen("a")]);
    await until(queue, allAre("done"));
    queue.close();
    server.answers.push({ status: 503 }, { status: 401 });
    const next = makeQueue();
    next.add([chosen("a")]);
    await soon(() => one(next).state === "failed");
    expect(server.uploads.length).toBe(1);
    next.resume();
    await soon(() => one(next).state === "done");
    expect(server.uploads.length).toBe(1);
  });

  test("without a network it waits, and goes on with it", async () => {
    stopTime();
    server.offline = true;
    const queue = makeQueue();
    queue.add([chosen("a")]);
    await soon(() => one(queue).state === "away");
    server.offline = false;
    network.dispatchEvent(new Event("online"));
    await soon(() => one(queue).state === "done");
  });

  test("it tries again by itself while the server is away", async () => {
    stopTime();
    server.offline = true;
    const queue = makeQueue();
    queue.add([chosen("a")]);
    await soon(() => one(queue).state === "away");
    server.offline = false;
    await soon(() => one(queue).state === "done");
  });
});

describe("failing", () => {
  test("what the server refuses isn't repeated, and can be tried again", async () => {
    server.answers.push({ status: 409, body: { code: "quota_reached", detail: "No room." } });
    const queue = makeQueue();
    queue.add([chosen("a")]);
    await until(queue, allAre("failed"));
    expect(one(queue).error).toMatchObject({ status: 409, code: "quota_reached" });
    expect(server.log).toEqual(["POST"]);
    queue.resume(one(queue).key);
    await until(queue, allAre("done"));
  });

  test("a file that can't be read anymore", async () => {
    const file = chosen("a");
    file.file.slice = () => ({ arrayBuffer: () => Promise.reject(new DOMException("", "NotReadableError")) }) as never;
    const queue = makeQueue();
    queue.add([file]);
    await until(queue, allAre("failed"));
    expect(one(queue).error).toBeInstanceOf(Unreadable);
  });

  test("one of a pack that can't be read anymore", async () => {
    server.held = true;
    const queue = makeQueue({ digestOf: () => Promise.reject(new Unreadable()) });
    queue.add([chosen("a")]);
    await until(queue, allAre("failed"));
    expect(one(queue).error).toBeInstanceOf(Unreadable);
  });

  test("what is removed is deleted on the server too", async () => {
    const queue = makeQueue();
    queue.add([chosen("a"), chosen("b")]);
    await until(queue, allAre("done"));
    queue.cancel(one(queue).key);
    expect(queue.get().length).toBe(1);
    expect(server.uploads.map(({ id }) => id)).toEqual(["2"]);
    expect(storage.length).toBe(1);
  });

  test("what arrived damaged is uploaded again", async () => {
    const queue = makeQueue();
    queue.add([chosen("a"), chosen("b")]);
    await until(queue, allAre("done"));
    queue.startOver(["1"]);
    await until(queue, allAre("done"));
    expect(queue.get().map(({ id }) => id)).toEqual(["3", "2"]);
    expect(Object.keys(await queue.digests()).sort()).toEqual(["2", "3"]);
  });
});

describe("the addresses of uploads in the browser", () => {
  test("old ones are forgotten, and others are found by their ids", async () => {
    const kept = new KeptUploads(storage, 0);
    const upload = { size: 1, metadata: {}, creationTime: "", urlStorageKey: "", parallelUploadUrls: null };
    await kept.addUpload("one", { ...upload, uploadUrl: `${endpoint}/1` });
    await kept.addUpload("two", { ...upload, uploadUrl: `${endpoint}/21` });
    storage.setItem("other", "{}");
    kept.forgetId("1");
    expect((await kept.findAllUploads()).map(({ uploadUrl }) => uploadUrl)).toEqual([`${endpoint}/21`]);
    expect(await new KeptUploads(storage, Date.now() + 9 * 86_400_000).findAllUploads()).toEqual([]);
    expect(storage.length).toBe(1);
  });

  test("without a storage nothing is kept", async () => {
    const kept = new KeptUploads(undefined);
    await kept.removeUpload(
      await kept.addUpload("one", (await kept.findAllUploads())[0] ?? ({ uploadUrl: "x" } as never)),
    );
    expect(await kept.findUploadsByFingerprint("one")).toEqual([]);
  });
});
