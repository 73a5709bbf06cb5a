import type { ComponentProps, MouseEvent, ReactNode } from "react";
import { createContext, startTransition, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { matchPath, type Place, placeOf, type To } from "@/lib/paths";

// The part of react-router that the page uses, with the same names and an eighth of the size (see the decision "The page
// pays for its first paint").

/** A location and its entry in the browser's history. */
interface Visit extends Place {
  /** The state passed to navigate. */
  state: unknown;
  /** Unique for each history entry; "default" for entries that the router didn't create, such as the first. */
  key: string;
  /** How the entry was reached: "POP" for the first page, Back and Forward. */
  type: "POP" | "PUSH" | "REPLACE";
}

interface NavigateOptions {
  /** Replaces the current history entry. */
  replace?: boolean;
  state?: unknown;
}

type Go = (to: To, options?: NavigateOptions) => void;

/** The current location; pages read it with useLocation. */
export const VisitContext = createContext<Visit | null>(null);
const NavigateContext = createContext<Go>(() => {});
const ParamsContext = createContext<Partial<Record<string, string>>>({});
const TitleContext = createContext("");

/** Follows the browser's address. While the code of a page loads, the previous page stays on the screen. */
export function Router({ children }: { children: ReactNode }) {
  const [visit, setVisit] = useState(() => visitNow("POP"));
  // Stable, so that effects may depend on it.
  const navigate = useCallback<Go>((to, { replace = false, state = null } = {}) => {
    const { pathname, search, hash } = placeOf(to, window.location);
    const entry = { key: Math.random().toString(36).slice(2), state };
    if (replace) window.history.replaceState(entry, "", pathname + search + hash);
    else window.history.pushState(entry, "", pathname + search + hash);
    startTransition(() => setVisit(visitNow(replace ? "REPLACE" : "PUSH")));
  }, []);

  useEffect(() => {
    const moved = () => startTransition(() => setVisit(visitNow("POP")));
    window.addEventListener("popstate", moved);
    return () => window.removeEventListener("popstate", moved);
  }, []);

  return (
    <NavigateContext value={navigate}>
      <VisitContext value={visit}>{children}</VisitContext>
    </NavigateContext>
  );
}

function visitNow(type: Visit["type"]): Visit {
  const { origin, pathname: asked, search, hash } = window.location;
  // A page's canonical address has no trailing slash.
  const pathname = asked.replace(/(.)\/+$/, "$1");
  if (pathname !== asked) window.history.replaceState(window.history.state, "", origin + pathname + search + hash);
  return { pathname, search, hash, key: currentEntry(), state: window.history.state?.state ?? null, type };
}

/** Returns the key of the browser's current history entry, whose page may still be loading. */
export function currentEntry(): string {
  return window.history.state?.key ?? "default";
}

/** Shows the page of the first row whose path matches the address. */
export function Routes({ table }: { table: readonly { path: string; title: string; page: ReactNode }[] }) {
  const { pathname } = useLocation();
  for (const { path, title, page } of table) {
    const params = matchPath(path, pathname);
    if (!params) continue;
    return (
      <TitleContext value={title}>
        <ParamsContext value={params}>{page}</ParamsContext>
      </TitleContext>
    );
  }
  return null;
}

/** Returns the current location. */
export function useLocation(): Visit {
  const visit = useContext(VisitContext);
  if (!visit) throw new Error("useLocation needs a Router above it");
  return visit;
}

/** Returns a function that navigates. Its identity is stable. */
export function useNavigate(): Go {
  return useContext(NavigateContext);
}

/** Returns the values of the ":names" in the current page's path. */
export function useParams(): Partial<Record<string, string>> {
  return useContext(ParamsContext);
}

/** Returns the title of the current page in the table of pages. */
export function usePageTitle(): string {
  return useContext(TitleContext);
}

/** Returns the query of the address, and a function that changes it. */
export function useSearchParams() {
  const { search } = useLocation();
  const navigate = useNavigate();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const change = (next: URLSearchParams | Record<string, string> | string, options?: NavigateOptions) =>
    navigate({ search: new URLSearchParams(next).toString() }, options);
  return [params, change] as const;
}

/** Navigates to another page immediately. */
export function Navigate({ to, replace = false }: { to: string; replace?: boolean }) {
  const navigate = useNavigate();
  useEffect(() => navigate(to, { replace }), [navigate, to, replace]);
  return null;
}

interface LinkProps extends Omit<ComponentProps<"a">, "href" | "target" | "download">, NavigateOptions {
  to: To;
}

/** A link to another page of this site: a real <a>, so that opening it in a new tab works. */
export function Link({ to, state, replace = false, onClick, ...rest }: LinkProps) {
  const here = useLocation();
  const navigate = useNavigate();
  const { pathname, search, hash } = placeOf(to, here);
  const address = pathname + search + hash;

  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (event.defaultPrevented || elsewhere) return;
    event.preventDefault();
    // As in browsers, a link to the current address adds no history entry.
    const same = event.currentTarget.href === window.location.href;
    navigate(address, { replace: replace || same, state });
  };

  return <a {...rest} href={address} onClick={follow} />;
}
