import { type ComponentType, lazy, type ReactNode, Suspense, useLayoutEffect, useMemo, useState } from "react";
import { ArrivalContext } from "@/ui/Page";
import { currentEntry, useLocation } from "@/ui/router";
import { ErrorBoundary } from "./ErrorBoundary";
import { layoutMessages } from "./Layout.messages";
import styles from "./Layout.module.css";
import { NavigationBar } from "./NavigationBar";
import { useKeptFocus } from "./useKeptFocus";

// Pages do without it, if it can't be loaded.
const AfterPaint = lazy<ComponentType>(() =>
  import("./AfterPaint").then(
    ({ AfterPaint }) => ({ default: AfterPaint }),
    () => ({ default: () => null }),
  ),
);

/**
 * The frame of every page. There is no placeholder while a page's code loads: the document preloads the code of the first
 * page, and later pages replace the previous one when they are ready.
 */
export function Layout({ children }: { children: ReactNode }) {
  useKeptFocus();
  const { pathname, key, type } = useLocation();
  // On Back the browser restores the scroll position. This runs before effects that scroll to an anchor.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new page starts at the top.
  useLayoutEffect(() => {
    if (type !== "POP") window.scrollTo(0, 0);
  }, [pathname]);

  // The first page of the visit, until it is left.
  const [first, setFirst] = useState<string | undefined>(pathname);
  if (first !== undefined && first !== pathname) setFirst(undefined);
  const [announced, announce] = useState("");

  // The history entry at which the bar's items were expanded. A page renders later than its address changes: expanding
  // them in between keeps them open, and any other navigation collapses them.
  const [unfoldedAt, setUnfoldedAt] = useState<string>();
  const [shown, setShown] = useState(key);
  if (shown !== key) {
    setShown(key);
    if (unfoldedAt !== key) setUnfoldedAt(undefined);
  }

  const moved = first === undefined;
  const takesFocus = moved && unfoldedAt !== key;
  const arrival = useMemo(() => ({ moved, takesFocus, announce }), [moved, takesFocus]);

  return (
    <>
      <a className={styles.skip} href="#main">
        {layoutMessages.skip}
      </a>
      <p className="visually-hidden" aria-live="polite">
        {announced}
      </p>
      <NavigationBar
        unfolded={unfoldedAt !== undefined}
        onUnfold={(unfolded) => setUnfoldedAt(unfolded ? currentEntry() : undefined)}
      />
      <main id="main" tabIndex={-1} className={styles.main}>
        <ArrivalContext value={arrival}>
          <ErrorBoundary key={pathname} visit={key}>
            {children}
          </ErrorBoundary>
        </ArrivalContext>
      </main>
      <Suspense>
        <AfterPaint />
      </Suspense>
    </>
  );
}
