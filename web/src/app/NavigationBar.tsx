import { Suspense, useId, useRef, useState } from "react";
import { useConfig } from "@/api/config";
import { useAuth } from "@/features/identity/useAuth";
import { loginPath } from "@/lib/links";
import { LinkButton } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { Mark } from "@/ui/Mark";
import { Link, useLocation } from "@/ui/router";
import { lazyPage } from "./lazyPage";
import styles from "./NavigationBar.module.css";
import { navigation } from "./navigation";
import { navigationMessages as words } from "./navigation.messages";

const SignedIn = lazyPage(async () => (await import("@/features/identity/SignedIn")).SignedIn);

/** The bar at the top of every page. On a narrow window its items fold behind a button. */
export function NavigationBar() {
  const { product } = useConfig();
  const { state, user } = useAuth();
  const here = useLocation();
  const { pathname, key } = here;
  // The list is open at one address: every move to another folds it, also one that did not begin in it.
  const [openAt, setOpenAt] = useState<string>();
  const open = openAt === key;
  if (openAt !== undefined && !open) setOpenAt(undefined); // Back must not unfold it again
  const setOpen = (next: boolean) => setOpenAt(next ? key : undefined);
  const list = useId();
  const toggle = useRef<HTMLButtonElement>(null);

  return (
    <header className={styles.bar}>
      <div className={styles.inside}>
        <Link to="/" className={styles.logo}>
          <Mark size={26} />
          {product}
        </Link>
        <nav
          aria-label={words.main}
          className={styles.nav}
          // It lies over the page: who goes on to the page sees that.
          onBlur={({ currentTarget, relatedTarget }) => {
            if (relatedTarget && !currentTarget.contains(relatedTarget)) setOpen(false);
          }}
          onKeyDown={({ key }) => {
            if (key !== "Escape" || !open) return;
            setOpen(false);
            toggle.current?.focus();
          }}
        >
          <button
            ref={toggle}
            type="button"
            className={styles.toggle}
            aria-label={words.menu}
            aria-expanded={open}
            aria-controls={list}
            onClick={() => setOpen(!open)}
          >
            <Icon name={open ? "close" : "menu"} size={22} />
          </button>
          <ul id={list} className={styles.list} data-open={open}>
            {navigation.map((item) => (
              <li key={item.label}>
                <Link to={item.to} className={styles.item} {...(item.holds(pathname) && { "aria-current": "page" })}>
                  {item.label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className={styles.user}>
          {user && (
            <Suspense>
              <SignedIn />
            </Suspense>
          )}
          {(state === "anonymous" || state === "error") && (
            // The sign-in page has the one primary button itself.
            <LinkButton to={loginPath(here)} variant={pathname === "/login" ? "secondary" : "primary"} size="small">
              {words.login}
            </LinkButton>
          )}
        </div>
      </div>
    </header>
  );
}
