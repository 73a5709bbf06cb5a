import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useConfig } from "@/api/config";
import { Alert } from "@/ui/Alert";
import { Button } from "@/ui/Button";
import { Mark } from "@/ui/Mark";
import { useWindowTitle } from "@/ui/Page";
import { useNavigate, useSearchParams } from "@/ui/router";
import { TextLink } from "@/ui/TextLink";
import { arrive } from "./arrive";
import { loginMessages as words } from "./LoginPage.messages";
import styles from "./LoginPage.module.css";
import { returnAddress } from "./returnAddress";
import { useAuth } from "./useAuth";

const firstRetry = 5_000;
const slowestRetry = 60_000;
/** For half an hour; the button keeps working. */
const mostRetries = 30;

/** /login: leads to the institution's sign-in, and back to `?redirect=`. */
export function LoginPage() {
  const heading = useWindowTitle();
  const { product, tagline, oidc, accounts } = useConfig();
  const { state, login, prepare } = useAuth();
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const redirect = returnAddress(query.get("redirect"), location.origin);
  // Somebody who arrives signed in wants to sign in again; somebody who signs in meanwhile, in another tab, doesn't.
  const [arrived, setArrived] = useState(state);
  if (arrived === "loading" && state !== "loading") {
    setArrived(state);
  }
  const straight = arrived === "authenticated";
  const [leaving, setLeaving] = useState(false);

  const service = useQuery({
    queryKey: ["identity", "sign-in service"],
    queryFn: async () => {
      await prepare();
      return true;
    },
    networkMode: "always",
    retry: mostRetries,
    retryDelay: (failures) => Math.min(firstRetry * 2 ** failures, slowestRetry),
    staleTime: Number.POSITIVE_INFINITY,
  });

  const go = () => {
    setLeaving(true);
    void login(redirect).finally(() => setLeaving(false));
  };

  // `login` changes with the state, but the page must leave only once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (straight) go();
  }, [straight]);

  const arrives = state === "authenticated" && !straight;
  useEffect(() => {
    if (arrives) arrive(redirect, navigate, (address) => location.replace(address));
  }, [arrives, redirect, navigate]);
  if (arrives) return null;

  const unavailable = service.failureCount > 0;
  return (
    <div className={styles.page}>
      <Mark size={56} />
      <h1 ref={heading} tabIndex={-1}>
        {product}
      </h1>
      <p className={styles.tagline}>{tagline}</p>
      <div className={styles.action}>
        <p>{purpose(redirect)}</p>
        <Button
          variant="primary"
          className={styles.button}
          busy={leaving || (service.isPending && !unavailable)}
          onClick={go}
        >
          {unavailable ? words.retry : words.signIn}
        </Button>
        <div className={styles.note}>
          {unavailable ? (
            <Alert failed title={words.unavailable}>
              <p>{words.unavailableReason}</p>
            </Alert>
          ) : (
            <>
              <p role="status">{service.isPending ? words.loading : whereTo(oidc.issuer)}</p>
              {service.isPending && <p className={styles.room}>{whereTo(oidc.issuer)}</p>}
            </>
          )}
        </div>
      </div>
      <p className={styles.aside}>{words.firstTime(accounts.contact)}</p>
      <p className={styles.aside}>
        <TextLink href="/resources">{words.browse}</TextLink>
      </p>
    </div>
  );
}

/** Returns the purpose of a sign-in, derived from its destination. */
function purpose(redirect: string): string {
  if (redirect === "/") return words.here;
  const purpose = Object.entries(words.purposes).find(([path]) => redirect.startsWith(path));
  return purpose?.[1] ?? words.elsewhere;
}

/** Names the host that asks for the password, so that people know which address to expect. */
function whereTo(issuer: string): string {
  const { host } = new URL(issuer);
  return host === location.host ? words.atThisServer : words.atInstitution(host);
}
