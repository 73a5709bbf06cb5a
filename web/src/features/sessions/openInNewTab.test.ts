import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { toast, toastStore } from "@/ui/toast";
import { follow, openInNewTab } from "./openInNewTab";
import { type OpenOutcome, type OpenRequest, requestLifetime } from "./openRequest";

/** A channel as far as listeners need it. */
class Channel {
  static readonly open = new Set<Channel>();
  onmessage: ((event: { data: OpenOutcome }) => void) | null = null;
  constructor() {
    Channel.open.add(this);
  }
  close() {
    Channel.open.delete(this);
  }
}

const tell = (outcome: OpenOutcome) => {
  for (const channel of Channel.open) channel.onmessage?.({ data: outcome });
};
const titles = () => toastStore.get().map(({ title }) => title);
const queries = new QueryClient();

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("BroadcastChannel", Channel);
});

afterEach(() => {
  vi.runOnlyPendingTimers();
  vi.useRealTimers();
  for (const { id } of toastStore.get()) toast.dismiss(id);
});

test("a tab that never reports is followed for as long as its request may wait, and no longer", async () => {
  const settled = vi.fn();
  void follow("a", "start", queries).then(settled);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(settled).toHaveBeenCalled();
  tell({ key: "a", failure: "No room." });
  await vi.advanceTimersByTimeAsync(requestLifetime);
  expect(titles()).toEqual(["Error starting session"]);
  expect(Channel.open.size).toBe(1); // it may try again
  await vi.advanceTimersByTimeAsync(60_000);
  expect(Channel.open.size).toBe(0);
});

test("a start that succeeds is followed no more, and a second click replaces the first", async () => {
  void follow("a", "start", queries);
  void follow("a", "start", queries);
  void follow("b", "start", queries);
  expect(Channel.open.size).toBe(2);
  tell({ key: "a" });
  expect(titles()).toEqual(["Session started"]);
  expect(Channel.open.size).toBe(1);
});

describe("a refused request", () => {
  const refuse = async (request: OpenRequest) => {
    const kept = { setItem: vi.fn(), getItem: () => null, removeItem: vi.fn(), key: () => null, length: 0 };
    vi.stubGlobal("localStorage", kept);
    const tab = { opener: "this page", close: vi.fn() };
    const open = vi.fn((_: string) => tab as unknown as Window);
    const opened = openInNewTab(request, queries, open);
    tell({ key: open.mock.calls[0]?.[0].split("#")[1] ?? "", failure: "There is no branch nowhere." });
    await opened;
    expect(tab.opener).toBeNull();
    return tab.close;
  };

  test("to run something closes its tab and is read here", async () => {
    const close = await refuse({ do: "run", wish: { resourceId: "1" }, title: "Spikes" });
    expect(close).toHaveBeenCalledOnce();
    expect(toastStore.get()).toMatchObject([{ title: "Error starting session", body: "There is no branch nowhere." }]);
  });

  test("to restart a session keeps its tab, which offers to try again", async () => {
    expect(await refuse({ do: "restart", sessionId: "1" })).not.toHaveBeenCalled();
  });
});
