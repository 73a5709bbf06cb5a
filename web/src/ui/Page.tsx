import { createContext, type ReactNode, useContext, useEffect, useRef } from "react";
import { classes } from "@/lib/classes";
import { useLocation } from "@/ui/router";
import styles from "./Page.module.css";

/** The name of the product, for the title of the window. */
export const SiteName = createContext("");

/** Names the window after the page. */
export function useWindowTitle(title: string) {
  const site = useContext(SiteName);
  useEffect(() => {
    document.title = title === "" ? site : `${title} · ${site}`;
  }, [title, site]);
}

interface PageProps {
  /** The text of the window's title; the heading too unless that is given. */
  title: string;
  /** The one h1 of the page. */
  heading?: ReactNode;
  subtitle?: ReactNode;
  /** At the right of the heading. */
  actions?: ReactNode;
  /** Above the heading: a way back, a badge. */
  above?: ReactNode;
  width?: "wide" | "narrow";
  children: ReactNode;
}

/** The frame of a page: window title, heading, and the focus on the heading after a move from another page. */
export function Page({ title, heading = title, subtitle, actions, above, width = "wide", children }: PageProps) {
  useWindowTitle(title);
  const heading1 = useRef<HTMLHeadingElement>(null);
  // The first page of a visit has this key: there the focus stays where the browser has it.
  const arrived = useLocation().key === "default";
  const moved = useRef(!arrived);
  useEffect(() => {
    if (moved.current) heading1.current?.focus({ preventScroll: true });
  }, []);

  return (
    <div className={classes(styles.page, styles[width])}>
      <header className={styles.header}>
        {above}
        <div className={styles.headline}>
          <h1 ref={heading1} tabIndex={-1}>
            {heading}
          </h1>
          {actions && <div className={styles.actions}>{actions}</div>}
        </div>
        {subtitle && <p className={styles.subtitle}>{subtitle}</p>}
      </header>
      {children}
    </div>
  );
}
