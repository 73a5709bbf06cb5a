import type { PageRow } from "virtual:pages";
import { lazyPage } from "./lazyPage";

/** Returns the rows of a router. Pages that share a component keep its state from one address to another. */
export function routesOf(rows: readonly PageRow[]) {
  const components = new Map(rows.map(({ path, load }) => [load, lazyPage(path, load)]));
  return rows.map(({ path, title, type, load }) => {
    const Component = components.get(load) as ReturnType<typeof lazyPage<{ type: PageRow["type"] }>>;
    return { path, title, page: <Component key={type} type={type} /> };
  });
}
