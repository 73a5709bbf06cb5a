import { describe, expect, it } from "vitest";
import { leaveRequest, type OpenRequest, takeRequest } from "./openRequest";

function memoryStore() {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    key: (index: number) => [...items.keys()][index] ?? null,
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  };
}

const request: OpenRequest = { do: "start", projectId: "p", sessionName: "<b>&#?", engine: "hub" };

describe("openRequest", () => {
  it("hands a request to exactly one tab", () => {
    const shared = memoryStore();
    const address = leaveRequest(shared, request, "k1", 1000);
    expect(address).toBe("/open#k1");
    expect(takeRequest(shared, memoryStore(), "#k1", 2000)).toEqual({ key: "k1", request });
    expect(takeRequest(shared, memoryStore(), "#k1", 2000)).toBeNull();
  });

  it("repeats it under the same key when the tab is reloaded", () => {
    const shared = memoryStore();
    const own = memoryStore();
    leaveRequest(shared, request, "k1", 1000);
    takeRequest(shared, own, "#k1", 2000);
    expect(takeRequest(shared, own, "#k1", 3000)).toEqual({ key: "k1", request });
  });

  it("starts nothing for an address that our own page did not leave (cross-site start)", () => {
    expect(takeRequest(memoryStore(), memoryStore(), "#guess", 1)).toBeNull();
    expect(takeRequest(memoryStore(), memoryStore(), "", 1)).toBeNull();
  });

  it("lets requests grow old and sweeps them, and nothing else, away", () => {
    const shared = memoryStore();
    shared.setItem("theme", "system");
    leaveRequest(shared, request, "old", 0);
    expect(takeRequest(shared, memoryStore(), "#old", 11 * 60_000)).toBeNull();
    leaveRequest(shared, request, "older", 0);
    leaveRequest(shared, request, "new", 11 * 60_000);
    expect(shared.length).toBe(2);
    expect(shared.getItem("theme")).toBe("system");
  });
});
