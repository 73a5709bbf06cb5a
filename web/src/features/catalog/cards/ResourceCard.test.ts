import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Resource, SearchMatch } from "@/api/types";
import { AuthContext } from "@/features/identity/useAuth";
import { VisitContext } from "@/ui/router";
import { ResourceCard } from "./ResourceCard";

const tags = ["alpha", "beta", "delta", "epsilon", "gamma", "zeta", "eta"];

function card(matched: SearchMatch[], chosen: string[] = []): string {
  const resource = {
    id: "e",
    name: "Quokka atlas",
    type: "DATASET",
    description: "Of islands.",
    tags: tags.map((value) => ({ id: value, value })),
    authors: ["ada@example.org", "bob@example.org", "eve@example.org"],
    authorNames: ["Ada King", "Bob", "Eve"],
    coverKind: "drawing",
    privacy: "PUBLIC",
    status: "NONE",
    starCount: 0,
    createdAt: "2026-01-01T00:00:00Z",
    matched,
  } as unknown as Resource;
  const here = { pathname: "/resources", search: "", hash: "", state: null, key: "" } as never;
  const shown = createElement(ResourceCard, { resource, chosen });
  const visitor = createElement(AuthContext.Provider, { value: { state: "anonymous" } as never }, shown);
  const visit = createElement(VisitContext.Provider, { value: here }, visitor);
  return renderToStaticMarkup(createElement(QueryClientProvider, { client: new QueryClient() }, visit));
}

/** The texts of the tags, with the marked parts in brackets. */
function tagsOf(markup: string): string[] {
  const list = /<ul[^>]*aria-label="Tags">(.*?)<\/ul>/.exec(markup)?.[1] ?? "";
  return [...list.matchAll(/<li[^>]*>(.*?)<\/li>/g)].map(([, item = ""]) =>
    item.replace(/<mark>(.*?)<\/mark>/g, "[$1]").replace(/<[^>]*>/g, ""),
  );
}

test("the chosen tags come first, then those that match, and the others are counted", () => {
  expect(tagsOf(card([]))).toEqual(["alpha", "beta", "delta", "epsilon", "+3"]);
  const matched: SearchMatch[] = [{ field: "tags", text: "gamma", marks: [[0, 3]] }];
  expect(tagsOf(card(matched, ["zeta"]))).toEqual(["zeta", "[gam]ma", "alpha", "beta", "+3"]);
});

test("the author whose name matches stands for the others, who are counted", () => {
  expect(card([])).toContain("Ada King</span><span>+2</span>");
  const shown = card([{ field: "authors", text: "Eve", marks: [[0, 2]] }]);
  expect(shown).toContain("<mark>Ev</mark></span>e</span><span>+2</span>");
});

test("nobody's address is on a card, also where it matches", () => {
  const shown = card([{ field: "authors", text: "eve@example.org", marks: [[0, 3]] }]);
  expect(shown).toContain("Ada King");
  expect(shown).not.toContain("@example.org");
});

test("what matches is marked in the name, and in a file if it is nowhere else", () => {
  expect(card([{ field: "name", text: "Quokka atlas", marks: [[0, 6]] }])).toContain("<mark>Quokka</mark>");
  expect(card([])).toContain("Of islands.");
  const shown = card([{ field: "content", text: "the burrow", marks: [[4, 10]] }]);
  expect(shown).toContain("In its files:");
  expect(shown).toContain("<mark>burrow</mark>");
  expect(shown).not.toContain("Of islands.");
});
