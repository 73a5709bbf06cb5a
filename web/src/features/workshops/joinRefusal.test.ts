import { expect, test } from "vitest";
import { Problem } from "@/api/problem";
import type { ProblemCode } from "@/api/types";
import { refusalOf } from "./joinRefusal";

const problem = (status: number, code: string, retryAfter?: number) =>
  new Problem(status, "", { code: code as ProblemCode, retryAfter });

test.each([
  [problem(403, "wrong_code"), { kind: "code" }],
  [problem(429, "rate_limited", 42), { kind: "later", seconds: 42 }],
  [problem(429, "wrong_code", 0), { kind: "later", seconds: 1 }],
  [problem(429, ""), { kind: "later", seconds: 15 }],
  [problem(409, "workshop_not_open"), { kind: "changed" }],
  [problem(409, "workshop_full"), { kind: "changed" }],
  [problem(410, "workshop_ended"), { kind: "changed" }],
  [problem(410, "work_gone"), { kind: "gone" }],
  [problem(503, "database_unavailable"), { kind: "other" }],
  [new Error("x"), { kind: "other" }],
])("%o", (error, refusal) => {
  expect(refusalOf(error)).toEqual(refusal);
});
