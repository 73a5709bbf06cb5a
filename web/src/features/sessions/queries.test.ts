import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { deleteSessions, terminate } from "./queries";

const fetched = vi.fn<typeof fetch>();
const stopping = { id: "1", status: "RUNNING", requestedStatus: "TERMINATED" };

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal(
    "Request",
    class extends Request {
      constructor(address: string, init: RequestInit) {
        super(new URL(address, "http://localhost"), init);
      }
    },
  );
  vi.stubGlobal(
    "fetch",
    fetched.mockReset().mockImplementation(async () => Response.json(stopping)),
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a stop is waited for until it is done", async () => {
  const stop = terminate("1", new AbortController().signal);
  await vi.advanceTimersByTimeAsync(3_000);
  fetched.mockImplementation(async () => Response.json({ id: "1", status: "TERMINATED" }));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await stop).toMatchObject({ status: "TERMINATED" });
  expect(fetched).toHaveBeenCalledTimes(3);
});

test("a stop that never ends is not waited for without end", async () => {
  const stop = terminate("1", new AbortController().signal);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(await stop).toMatchObject(stopping);
  expect(fetched).toHaveBeenCalledTimes(61);
});

test("nobody asks any more once the list is left", async () => {
  const list = new AbortController();
  const stop = terminate("1", list.signal);
  await vi.advanceTimersByTimeAsync(3_000);
  list.abort();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(await stop).toMatchObject(stopping);
  expect(fetched).toHaveBeenCalledTimes(2);
});

test("a deletion that fails half way reports the sessions that are left", async () => {
  const ids = Array.from({ length: 250 }, (_, index) => String(index));
  fetched
    .mockImplementationOnce(async () => Response.json(true))
    .mockImplementationOnce(async () =>
      Response.json({ status: 503, title: "Unavailable", detail: "x" }, { status: 503 }),
    );
  const kept = vi.fn();
  await expect(deleteSessions(ids, kept)).rejects.toThrow();
  expect(kept.mock.calls).toEqual([[ids.slice(100)]]);
  expect(fetched).toHaveBeenCalledTimes(2);
});
