import { expect, test } from "vitest";
import type { ShareRequest } from "@/api/types";
import { noteTakenBack, ownRequest, stateOf } from "./requestState";

const request = (more: Partial<ShareRequest> = {}): ShareRequest => ({
  ...{ id: "r", sessionId: "s", kind: "enter", by: "bob@example.org", name: "Bob", can: "edit", mine: true },
  ...{ createdAt: "2026-01-01T00:00:00Z", granted: false, ...more },
});
const answered = { answeredAt: "2026-01-01T01:00:00Z", answeredBy: "ada@example.org" };

test.each([
  ["none", undefined],
  ["waiting", request()],
  ["granted", request({ ...answered, granted: true })],
  ["refused", request(answered)],
  ["none", request({ ...answered, answeredBy: "bob@example.org" })],
])("%s", (state, one) => {
  expect(stateOf(one)).toBe(state);
});

test("the newest of the user's own counts", () => {
  const all = [
    request({ id: "other", mine: false }),
    request({ id: "help", kind: "help" }),
    request({ id: "new" }),
    request({ id: "old" }),
  ];
  expect(ownRequest(all, "enter")?.id).toBe("new");
  expect(ownRequest(all, "help")?.id).toBe("help");
  expect(ownRequest(undefined, "help")).toBeUndefined();
});

test("one that was just taken back is none, whoever is said to have answered it", () => {
  const one = request({ id: "taken", answeredAt: answered.answeredAt });
  expect(stateOf(one)).toBe("refused");
  noteTakenBack(one);
  expect(stateOf(one)).toBe("none");
});
