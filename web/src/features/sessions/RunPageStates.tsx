import { useAuth } from "@/features/identity/useAuth";
import { loginPath } from "@/lib/links";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { Link, useLocation } from "@/ui/router";
import { runPageMessages as messages } from "./RunPage.messages";
import styles from "./RunPage.module.css";

/** The page while nothing is known yet. */
export function RunPageWaiting() {
  return (
    <Page title={messages.window} heading={<Skeleton width="min(18rem, 70vw)" />} width="narrow">
      <SkeletonPlace label={messages.loading} className={styles.page}>
        <Skeleton height="40px" />
        <Skeleton height="16rem" />
      </SkeletonPlace>
    </Page>
  );
}

/** The page of an address at which nothing can be seen. */
export function NothingToRun() {
  const { state } = useAuth();
  const here = useLocation();
  return (
    <Page title={messages.absent} width="narrow">
      <Empty title={messages.absentWhy} action={<LinkButton to="/resources">{messages.browse}</LinkButton>}>
        {state !== "authenticated" && (
          <p>
            {messages.signInBefore}
            <Link to={loginPath(here)}>{messages.signIn}</Link>
            {messages.signInAfter}
          </p>
        )}
      </Empty>
    </Page>
  );
}

interface RunPageFailedProps {
  message: string;
  retrying: boolean;
  onRetry: () => void;
}

/** The page when the server could not say what would run. */
export function RunPageFailed(props: RunPageFailedProps) {
  return (
    <Page title={messages.window} width="narrow">
      <ErrorState title={messages.failure} {...props} />
    </Page>
  );
}
