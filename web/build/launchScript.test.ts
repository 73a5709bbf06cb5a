import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

class Stream {
  static readonly CLOSED = 2;
  static opened: Stream[] = [];
  readyState = 1;
  onmessage?: (event: { data: string }) => void;
  onerror?: () => void;
  constructor(readonly address: string) {
    Stream.opened.push(this);
  }
  close() {}
  /** The browser gives up. */
  refuse() {
    this.readyState = Stream.CLOSED;
    this.onerror?.();
  }
}

const source = readFileSync(new URL("../../internal/sessions/origin/pages/launch.js", import.meta.url), "utf8");
const headline = { textContent: "", addEventListener: () => {} };
const reload = vi.fn();
const fetched = vi.fn<(address: string) => Promise<{ status: number }>>();

beforeEach(async () => {
  vi.useFakeTimers();
  Stream.opened = [];
  reload.mockReset();
  fetched.mockReset();
  vi.stubGlobal("document", { getElementById: () => headline, body: { dataset: { events: "/events" } }, forms: [] });
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("EventSource", Stream);
  vi.stubGlobal("location", { href: "/launch", reload });
  vi.stubGlobal("fetch", fetched);
  // It isn't bundled and runs as it is loaded; the address makes it another module for each test.
  const address = `data:text/javascript,${encodeURIComponent(`${source}\n// ${expect.getState().currentTestName}`)}`;
  await import(/* @vite-ignore */ address);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const last = () => Stream.opened.at(-1) as Stream;

test("a browser that connects again by itself is left alone", async () => {
  last().readyState = 0;
  last().onerror?.();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(fetched).not.toHaveBeenCalled();
  expect(Stream.opened).toHaveLength(1);
});

test("the page comes back when the server does, and asks less and less often until then", async () => {
  fetched.mockResolvedValue({ status: 502 });
  last().refuse();
  expect(headline.textContent).toContain("tries again automatically");
  await vi.advanceTimersByTimeAsync(120_000);
  expect(fetched.mock.calls.length).toBeGreaterThan(3);
  expect(fetched.mock.calls.length).toBeLessThan(10);
  fetched.mockRejectedValueOnce(new TypeError("Failed to fetch"));
  fetched.mockResolvedValue({ status: 200 });
  await vi.advanceTimersByTimeAsync(120_000);
  expect(Stream.opened).toHaveLength(2);
  expect(reload).not.toHaveBeenCalled();
});

test("a page that may not be shown any more is loaded, because it says why", async () => {
  fetched.mockResolvedValue({ status: 401 });
  last().refuse();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(reload).toHaveBeenCalledOnce();
  expect(Stream.opened).toHaveLength(1);
});
