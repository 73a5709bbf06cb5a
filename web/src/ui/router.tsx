import {
  type ComponentProps,
  createContext,
  type MouseEvent,
  type ReactNode,
  startTransition,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from "react";
import { matchPath, type Place, placeOf, type To } from "@/lib/paths";

/*
 * Which page is shown for which address. A library does the same for eight times the script (see the decision "The
 * page pays for its first paint"): what is here is what this page uses of it, under the same names.
 */

/** A place in the browser's history. */
interface Visit extends Place {
  /** Whatever was given when one went there. */
  state: unknown;
  /** Differs for each entry of the history; "default" for one that no link of the page made, such as the first. */
  key: string;
  /** How one came: "POP" is the arrival, Back and Forward. */
  type: "POP" | "PUSH" | "REPLACE";
}

interface NavigateOptions {
  /** In place of the entry of the history where one is. */
  replace?: boolean;
  state?: unknown;
}

type Go = (to: To, options?: NavigateOptions) => void;

/** Where one is; pages ask for it with useLocation. */
export const VisitContext = createContext<Visit | null>(null);
const NavigateContext = createContext<Go>(() => {});
const ParamsContext = createContext<Partial<Record<string, string>>>({});
const TitleContext = createContext("");

/** Follows the browser's address. A page whose code is still to come leaves the one before on the screen. */
export function Router({ children }: { children: ReactNode }) {
  const [visit, setVisit] = useState(() => visitNow("POP"));
  // Made once, so that effects may depend on it.
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
  // One address for each page: it goes without a slash at its end.
  const pathname = asked.replace(/(.)\/+$/, "$1");
  if (pathname !== asked) window.history.replaceState(window.history.state, "", origin + pathname + search + hash);
  const { state = null } = (window.history.state ?? {}) as Partial<Visit>;
  return { pathname, search, hash, key: currentEntry(), state, type };
}

/** The key of the browser's entry of the history, where the page that belongs to it may still be on its way. */
export function currentEntry(): string {
  const { key = "default" } = (window.history.state ?? {}) as Partial<Visit>;
  return key;
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

/** The values of the ":names" in the path of the page that is shown. */
export function useParams(): Partial<Record<string, string>> {
  return useContext(ParamsContext);
}

/** The title that the table of pages has for this address. */
export function usePageTitle(): string {
  return useContext(TitleContext);
}

/** The search of the address, and how to go to another one of the same page. */
export function useSearchParams() {
  const { search } = useLocation();
  const navigate = useNavigate();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const change = (next: URLSearchParams | Record<string, string> | string, options?: NavigateOptions) =>
    navigate({ search: new URLSearchParams(next).toString() }, options);
  return [params, change] as const;
}

/** Goes to another page at once. */
export function Navigate({ to, replace = false }: { to: string; replace?: boolean }) {
  const navigate = useNavigate();
  useEffect(() => navigate(to, { replace }), [navigate, to, replace]);
  return null;
}

interface LinkProps extends Omit<ComponentProps<"a">, "href" | "target" | "download"> {
  to: To;
  state?: unknown;
  /** In place of the entry of the history where one is. */
  replace?: boolean;
}

/** A link to another page of this site: a real one, so that every way of the browser to open it works. */
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
    // As browsers do: who follows a link to where they are gets no second entry in the history.
    const same = event.currentTarget.href === window.location.href;
    navigate(address, { replace: replace || same, state });
  };

  return <a {...rest} href={address} onClick={follow} />;
}
