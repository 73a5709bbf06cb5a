declare module "virtual:pages" {
  import type { ComponentType } from "react";
  import type { ResourceType } from "@/api/types";

  /** A row of the table of pages (web/pages.json). */
  export interface PageRow {
    path: string;
    /** The window's title, unless the page sets another; "" means only the product's name. */
    title: string;
    /** Only for those who are signed in. */
    guard?: boolean;
    /** What the component is given. */
    type?: ResourceType;
    /** The same function for pages that share a component. */
    load: () => Promise<ComponentType<{ type: ResourceType | undefined }>>;
  }

  /** The rows for everybody; the first path that matches is shown. */
  export const pages: readonly PageRow[];
}

declare module "virtual:other-pages" {
  import type { PageRow } from "virtual:pages";

  /** The other rows: for those who are signed in, those with which few visits begin, and at last for every address. */
  export const pages: readonly PageRow[];
}
