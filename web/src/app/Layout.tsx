import { type ReactNode, useEffect, useMemo, useState } from "react";
import { ArrivalContext } from "@/ui/Page";
import { useLocation } from "@/ui/router";
import { Toaster } from "@/ui/Toaster";
import { ConnectionNotice } from "./ConnectionNotice";
import { ErrorBoundary } from "./ErrorBoundary";
import { Footer } from "./Footer";
import styles from "./Layout.module.css";
import { layoutMessages } from "./messages";
import { NavigationBar } from "./NavigationBar";
import { useKeptFocus } from "./useKeptFocus";

/**
 * The frame of every page. There is no place holder for a page whose code is still to come: the document has it loaded
 * beforehand, so that the first page appears whole and at once; later ones take over from the page before them.
 */
export function Layout({ children }: { children: ReactNode }) {
  const { pathname, hash, type } = useLocation();
  useKeptFocus();
  // Going back the browser itself returns to where one was; a place in a page is the page's own.
  useEffect(() => {
    if (pathname && type !== "POP" && hash === "") window.scrollTo(0, 0);
  }, [pathname, type, hash]);

  // The page that the document brought, until somebody leaves it.
  const [first, setFirst] = useState<string | undefined>(pathname);
  if (first !== undefined && first !== pathname) setFirst(undefined);
  const [announced, announce] = useState("");
  const arrival = useMemo(() => ({ moved: first === undefined, announce }), [first]);

  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#main">
        {layoutMessages.skip}
      </a>
      <p className="visually-hidden" aria-live="polite">
        {announced}
      </p>
      <NavigationBar />
      <main id="main" tabIndex={-1} className={styles.main}>
        <ArrivalContext value={arrival}>
          <ErrorBoundary key={pathname}>{children}</ErrorBoundary>
        </ArrivalContext>
      </main>
      <Footer />
      <ConnectionNotice />
      <Toaster />
    </div>
  );
}
