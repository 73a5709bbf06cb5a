import { type ComponentType, lazy } from "react";

/**
 * Returns a page whose code is loaded when it is first shown. After a server update the old chunks are gone, so the
 * document is reloaded once for each name; if that doesn't help, the error boundary shows the error.
 */
export function lazyPage<Properties extends object>(name: string, load: () => Promise<ComponentType<Properties>>) {
  const reloadedKey = `cairn.reloaded ${name}`;
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
