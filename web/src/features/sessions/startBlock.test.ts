import { expect, test } from "vitest";
import type { Account, Session, SessionKind } from "@/api/types";
import { startBlock } from "./startBlock";

const kind: SessionKind = {
  name: "local",
  label: "Here",
  available: true,
  can: [],
  reason: "",
  languages: [],
  interfaces: ["jupyter"],
};
const account = { email: "ada@example.org", enabled: true } as Account;
const session = (id: string, status: Session["status"], lastActivityAt?: string) =>
  ({ id, status, createdAt: "2026-01-02T00:00:00Z", ...(lastActivityAt && { lastActivityAt }) }) as Session;
const free = { account, contact: "", kinds: [kind], sessions: [], limit: 2 };

test("nothing is known against it", () => {
  expect(startBlock(free)).toBeUndefined();
  expect(startBlock({ ...free, account: undefined, sessions: undefined })).toBeUndefined();
});

test("ended sessions do not count towards the limit", () => {
  const ended = ["FINISHED", "TERMINATED", "ERROR"].map((status, at) => session(`${at}`, status as Session["status"]));
  expect(startBlock({ ...free, sessions: [...ended, session("a", "RUNNING")] })).toBeUndefined();
});

test("at the limit it names the sessions to stop, the least recently used first", () => {
  const sessions = [
    session("new", "RUNNING", "2026-01-04T00:00:00Z"),
    session("gone", "ERROR"),
    session("old", "CREATED"),
  ];
  const block = startBlock({ ...free, sessions });
  expect(block?.reason).toContain("2 sessions");
  expect(block?.stop.map(({ id }) => id)).toEqual(["old", "new"]);
});

test("an account that waits reads whom to ask", () => {
  const block = startBlock({ ...free, account: { ...account, enabled: false }, contact: "ops@example.org" });
  expect(block?.reason).toMatch(/Ask ops@example\.org/);
  expect(block?.ask).toHaveProperty("href", expect.stringContaining("mailto:ops@example.org?"));
  expect(block?.stop).toEqual([]);
});

test("an engine that is away says why", () => {
  expect(startBlock({ ...free, kinds: [{ ...kind, available: false, reason: "The hub is away." }] })?.reason).toBe(
    "The hub is away.",
  );
  expect(startBlock({ ...free, kinds: [] })?.reason).toBe("Sessions cannot be started here.");
});
