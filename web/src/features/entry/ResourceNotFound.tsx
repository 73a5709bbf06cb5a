import { type ReactNode, useEffect } from "react";
import { hasCode } from "@/api/problem";
import type { Version } from "@/api/version";
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
import { WithdrawnVersion } from "./WithdrawnVersion";

interface ResourceNotFoundProps {
  id: string;
  error: Error | null;
  /** The version of it that was asked for. */
  version: Version;
  back: ReactNode;
}

/** The page of an entry, or of a version of it, that isn't shown. */
export function ResourceNotFound(props: ResourceNotFoundProps) {
  const { pathname } = useLocation();
  return hasCode(props.error, "version_withdrawn") ? (
    <WithdrawnVersion version={props.version ?? ""} reason={props.error.message} latest={pathname} back={props.back} />
  ) : (
    <Absent {...props} />
  );
}

/** The page of an entry that doesn't exist, or that the reader may not see. */
function Absent({ id, version, back }: ResourceNotFoundProps) {
  const { state } = useAuth();
  const here = useLocation();
  useEffect(() => {
    toast.error(messages.notFound, id);
  }, [id]);
  return (
    <Page title={messages.notFound} heading={version ? messages.noVersion(version) : messages.absent} above={back}>
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
        {version && <LinkButton to={here.pathname}>{messages.latest}</LinkButton>}
        <LinkButton to={catalogPath()}>{messages.browse}</LinkButton>
      </div>
    </Page>
  );
}
