import { Suspense, useId, useRef } from "react";
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

const SignedIn = lazyPage("SignedIn", async () => (await import("@/features/identity/SignedIn")).SignedIn);

interface NavigationBarProps {
  /** Whether the items are expanded in a narrow window. */
  unfolded: boolean;
  onUnfold: (unfolded: boolean) => void;
}

/** The bar at the top of every page. In a narrow window its items collapse behind a button. */
export function NavigationBar({ unfolded, onUnfold }: NavigationBarProps) {
  const { product } = useConfig();
  const { state, user } = useAuth();
  const here = useLocation();
  const { pathname } = here;
  const list = useId();
  const toggle = useRef<HTMLButtonElement>(null);
  const fold = () => {
    if (!unfolded) return;
    onUnfold(false);
    // The focused element is hidden now.
    toggle.current?.focus();
  };

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
          // It covers the page, so it must close when the focus moves there.
          onBlur={({ currentTarget, relatedTarget }) => {
            if (relatedTarget && !currentTarget.contains(relatedTarget)) onUnfold(false);
          }}
          onKeyDown={({ key }) => {
            if (key === "Escape") fold();
          }}
        >
          <button
            ref={toggle}
            type="button"
            className={styles.toggle}
            aria-label={words.menu}
            aria-expanded={unfolded}
            aria-controls={list}
            onClick={() => onUnfold(!unfolded)}
          >
            <Icon name={unfolded ? "close" : "menu"} size={22} />
          </button>
          <ul id={list} className={styles.list} data-open={unfolded}>
            {navigation.map((item) => (
              <li key={item.label}>
                <Link
                  to={item.to}
                  className={styles.item}
                  onClick={fold}
                  {...(item.holds(pathname) && { "aria-current": "page" })}
                >
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
            // The sign-in page has its own primary button.
            <LinkButton to={loginPath(here)} variant={pathname === "/login" ? "secondary" : "primary"} size="small">
              {words.login}
            </LinkButton>
          )}
        </div>
      </div>
    </header>
  );
}
