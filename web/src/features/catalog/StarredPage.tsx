import { useQuery } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import { useAuth } from "@/features/identity/useAuth";
import { count } from "@/lib/format";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Page } from "@/ui/Page";
import { catalogPath } from "./filters";
import styles from "./ListPage.module.css";
import { starredQuery } from "./listQueries";
import { ResourceGrid, ResourceGridSkeleton } from "./ResourceGrid";
import { Total } from "./Total";

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
      <Page title="Starred Resources">
        <ErrorState
          title="There is nobody to keep stars for."
          message="Your identity provider gives no e-mail address for you. Verify your address there and sign in again."
        />
      </Page>
    );
  }
  return (
    <Page title="Starred Resources" subtitle="What you marked to find it again, the newest star first.">
      {error && !data && (
        <ErrorState title="Your stars could not be read." message={messageOf(error)} onRetry={() => refetch()} />
      )}
      {!error && !data && <ResourceGridSkeleton count={3} />}
      {data?.length === 0 && (
        <Empty title="Nothing is starred yet." action={<LinkButton to={catalogPath()}>Browse the catalog</LinkButton>}>
          <p>Star an entry in the catalog and it is kept here.</p>
        </Empty>
      )}
      {data && data.length > 0 && (
        <div className={styles.stack}>
          <Total>{count(data.length, "entry", "entries")}</Total>
          <ResourceGrid resources={data} />
        </div>
      )}
    </Page>
  );
}
