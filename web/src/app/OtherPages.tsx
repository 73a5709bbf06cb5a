import { pages } from "virtual:other-pages";
import { RequireAuth } from "@/features/identity/RequireAuth";
import { Routes } from "@/ui/router";
import { routesOf } from "./routesOf";

const table = routesOf(pages, (page) => <RequireAuth>{page}</RequireAuth>);

/** The pages for those who are signed in, and what addresses without a page show. */
export function OtherPages() {
  return <Routes table={table} />;
}
