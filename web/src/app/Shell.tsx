import { ConfigContext } from "@/api/config";
import type { Config } from "@/api/types";
import { type Auth, AuthContext } from "@/features/identity/useAuth";
import { VisitContext } from "@/ui/router";
import { layoutMessages } from "./Layout.messages";
import styles from "./Layout.module.css";
import { NavigationBar } from "./NavigationBar";

const nowhere = { pathname: "", search: "", hash: "", state: null, key: "", type: "POP" } as const;

/**
 * What the document itself shows until the page runs: the bar, whose links work already. The build draws it (see
 * build/shell.ts), so it knows neither who is signed in nor the address; the first page takes its place without a jump.
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
          <main id="main" tabIndex={-1} className={styles.main} />
        </VisitContext>
      </AuthContext>
    </ConfigContext>
  );
}
