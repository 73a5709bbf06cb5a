import { expect, test, vi } from "vitest";
import { indexProgress, isNotFound, messageOf, noAnswer, Problem, readProblem } from "./problem";

test("a problem is read with its message, its fields and when to try again", async () => {
  const body = {
    code: "invalid",
    message: "Unknown type.",
    detail: "other",
    progress: 0.5,
    errors: [{ location: "query.type", message: "no" }, 3, null],
  };
  const problem = await readProblem(Response.json(body, { status: 422, headers: { "Retry-After": "7" } }));
  expect(problem).toMatchObject({
    status: 422,
    code: "invalid",
    message: "Unknown type.",
    progress: 0.5,
    fields: [{ location: "query.type", message: "no" }],
    retryAfter: 7,
  });
});

test.each([
  ["/resources/repositories/1", "/resources/repositories/1"],
  ["//evil.example", undefined],
  ["https://evil.example", undefined],
  ["javascript:alert(1)", undefined],
  [5, undefined],
])("the way on %j leads to a page of this site or nowhere", async (link, want) => {
  const problem = await readProblem(Response.json({ message: "There already.", link }, { status: 409 }));
  expect(problem.link).toBe(want);
});

test.each(["<html>Bad gateway</html>", "", "null", '"text"', "{}", '{"message":5}'])("an odd body %j", async (body) => {
  const problem = await readProblem(new Response(body, { status: 502 }));
  expect(problem.status).toBe(502);
  expect(problem.message).toContain("502");
  expect(problem.fields).toEqual([]);
  expect(problem.code).toBeUndefined();
});

test("what got no answer says why", () => {
  expect(noAnswer(new DOMException("x", "TimeoutError")).message).toContain("in time");
  expect(noAnswer(new TypeError("Failed to fetch")).message).toContain("cannot be reached");
});

test("the inside of an error is not shown", () => {
  expect(messageOf(new TypeError("undefined is not a function"))).not.toContain("undefined");
  expect(messageOf(new Problem(409, "The limit is 10."))).toBe("The limit is 10.");
});

test("code that can't be loaded without a network is said to be unreachable", () => {
  vi.stubGlobal("navigator", { onLine: false });
  expect(messageOf(new TypeError("no module"))).toBe(noAnswer(undefined).message);
  vi.stubGlobal("navigator", { onLine: true });
  expect(messageOf(new TypeError("no module"))).not.toBe(noAnswer(undefined).message);
  vi.unstubAllGlobals();
});

test("only a 404 is not found", () => {
  expect([new Problem(404, ""), new Problem(0, ""), new Error()].map(isNotFound)).toEqual([true, false, false]);
});

test("a search index that is being built is known by its code, whatever the words", () => {
  const details = { code: "index_building", retryAfter: 2 } as const;
  expect(indexProgress(new Problem(503, "Soon.", { ...details, progress: 0.439 }))).toEqual({
    message: "Soon.",
    percent: 43,
  });
  expect(indexProgress(new Problem(503, "Soon.", details))).toEqual({ message: "Soon.", percent: undefined });
  expect(
    indexProgress(new Problem(503, "The package index isn't responding: 43 %.", { code: "unavailable" })),
  ).toBeUndefined();
  expect(indexProgress(new Problem(503, "The search index is being built: 43 %."))).toBeUndefined();
  expect(indexProgress(new Error("index_building"))).toBeUndefined();
  expect(indexProgress(null)).toBeUndefined();
});
