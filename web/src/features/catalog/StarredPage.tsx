import { useQuery } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import { useAuth } from "@/features/identity/useAuth";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { ResourceGrid, ResourceGridSkeleton } from "./cards/ResourceGrid";
import { catalogPath } from "./filters";
import styles from "./list/ListPage.module.css";
import { Total } from "./list/Total";
import { starredPageMessages as messages } from "./StarredPage.messages";
import { starredQuery } from "./starredQuery";

/** The entries that the user starred. */
export function StarredPage() {
  const { state, user } = useAuth();
  const email = user?.email ?? "";
  const { data, error, refetch } = useQuery({
    ...starredQuery(email),
    enabled: state === "authenticated" && email !== "",
  });
  if (state === "authenticated" && email === "") {
    return (
      <Page>
        <ErrorState title={messages.nobody} message={messages.nobodyDetail}>
          <LinkButton to={catalogPath()}>{messages.browse}</LinkButton>
        </ErrorState>
      </Page>
    );
  }
  return (
    <Page subtitle={messages.subtitle}>
      {error && !data && (
        <ErrorState
          title={messages.failure}
          message={`${messageOf(error)} ${messages.kept}`}
          onRetry={() => refetch()}
        />
      )}
      {!error && !data && (
        <div className={styles.stack}>
          <Skeleton width="5rem" height="21px" />
          <ResourceGridSkeleton count={3} />
        </div>
      )}
      {data?.length === 0 && (
        <Empty title={messages.none} action={<LinkButton to={catalogPath()}>{messages.browse}</LinkButton>}>
          <p>{messages.noneDetail}</p>
        </Empty>
      )}
      {data && data.length > 0 && (
        <div className={styles.stack}>
          <Total>{messages.total(data.length)}</Total>
          <ResourceGrid resources={data} />
        </div>
      )}
    </Page>
  );
}
