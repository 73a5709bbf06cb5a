import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Resource } from "@/api/types";
import { VisitContext } from "@/ui/router";
import { DownloadEntry } from "./DownloadEntry";
import { folderQuery } from "./datasetQueries";

interface Known {
  available: boolean;
  download: { state: string; zipUrl?: string };
}

/** The Download of a dataset whose folder is known. */
function download(folder: Known): string {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  client.setQueryData(folderQuery("d", "", undefined).queryKey, folder as never);
  const resource = { id: "d", type: "DATASET" } as Resource;
  const here = { pathname: "/resources/datasets/d", search: "?tab=1", hash: "", state: null, key: "" } as never;
  const entry = createElement(DownloadEntry, { resource });
  const visit = createElement(VisitContext.Provider, { value: here }, entry);
  return renderToStaticMarkup(createElement(QueryClientProvider, { client }, visit));
}

test("a dataset downloads as one file", () => {
  expect(download({ available: true, download: { state: "ALLOWED", zipUrl: "/all.zip" } })).toContain(
    'href="/all.zip"',
  );
});

test("a dataset whose downloads need a sign-in leads there and back", () => {
  const shown = download({ available: true, download: { state: "SIGN_IN" } });
  expect(shown).toContain('href="/login?redirect=%2Fresources%2Fdatasets%2Fd%3Ftab%3D1"');
  expect(shown).toContain("Sign in to download");
});

test.each([
  ["isn't here", { available: false, download: { state: "SIGN_IN" } }],
  ["nobody may download", { available: true, download: { state: "NONE" } }],
])("a dataset that %s has no download", (_, folder) => {
  expect(download(folder)).toBe("");
});
