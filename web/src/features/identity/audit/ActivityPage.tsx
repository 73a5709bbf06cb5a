import { useQuery } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import { useAccount } from "@/features/identity/useAccount";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { PagedList } from "@/ui/list/PagedList";
import { Page } from "@/ui/Page";
import { useSearchParams } from "@/ui/router";
import { activityPageMessages as words } from "./ActivityPage.messages";
import { AuditRow } from "./AuditRow";
import { AuditSkeletons } from "./AuditSkeletons";
import { readAuditFilters } from "./auditFilters";
import { activityQuery, auditPageSize } from "./auditQueries";

/** /account/activity: what is recorded about the viewer. */
export function ActivityPage() {
  return (
    <Page subtitle={words.subtitle}>
      <Activity />
    </Page>
  );
}

/** A page of records, or a state: loading, failed, or none. */
function Activity() {
  const [params, setParams] = useSearchParams();
  const { page } = readAuditFilters(params);
  const own = useAccount().data?.email ?? "";
  const { data, error, refetch, isPlaceholderData } = useQuery(activityQuery(page));
  if (error) {
    return <ErrorState title={words.failed} message={messageOf(error)} onRetry={() => void refetch()} />;
  }
  if (!data) {
    return <AuditSkeletons label={words.loading} />;
  }
  if (data.content.length === 0 && !isPlaceholderData) {
    return page > 1 ? (
      <Empty title={words.noMore} action={<LinkButton to="/account/activity">{words.first}</LinkButton>} />
    ) : (
      <Empty title={words.nothing} action={<LinkButton to="/resources">{words.catalog}</LinkButton>} />
    );
  }
  return (
    <PagedList
      label={words.list}
      total={words.total(data.totalElements)}
      busy={isPlaceholderData}
      page={page}
      pages={Math.ceil(data.totalElements / auditPageSize)}
      onPage={(next) => setParams({ page: String(next) })}
    >
      {data.content.map((record) => (
        <AuditRow key={record.id} record={record} own={own} />
      ))}
    </PagedList>
  );
}
