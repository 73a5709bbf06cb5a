import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sameCall } from "@/api/firstData";
import type { ResourceType } from "@/api/types";
import { readFilters } from "@/features/catalog/filters";
import { kindQuery, searchQuery } from "@/features/catalog/list/listQueries";
import { personQuery } from "@/features/catalog/personQuery";
import { landingQuery, resourceQuery } from "@/features/catalog/queries";
import { projectQuery } from "@/features/projects/queries";

interface Row {
  path: string;
  type?: ResourceType;
  first?: string;
}

const rows = JSON.parse(readFileSync("pages.json", "utf8")) as Row[];
let asked: URL;

beforeEach(() => {
  vi.stubGlobal("document", { getElementById: () => null });
  vi.stubGlobal(
    "Request",
    class extends Request {
      constructor(address: string, init: RequestInit) {
        super(new URL(address, "http://localhost"), init);
      }
    },
  );
  vi.stubGlobal("fetch", async (request: Request) => {
    asked = new URL(request.url);
    return Response.json({});
  });
});
afterEach(() => vi.unstubAllGlobals());

/** Returns the first call of a row's page, at an address without a query. */
function queryOf({ path, type }: Row) {
  const { filters } = readFilters(new URLSearchParams());
  if (type) return kindQuery(type, filters, false);
  if (path === "/resources") return searchQuery(filters, false);
  if (path === "/people/:id") return personQuery(":id", 1, false);
  if (path === "/projects/:id") return projectQuery(":id");
  return path === "/" ? landingQuery(false) : resourceQuery(":id", false);
}

// The server makes this call for the document; a different call would be a second request.
test.each(rows.filter(({ first }) => first))("$path asks first what the server asks for its document", async (row) => {
  const { queryFn } = queryOf(row) as { queryFn: (context: object) => Promise<unknown> };
  await queryFn({ signal: new AbortController().signal });
  const { pathname, searchParams } = asked;
  const query = Object.fromEntries([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]));
  expect(`/api/v1/rf${row.first}`).toSatisfy((first: string) => sameCall(first, decodeURIComponent(pathname), query));
});
