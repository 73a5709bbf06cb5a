import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Run } from "@/api/types";
import { CellTimes } from "./CellTimes";
import type { ExecutedCell } from "./comparison";
import { comparisonQuery } from "./queries";

/** What is drawn of the cells of a run: the caption, what each bar says, and how high it is. */
function drawn(executed: ExecutedCell[] | undefined) {
  const client = new QueryClient();
  const run = { id: "r", resourceId: "e" } as Run;
  client.setQueryData(comparisonQuery(run).queryKey, {
    largestRelativeDifference: 0,
    cells: [],
    ...(executed && { executed }),
  });
  const html = renderToStaticMarkup(createElement(QueryClientProvider, { client }, createElement(CellTimes, { run })));
  return {
    caption: /<figcaption>(.*?)<\/figcaption>/.exec(html)?.[1]?.trim(),
    bars: [...html.matchAll(/<li title="([^"]*)".*?height:(\d+)%/g)].map(([, words, height]) => `${words} (${height})`),
  };
}

test("each cell has a bar as high as its share of the slowest", () => {
  const cells: ExecutedCell[] = [
    { state: "ran", seconds: 0.0124 },
    { state: "skipped", seconds: 0 },
    { state: "ran", seconds: 4.2 },
    { state: "failed", seconds: 8.4 },
    { state: "not-run", seconds: 0 },
  ];
  expect(drawn(cells)).toEqual({
    caption: "Time per cell. The slowest is cell 4: 8.4 s.",
    bars: [
      "Cell 1: 12 ms (2)",
      "Cell 2: skipped (0)",
      "Cell 3: 4.2 s (50)",
      "Cell 4: 8.4 s, stopped here (100)",
      "Cell 5: never ran (0)",
    ],
  });
});

test("one cell is the slowest of none", () => {
  expect(drawn([{ state: "ran", seconds: 61 }])).toEqual({ caption: "Time per cell.", bars: ["Cell 1: 61 s (100)"] });
});

test.each([
  ["no times are known", undefined],
  ["no cell ran", [{ state: "not-run", seconds: 0 }] satisfies ExecutedCell[]],
])("nothing is drawn where %s", (_, cells) => {
  expect(drawn(cells)).toEqual({ caption: undefined, bars: [] });
});
