import { type ReactNode, useLayoutEffect, useMemo, useState } from "react";
import { ArrivalContext } from "@/ui/Page";
import { currentEntry, useLocation } from "@/ui/router";
import { Toaster } from "@/ui/Toaster";
import { ConnectionNotice } from "./ConnectionNotice";
import { ErrorBoundary } from "./ErrorBoundary";
import { Footer } from "./Footer";
import { layoutMessages } from "./Layout.messages";
import styles from "./Layout.module.css";
import { NavigationBar } from "./NavigationBar";
import { useKeptFocus } from "./useKeptFocus";

/**
 * The frame of every page. Pages whose code is loading have no placeholder: the document preloads the code of the first
 * page, so that it appears complete; later pages replace the previous one when they are ready.
 */
export function Layout({ children }: { children: ReactNode }) {
  const { pathname, key, type } = useLocation();
  useKeptFocus();
  // Going back the browser itself returns to where one was. Before all other effects, which lead to places in the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another page begins at its top.
  useLayoutEffect(() => {
    if (type !== "POP") window.scrollTo(0, 0);
  }, [pathname]);

  // The page that the document brought, until somebody leaves it.
  const [first, setFirst] = useState<string | undefined>(pathname);
  if (first !== undefined && first !== pathname) setFirst(undefined);
  const [announced, announce] = useState("");

  // The entry of the history at which the items of the bar were unfolded. A page comes later than its address: who
  // unfolds them in between stays there, and every other move folds them, also one that did not begin in them.
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
      <Footer />
      <ConnectionNotice />
      <Toaster />
    </>
  );
}
