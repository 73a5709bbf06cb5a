import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connection } from "./connection";

const fetched = vi.fn<typeof fetch>();

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", fetched.mockReset());
});
afterEach(() => {
  connection.answered();
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
