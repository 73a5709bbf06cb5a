import { describe, expect, it } from "vitest";
import { coloredRuns } from "./coloredRuns";

describe("coloredRuns", () => {
  it("splits a text by UTF-16 code units and keeps what is behind the last highlight", () => {
    const runs = coloredRuns("# 🧬\nx = 1\n", [
      { length: 4, kind: "comment" },
      { length: 5 },
      { length: 1, kind: "literal" },
    ]);
    expect(runs).toEqual([
      { start: 0, text: "# 🧬", kind: "comment" },
      { start: 4, text: "\nx = ", kind: undefined },
      { start: 9, text: "1", kind: "literal" },
      { start: 10, text: "\n", kind: undefined },
    ]);
  });

  it("loses nothing when highlights are missing or too long", () => {
    expect(coloredRuns("text", [])).toEqual([{ start: 0, text: "text", kind: undefined }]);
    expect(coloredRuns("text", [{ length: 9, kind: "string" }])).toEqual([{ start: 0, text: "text", kind: "string" }]);
  });
});
