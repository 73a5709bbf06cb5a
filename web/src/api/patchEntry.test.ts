import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test } from "vitest";
import { entryKeys } from "./entries";
import { patchEntry } from "./patchEntry";
import type { Resource } from "./types";

const entry = (id: string, name = id) => ({ id, name }) as Resource;
const parts = entryKeys.parts("DATASET", "", "ada@example.org");
let client: QueryClient;

beforeEach(() => {
  const both = [entry("1"), entry("2")];
  client = new QueryClient();
  client.setQueryData(entryKeys.search({}), { content: both, totalElements: 2 });
  client.setQueryData(entryKeys.kind("DATASET", {}), { content: both });
  client.setQueryData(entryKeys.landing(), { content: both });
  client.setQueryData(entryKeys.starred("ada@example.org"), both);
  client.setQueryData(entryKeys.one("1"), entry("1"));
  client.setQueryData(entryKeys.citation("1"), { id: "1", title: "Cited" });
  client.setQueryData(parts, [{ id: "1", title: "Starred", parts: [entry("1")] }]);
});

afterEach(() => client.clear());

const kept = () =>
  Object.fromEntries(
    client.getQueriesData({ queryKey: entryKeys.all }).map(([[, ...key], data]) => [key.slice(0, 2).join(" "), data]),
  );

test("an entry is changed in every shape that it is kept in, and nothing else is", () => {
  patchEntry(client, "1", (each) => ({ ...each, name: "changed" }));
  const both = [entry("1", "changed"), entry("2")];
  expect(kept()).toEqual({
    "pages search": { content: both, totalElements: 2 },
    "pages kind": { content: both },
    "pages landing": { content: both },
    "lists starred": both,
    "one 1": entry("1", "changed"),
    "citation 1": { id: "1", title: "Cited" },
    "pickers parts": [{ id: "1", title: "Starred", parts: [entry("1")] }],
  });
  expect(client.getQueryState(parts)?.isInvalidated).toBe(true);
});

test("an entry that goes leaves every list, and stays by itself", () => {
  patchEntry(client, "1", () => undefined);
  const other = [entry("2")];
  expect(kept()).toMatchObject({
    "pages search": { content: other },
    "pages kind": { content: other },
    "lists starred": other,
    "one 1": entry("1"),
    "citation 1": { id: "1" },
  });
});
