import { expect, it } from "vitest";
import { Problem, readProblem } from "@/api/problem";
import { startFailure } from "./startFailure";

it("uses the server's words", () => {
  expect(startFailure(new Problem(403, "Ask ops@example.org to enable you.", { code: "not_enabled" }), "x")).toBe(
    "Ask ops@example.org to enable you.",
  );
  expect(startFailure(new Problem(409, "You have 10 of 10 sessions."), "x")).toBe("You have 10 of 10 sessions.");
});

it("names the likely reason and the operators when the server refused without a word", async () => {
  const wordless = await readProblem(new Response("<html>", { status: 403 }));
  expect(startFailure(wordless, "ops@example.org")).toMatch(/isn't enabled yet.*ops@example\.org/);
  expect(startFailure(wordless, "")).toMatch(/Contact the operators/);
});

it("does not blame the account for a server that is down", async () => {
  expect(startFailure(await readProblem(new Response(null, { status: 502 })), "x")).not.toMatch(/account/);
});
