import { pages } from "virtual:pages";
import { Routes } from "@/ui/router";
import { Layout } from "./Layout";
import { lazyPage } from "./lazyPage";

const RequireAuth = lazyPage(async () => (await import("virtual:guarded-pages")).RequireAuth);

// The same component for all addresses of a page, so that it keeps its state.
const components = new Map(pages.map(({ load }) => [load, lazyPage(load)]));

const table = pages.map(({ path, title, guard, type, load }) => {
  const Component = components.get(load) ?? lazyPage(load);
  const page = <Component key={type} type={type} />;
  return { path, title, page: guard ? <RequireAuth>{page}</RequireAuth> : page };
});

/** The page at the current address, in its frame. */
export function PageRoutes() {
  return (
    <Layout>
      <Routes table={table} />
    </Layout>
  );
}
