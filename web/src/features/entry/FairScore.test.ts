import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { entryKeys } from "@/api/entries";
import type { Resource } from "@/api/types";
import { FairScore } from "./FairScore";

/** The headings of a panel: the first is the panel's, the others are those of what failed; and what passed. */
function shown(checks: object[]) {
  const resource = { id: "1", updatedAt: "2026-11-01T00:00:00Z", type: "DATASET", name: "Spikes" } as Resource;
  const client = new QueryClient();
  client.setQueryData(entryKeys.score(resource.id, resource.updatedAt), { score: 23.5, of: 26, checks });
  const panel = createElement(FairScore, { resource });
  const html = renderToStaticMarkup(createElement(QueryClientProvider, { client }, panel));
  return {
    title: /<h2[^>]*>([^<]*)/.exec(html)?.[1],
    failed: [...html.matchAll(/<strong>([^<]*)/g)].map(([, heading]) => heading),
    passed: [...html.matchAll(/<\/svg>([^<]*)<\/li>/g)].map(([, name]) => name),
  };
}

const license = { id: "license", name: "It has a license", points: 1 };
const identifier = { id: "doi", name: "It has a registered identifier", points: 0.5 };
const version = { id: "version", name: "It has a version", points: 0 };

test.each([
  [
    "what fails is headed by what is missing, what passes by what is there",
    [
      { ...license, ok: true },
      { ...identifier, ok: false, fix: { missing: "No registered identifier (DOI)", why: "There is none." } },
      { ...version, ok: false, fix: { missing: "No version", why: "Nobody can name it." } },
    ],
    ["No registered identifier (DOI)", "No version"],
    ["It has a license"],
  ],
  ["all is fine", [{ ...license, ok: true }], [], ["It has a license"]],
  ["nothing is", [{ ...license, ok: false, fix: { missing: "No license", why: "?" } }], ["No license"], []],
])("%s", (_, checks, failed, passed) => {
  expect(shown(checks)).toEqual({ title: "FAIR score 23.5 of 26", failed, passed });
});
