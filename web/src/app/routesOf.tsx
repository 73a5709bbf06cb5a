import type { PageRow } from "virtual:pages";
import type { ReactNode } from "react";
import { lazyPage } from "./lazyPage";

/** Returns the rows of a router. Pages that share a component keep its state from one address to another. */
export function routesOf(rows: readonly PageRow[], guarded: (page: ReactNode) => ReactNode) {
  const components = new Map(rows.map(({ path, load }) => [load, lazyPage(path, load)]));
  return rows.map(({ path, title, guard, type, load }) => {
    const Component = components.get(load) ?? lazyPage(path, load);
    const page = <Component key={type} type={type} />;
    return { path, title, page: guard ? guarded(page) : page };
  });
}
