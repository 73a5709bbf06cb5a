import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connection } from "./connection";

const fetched = vi.fn<typeof fetch>();

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", fetched.mockReset());
});
afterEach(async () => {
  fetched.mockImplementation(answers);
  await vi.advanceTimersByTimeAsync(100_000);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const silent = () => Promise.reject(new TypeError("Failed to fetch"));
const answers = async () => new Response();

test("one call without an answer is not the server's silence", async () => {
  fetched.mockImplementation(answers);
  connection.doubted();
  await vi.advanceTimersByTimeAsync(0);
  expect(fetched).toHaveBeenCalledOnce();
  expect(connection.isLost()).toBe(false);
});

test("a silent server is asked less and less often, until it answers", async () => {
  const told = vi.fn();
  const unsubscribe = connection.subscribe(told);
  fetched.mockImplementation(silent);
  connection.doubted();
  connection.doubted();
  await vi.advanceTimersByTimeAsync(0);
  expect(connection.isLost()).toBe(true);
  expect(fetched).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2_000 + 4_000 + 8_000);
  expect(fetched).toHaveBeenCalledTimes(4);
  fetched.mockImplementation(answers);
  await vi.advanceTimersByTimeAsync(16_000);
  expect(connection.isLost()).toBe(false);
  await vi.advanceTimersByTimeAsync(100_000);
  expect(fetched).toHaveBeenCalledTimes(5);
  expect(told).toHaveBeenCalledTimes(2);
  unsubscribe();
});

test("the answer to any other call ends it", async () => {
  fetched.mockImplementation(silent);
  connection.doubted();
  await vi.advanceTimersByTimeAsync(0);
  connection.answered();
  expect(connection.isLost()).toBe(false);
  await vi.advanceTimersByTimeAsync(100_000);
  expect(fetched).toHaveBeenCalledTimes(1);
});

const ready = (ok: boolean, status = ok ? 200 : 503) => {
  const checks = [
    { name: "database", ok },
    { name: "serving", ok: status === 200 },
  ];
  return async () => Response.json({ checks }, { status });
};

test("a database that is away is asked for less and less often, until it answers", async () => {
  fetched.mockImplementation(ready(false));
  connection.databaseAway();
  connection.databaseAway();
  expect(connection.away()).toBe("database");
  connection.answered();
  expect(connection.away()).toBe("database");
  await vi.advanceTimersByTimeAsync(2_000 + 4_000 + 8_000);
  expect(fetched).toHaveBeenCalledTimes(3);
  expect(fetched).toHaveBeenLastCalledWith("/readyz", expect.anything());
  fetched.mockImplementation(ready(true));
  await vi.advanceTimersByTimeAsync(16_000);
  expect(connection.isLost()).toBe(false);
  await vi.advanceTimersByTimeAsync(100_000);
  expect(fetched).toHaveBeenCalledTimes(4);
});

test.each([
  ["unready for another reason, with its database", ready(true, 503), undefined],
  ["of which a proxy says that it is away", async () => new Response("Bad gateway", { status: 502 }), "database"],
  ["without /readyz", async () => new Response("Not found", { status: 404 }), undefined],
  ["that is silent too", silent, "server"],
])("a server %s", async (_, answer, away) => {
  connection.databaseAway();
  fetched.mockImplementation(answer);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(connection.away()).toBe(away);
});
