import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Resource } from "@/api/types";
import { VisitContext } from "@/ui/router";
import { totalQuery } from "./datasetQueries";
import { folderQuery } from "./files/queries";
import { MeasuredFacts } from "./MeasuredFacts";

/** The text of an entry's facts when an answer is known. */
function facts(resource: Partial<Resource>, key: readonly unknown[], answer: object): string {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  client.setQueryData(key, answer);
  const shown = createElement(MeasuredFacts, { resource: { id: "x", ...resource } as Resource });
  const here = { pathname: "/", search: "", hash: "", state: null, key: "" } as never;
  const visit = createElement(VisitContext.Provider, { value: here }, shown);
  return renderToStaticMarkup(createElement(QueryClientProvider, { client }, visit))
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

test("a repository has a language, a size and a last commit, as far as its host knows them", () => {
  const of = (answer: object) => facts({ type: "REPOSITORY" }, folderQuery("x", "").queryKey, answer);
  const all = { language: "Jupyter Notebook", sizeBytes: 37_600, pushedAt: "2020-05-04T12:00:00Z" };
  expect(of(all)).toMatch(/^Language Jupyter Notebook Size 36.7 KiB Last commit May 4, 2020 .+ ago$/);
  expect(of({ sizeBytes: 512 })).toBe("Size 512 bytes");
  expect(of({})).toBe("");
});

test("a dataset on this server has a size, and says where counting ended", () => {
  const of = (answer: object, more: Partial<Resource> = {}) =>
    facts({ type: "DATASET", datasetUrl: "spikes", ...more }, totalQuery("x", undefined).queryKey, answer);
  expect(of({ files: 1, size: 512, more: false })).toBe("Size 512 bytes in 1 file");
  expect(of({ files: 9000, size: 5_400_000_000, more: true })).toBe("Size At least 5 GiB in 9,000 files");
  expect(of({ files: 0, size: 0, more: false })).toBe("");
  expect(of({ files: 1, size: 512, more: false }, { datasetUrl: "https://zenodo.org/records/1" })).toBe("");
  expect(of({ files: 1, size: 512, more: false }, { dataMissing: true })).toBe("");
});

test("an entry whose files this server keeps says which version of them it shows", () => {
  const datasetUrl = "kept:01900000-0000-7000-8000-000000000000/v3";
  const known = totalQuery("x", undefined).queryKey;
  const total = { files: 1, size: 512, more: false };
  expect(facts({ type: "DATASET", datasetUrl }, known, total)).toBe(
    "Files Kept on this server, version 3 Size 512 bytes in 1 file",
  );
});
