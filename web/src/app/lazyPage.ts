import { type ComponentType, lazy } from "react";

const reloadedKey = "cairn.reloaded";

/**
 * A page whose code is loaded when it is first shown. After an update of the server the old page's chunks are gone:
 * then the document is reloaded once; if that doesn't help, the error goes to the boundary.
 */
export function lazyPage<Properties extends object>(load: () => Promise<ComponentType<Properties>>) {
  return lazy(async () => {
    try {
      const page = await load();
      sessionStorage.removeItem(reloadedKey);
      return { default: page };
    } catch (error) {
      if (sessionStorage.getItem(reloadedKey) !== null) throw error;
      sessionStorage.setItem(reloadedKey, "yes");
      location.reload();
      return new Promise<never>(() => {});
    }
  });
}
