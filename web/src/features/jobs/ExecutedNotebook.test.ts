import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { Job } from "@/api/types";
import type { Executed } from "./cells";
import { ExecutedNotebook } from "./ExecutedNotebook";
import { notebookQuery } from "./queries";

const job = { id: "j", state: "DONE", file: "a.ipynb", cells: { total: 1, done: 1 } } as Job;

function drawn(notebook: Executed): string {
  const client = new QueryClient();
  client.setQueryData(notebookQuery(job).queryKey, notebook);
  return renderToStaticMarkup(createElement(QueryClientProvider, { client }, createElement(ExecutedNotebook, { job })));
}

it("nothing of a notebook becomes an element of the page", () => {
  const script = "<script>alert(1)</script>";
  const html = drawn({
    cells: [
      {
        cell_type: "code",
        source: script,
        outputs: [
          { output_type: "stream", text: script },
          { output_type: "display_data", data: { "text/html": script, "text/plain": script } },
          { output_type: "display_data", data: { "image/svg+xml": `<svg xmlns="x">${script}</svg>` } },
          { output_type: "display_data", data: { "text/html": script } },
          { output_type: "error", ename: script, evalue: script },
        ],
      },
    ],
  });
  expect(html).not.toContain("<script");
  expect(html.match(/&lt;script&gt;/g)).toHaveLength(5);
  expect(html).toContain('<img src="data:image/svg+xml,%3Csvg');
  expect(html).toContain("can only be seen in the downloaded notebook");
});
