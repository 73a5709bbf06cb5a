import { type ReactNode, useEffect } from "react";
import { useLocation } from "@/ui/router";
import { Toaster } from "@/ui/Toaster";
import { ErrorBoundary } from "./ErrorBoundary";
import { Footer } from "./Footer";
import styles from "./Layout.module.css";
import { layoutMessages } from "./messages";
import { NavigationBar } from "./NavigationBar";

/**
 * The frame of every page. There is no place holder for a page whose code is still to come: the document has it loaded
 * beforehand, so that the first page appears whole and at once; later ones take over from the page before them.
 */
export function Layout({ children }: { children: ReactNode }) {
  const { pathname, type } = useLocation();
  // Going back the browser itself returns to where one was.
  useEffect(() => {
    if (pathname && type !== "POP") window.scrollTo(0, 0);
  }, [pathname, type]);

  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#main">
        {layoutMessages.skip}
      </a>
      <NavigationBar />
      <main id="main" tabIndex={-1} className={styles.main}>
        <ErrorBoundary key={pathname}>{children}</ErrorBoundary>
      </main>
      <Footer />
      <Toaster />
    </div>
  );
}
