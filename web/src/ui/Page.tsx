import { createContext, type ReactNode, type RefObject, useContext, useEffect, useLayoutEffect, useRef } from "react";
import { classes } from "@/lib/classes";
import styles from "./Page.module.css";
import { usePageTitle } from "./router";

/** The product's name, for the window's title. */
export const SiteName = createContext("");

interface Arrival {
  /** The visitor navigated here from another page, instead of loading the document. */
  moved: boolean;
  /** The focus hasn't moved elsewhere since the navigation. */
  takesFocus: boolean;
  /** Announces the window's title to screen readers. */
  announce: (title: string) => void;
}

/** How the visitor arrived at this page, provided by the frame of all pages. */
export const ArrivalContext = createContext<Arrival>({ moved: false, takesFocus: false, announce: () => {} });

/**
 * Sets the window's title and returns the ref of the page's h1 (with a tabIndex of -1). After a navigation, also by Back,
 * the h1 gets the focus, unless the focus moved elsewhere before the page was ready. On the first page of a visit it stays
 * where the browser put it.
 */
export function useWindowTitle(title?: string): RefObject<HTMLHeadingElement | null> {
  const site = useContext(SiteName);
  const pageTitle = usePageTitle();
  const name = title ?? pageTitle;
  const { moved, takesFocus, announce } = useContext(ArrivalContext);
  const heading = useRef<HTMLHeadingElement>(null);
  const arrivedByMove = useRef(moved);
  const focusedAtFirst = useRef(takesFocus);
  useEffect(() => {
    document.title = name === "" ? site : `${name} · ${site}`;
    if (arrivedByMove.current) announce(document.title);
  }, [name, site, announce]);
  // Runs before the effects of the page's content, which may move the focus to the part named in the address.
  useLayoutEffect(() => {
    if (focusedAtFirst.current) heading.current?.focus({ preventScroll: true });
  }, []);
  return heading;
}

interface PageProps {
  /** The window's title; by default the one in the table of pages. */
  title?: string;
  /** The h1; by default the title. */
  heading?: ReactNode;
  subtitle?: ReactNode;
  /** At the right of the heading. */
  actions?: ReactNode;
  /** Above the heading, such as a back link or a badge. */
  above?: ReactNode;
  width?: "wide" | "narrow";
  /** With little room above the content, for a page that people came to for a list. */
  dense?: boolean;
  children: ReactNode;
}

/** The frame of a page: window title, heading, and slots above, beside and below the content. */
export function Page({ title, heading, subtitle, actions, above, width = "wide", dense = false, children }: PageProps) {
  const pageTitle = usePageTitle();
  const heading1 = useWindowTitle(title);
  return (
    <div className={classes(styles.page, styles[width], dense && styles.dense)}>
      <header className={styles.header}>
        {above}
        <div className={styles.headline}>
          <h1 ref={heading1} tabIndex={-1}>
            {heading ?? title ?? pageTitle}
          </h1>
          {actions && <div className={styles.actions}>{actions}</div>}
        </div>
        {subtitle && <p className={styles.subtitle}>{subtitle}</p>}
      </header>
      {children}
    </div>
  );
}
