import { type ReactNode, useEffect } from "react";
import { catalogPath } from "@/features/catalog/filters";
import { useAuth } from "@/features/identity/useAuth";
import { loginPath } from "@/lib/links";
import { LinkButton } from "@/ui/Button";
import { Filled } from "@/ui/Filled";
import { Page } from "@/ui/Page";
import { Link, useLocation } from "@/ui/router";
import { toast } from "@/ui/toast";
import { resourceNotFoundMessages as messages } from "./ResourceNotFound.messages";
import styles from "./ResourceNotFound.module.css";

/** The page of an entry that doesn't exist, or that the reader may not see. */
export function ResourceNotFound({ id, back }: { id: string; back: ReactNode }) {
  const { state } = useAuth();
  const here = useLocation();
  useEffect(() => {
    toast.error(messages.notFound, id);
  }, [id]);
  return (
    <Page title={messages.notFound} heading={messages.absent} above={back}>
      <div className={styles.said}>
        <p className={styles.id}>{id}</p>
        {state === "authenticated" ? (
          <p>{messages.privateToAuthors}</p>
        ) : (
          <p>
            <Filled
              text={messages.mayBePrivate}
              values={{ signIn: <Link to={loginPath(here)}>{messages.signIn}</Link> }}
            />
          </p>
        )}
        <LinkButton to={catalogPath()}>{messages.browse}</LinkButton>
      </div>
    </Page>
  );
}
