import { QueryObserver } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { connection } from "@/api/connection";
import { Problem } from "@/api/problem";
import { makeQueryClient, retryDelay, worthRetrying } from "./queryClient";

test.each([
  [0, new Problem(0, ""), true],
  [1, new Problem(503, ""), true],
  [2, new Problem(503, ""), false],
  [1, new Problem(503, "", { retryAfter: 30 }), true],
  [0, new Problem(503, "", { retryAfter: 31 }), false],
  [0, new Problem(404, ""), false],
  [0, new Problem(401, ""), false],
  [0, new TypeError("a defect of the page"), false],
])("after %d failures %s", (failures, error, again) => {
  expect(worthRetrying(failures, error)).toBe(again);
});

const building = new Problem(503, "Soon.", { code: "index_building", retryAfter: 2 });

test("a search that is getting ready is asked for as often as the server says, for ten minutes", () => {
  expect(retryDelay(299, building)).toBe(2000);
  expect(worthRetrying(299, building)).toBe(true);
  expect(worthRetrying(300, building)).toBe(false);
  expect(worthRetrying(600, new Problem(503, "Soon.", { code: "index_building", retryAfter: 0 }))).toBe(false);
});

test.each([
  [0, 1000],
  [1, 2000],
  [9, 30_000],
])("after %d failures the next try waits %d ms, or as long as the server says", (failures, delay) => {
  expect(retryDelay(failures, new Problem(503, "Busy."))).toBe(delay);
  expect(retryDelay(failures, new Problem(503, "Busy.", { retryAfter: 7 }))).toBe(7000);
});

test("what failed while the database was away is asked for again when it answers", async () => {
  vi.useFakeTimers();
  let away = true;
  vi.stubGlobal("fetch", async () =>
    Response.json({ checks: [{ name: "database", ok: !away }] }, { status: away ? 503 : 200 }),
  );
  const client = makeQueryClient();
  client.mount();
  const observer = new QueryObserver(client, {
    queryKey: ["entry"],
    queryFn: async () => {
      if (!away) return "the entry";
      connection.databaseAway();
      throw new Problem(503, "The database isn't responding.", { code: "database_unavailable", retryAfter: 1 });
    },
  });
  const unsubscribe = observer.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(10_000);
  expect(observer.getCurrentResult()).toMatchObject({ status: "error", fetchStatus: "idle" });
  away = false;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(observer.getCurrentResult().data).toBe("the entry");
  unsubscribe();
  client.unmount();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
