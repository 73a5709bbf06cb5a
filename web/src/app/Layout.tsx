import { useEffect } from "react";
import { Outlet, useLocation, useNavigationType } from "react-router";
import { Toaster } from "@/ui/Toaster";
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
export function Layout() {
  const { pathname } = useLocation();
  const navigation = useNavigationType();
  useKeptFocus();
  // Going back the browser itself returns to where one was.
  useEffect(() => {
    if (pathname && navigation !== "POP") window.scrollTo(0, 0);
  }, [pathname, navigation]);

  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#main">
        {layoutMessages.skip}
      </a>
      <NavigationBar />
      <main id="main" tabIndex={-1} className={styles.main}>
        <ErrorBoundary key={pathname}>
          <Outlet />
        </ErrorBoundary>
      </main>
      <Footer />
      <Toaster />
    </div>
  );
}
