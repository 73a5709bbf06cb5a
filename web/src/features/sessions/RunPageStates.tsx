import { useAuth } from "@/features/identity/useAuth";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { NothingHere } from "@/ui/NothingHere";
import { Page } from "@/ui/Page";
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
  return <NothingHere title={messages.absent} why={messages.absentWhy} signedOut={state !== "authenticated"} />;
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
