import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { RunOutcome } from "@/api/types";
import { RunFilter } from "./RunFilter";

const counts = { clean: 1204, differs: 2, fails: 0, never: 17 };

function markup(chosen: RunOutcome[] | undefined, stale = false): string {
  return renderToStaticMarkup(RunFilter({ chosen, counts, stale, onChange: () => {} }));
}

test("each outcome has its count, and what is chosen is pressed", () => {
  const chips = markup(["fails"]).match(/<button.*?<\/button>/g) ?? [];
  expect(chips.map((chip) => chip.replace(/<[^>]*>/g, ""))).toEqual([
    "Ran clean1,204",
    "Outputs differ2",
    "Failed0",
    "Not tried yet17",
  ]);
  expect(chips.map((chip) => chip.includes('aria-pressed="true"'))).toEqual([false, false, true, false]);
  expect(markup(undefined)).not.toContain('aria-pressed="true"');
});

test("counts of an earlier search are marked", () => {
  expect(markup([], true)).toContain('aria-busy="true"');
  expect(markup([])).toContain('aria-busy="false"');
});
