import { createContext, type ReactNode, type RefObject, useContext, useEffect, useLayoutEffect, useRef } from "react";
import { classes } from "@/lib/classes";
import styles from "./Page.module.css";
import { usePageTitle } from "./router";

/** The name of the product, for the title of the window. */
export const SiteName = createContext("");

interface Arrival {
  /** The visitor came from another page of this visit, not with the document. */
  moved: boolean;
  /** They wait for it: after the move they turned to nothing else. */
  takesFocus: boolean;
  /** Reads the title of the window out, when it is free to. */
  announce: (title: string) => void;
}

/** What the frame of the pages knows of how somebody came to this one. */
export const ArrivalContext = createContext<Arrival>({ moved: false, takesFocus: false, announce: () => {} });

/**
 * Names the window after the page, and gives the ref of its one h1 (with a tabIndex of -1): after a move from another
 * page, also by Back, the focus goes there, unless it was taken elsewhere before this page was there. On the first page
 * of a visit it stays where the browser has it.
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
  // Before the effects of the page's content: a part of it that the address names takes the focus from here.
  useLayoutEffect(() => {
    if (focusedAtFirst.current) heading.current?.focus({ preventScroll: true });
  }, []);
  return heading;
}

interface PageProps {
  /** The text of the window's title; the one that the table of pages has, unless it is given. */
  title?: string;
  /** The one h1 of the page; the title, unless it is given. */
  heading?: ReactNode;
  subtitle?: ReactNode;
  /** At the right of the heading. */
  actions?: ReactNode;
  /** Above the heading: a way back, a badge. */
  above?: ReactNode;
  width?: "wide" | "narrow";
  children: ReactNode;
}

/** The frame of a page: window title, heading, and slots above, beside and below the content. */
export function Page({ title, heading, subtitle, actions, above, width = "wide", children }: PageProps) {
  const pageTitle = usePageTitle();
  const heading1 = useWindowTitle(title);
  return (
    <div className={classes(styles.page, styles[width])}>
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
