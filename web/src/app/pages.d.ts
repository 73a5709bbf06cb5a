declare module "virtual:pages" {
  import type { ComponentType } from "react";
  import type { ResourceType } from "@/api/types";

  /** The table of pages (web/pages.json): every address; the first path that matches is shown. */
  export const pages: readonly {
    path: string;
    /** The window's title, unless the page sets another; "" means only the product's name. */
    title: string;
    /** Only for those who are signed in. */
    guard: boolean;
    /** What the component is given. */
    type?: ResourceType;
    /** The same function for pages that share a component. */
    load: () => Promise<ComponentType<{ type: ResourceType | undefined }>>;
  }[];
}

declare module "virtual:guarded-pages" {
  export { RequireAuth } from "@/features/identity/RequireAuth";
}
