import { pages } from "virtual:pages";
import { Routes } from "@/ui/router";
import { Layout } from "./Layout";
import { lazyPage } from "./lazyPage";
import { routesOf } from "./routesOf";

const OtherPages = lazyPage("OtherPages", async () => (await import("./OtherPages")).OtherPages);

const table = [...routesOf(pages), { path: "/*", title: "", page: <OtherPages /> }];

/** The page at the current address, in its frame. */
export function PageRoutes() {
  return (
    <Layout>
      <Routes table={table} />
    </Layout>
  );
}
