import { pages } from "virtual:other-pages";
import { RequireAuth } from "@/features/identity/RequireAuth";
import { Routes } from "@/ui/router";
import { routesOf } from "./routesOf";

const table = routesOf(pages).map(({ page, ...route }, at) => ({
  ...route,
  page: pages[at]?.guard ? <RequireAuth>{page}</RequireAuth> : page,
}));

/** The pages for those who are signed in, those with which few visits begin, and what addresses without a page show. */
export function OtherPages() {
  return <Routes table={table} />;
}
