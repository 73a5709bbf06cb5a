import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sameCall } from "@/api/firstData";
import type { ResourceType } from "@/api/types";
import { readFilters } from "@/features/catalog/filters";
import cases from "@/features/catalog/firstCalls.cases.json";
import { kindQuery, searchQuery } from "@/features/catalog/list/listQueries";
import { personQuery } from "@/features/catalog/personQuery";
import { landingQuery, resourceQuery } from "@/features/catalog/queries";
import { projectQuery } from "@/features/projects/queries";
import { heldQuery } from "@/features/workshops/heldQuery";

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

/** Returns the first call of a row's page, at an address with a query. */
function queryOf({ path, type }: Row, address = new URLSearchParams()) {
  const { filters } = readFilters(address);
  if (type) return kindQuery(type, filters, false);
  if (path === "/resources") return searchQuery(filters, false);
  if (path === "/people/:id") return personQuery(":id", filters.page, false);
  if (path === "/events") return heldQuery(false);
  if (path === "/projects/:id") return projectQuery(":id");
  return path === "/" ? landingQuery(false) : resourceQuery(":id", false, address.get("version") ?? undefined);
}

/** Expects that a call is the one that was asked. */
async function expectAsked({ queryFn }: { queryFn: unknown }, call: string) {
  await (queryFn as (context: object) => Promise<unknown>)({ signal: new AbortController().signal });
  const { pathname, searchParams } = asked;
  const query = Object.fromEntries([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]));
  expect(`/api/v1/rf${call}`).toSatisfy((first: string) => sameCall(first, decodeURIComponent(pathname), query));
}

// The server makes this call for the document; a different call would be a second request.
test.each(rows.filter(({ first }) => first))("$path asks first what the server asks for its document", async (row) => {
  await expectAsked(queryOf(row) as { queryFn: unknown }, row.first ?? "");
});

// A test of the server has the same cases.
test.each(cases)("%s asks first for %s", async (address = "", call = "") => {
  const { pathname, searchParams } = new URL(address, "http://localhost");
  const known = pathname.replace(/^\/people\/.*/, "/people/:id").replace(/^(\/resources)\/\w+\/.*/, "$1/:type/:id");
  const row = rows.find(({ path }) => path === known);
  const query = queryOf(row ?? { path: "" }, searchParams) as { queryFn: unknown };
  await expectAsked(query, call.replace("/people/ada", "/people/:id").replace(/(public)\/[0-9a-f-]+/, "$1/:id"));
});
