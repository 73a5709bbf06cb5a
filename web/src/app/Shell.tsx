import { ConfigContext } from "@/api/config";
import type { Config } from "@/api/types";
import { type Auth, AuthContext } from "@/features/identity/useAuth";
import { VisitContext } from "@/ui/router";
import { layoutMessages } from "./Layout.messages";
import styles from "./Layout.module.css";
import { NavigationBar } from "./NavigationBar";
import { shellMessages as messages } from "./Shell.messages";

const nowhere = { pathname: "", search: "", hash: "", state: null, key: "", type: "POP" } as const;

/**
 * The content of the document until the page's script runs: the navigation bar with working links. It is rendered at build
 * time (see build/shell.ts), without a user or an address; the first page replaces it without a layout shift.
 */
export function Shell({ product }: { product: string }) {
  return (
    <ConfigContext value={{ product } as Config}>
      <AuthContext value={{ state: "loading" } as Auth}>
        <VisitContext value={nowhere}>
          <a className={styles.skip} href="#main">
            {layoutMessages.skip}
          </a>
          <NavigationBar unfolded={false} onUnfold={() => {}} />
          <main id="main" tabIndex={-1} className={styles.main}>
            <noscript>
              <p className={styles.unscripted}>
                {messages.unscripted}
                <a href="/api/docs">{messages.api}</a>
              </p>
            </noscript>
          </main>
        </VisitContext>
      </AuthContext>
    </ConfigContext>
  );
}
