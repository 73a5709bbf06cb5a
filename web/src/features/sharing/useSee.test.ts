import { expect, test } from "vitest";
import { Problem } from "@/api/problem";
import type { SessionView } from "@/api/types";
import { heard, type Seen } from "./useSee";

const view = { number: 1 } as SessionView;
const lost = { kind: "lost", problem: new Problem(429, "Too many tabs.") } as const;

const after = (...news: Parameters<typeof heard>[1][]): Seen =>
  news.reduce<Seen>((seen, one) => heard(seen, one), { phase: "connecting" });

test("it is live with the first view, not with the connection", () => {
  expect(after({ kind: "begun" }, { kind: "open" })).toEqual({ phase: "connecting" });
  expect(after({ kind: "begun" }, { kind: "open" }, { kind: "view", view })).toEqual({ phase: "live", view });
});

test("what was seen stays while the connection is sought, with the reason", () => {
  expect(after({ kind: "view", view }, lost)).toEqual({ phase: "again", view, problem: lost.problem });
  expect(after({ kind: "view", view }, lost, { kind: "open" })).toEqual({ phase: "again", view });
  expect(after(lost)).toEqual({ phase: "connecting", problem: lost.problem });
});

test("it pauses in the background, and goes on afterwards", () => {
  const paused = after({ kind: "view", view }, { kind: "paused" });
  expect(paused).toEqual({ phase: "paused", view });
  expect(heard(paused, { kind: "begun" })).toEqual({ phase: "again", view });
});

test("in the end it says why", () => {
  const problem = new Problem(404, "It isn't shared with you any longer.");
  expect(after({ kind: "view", view }, { kind: "over", problem })).toEqual({ phase: "over", view, problem });
});
