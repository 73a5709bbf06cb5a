import { useQuery } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import { useAccount } from "@/features/identity/useAccount";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { PagedList } from "@/ui/list/PagedList";
import { OperatorNav } from "@/ui/OperatorNav";
import { Page } from "@/ui/Page";
import { useSearchParams } from "@/ui/router";
import { auditPageMessages as words } from "./AuditPage.messages";
import { AuditRow } from "./AuditRow";
import { AuditSearch } from "./AuditSearch";
import { AuditSkeletons } from "./AuditSkeletons";
import { type AuditFilters, readAuditFilters, writeAuditFilters } from "./auditFilters";
import { auditPageSize, auditQuery } from "./auditQueries";
import { ExportAudit } from "./ExportAudit";

/** /operator/audit: where operators see who changed what. */
export function AuditPage() {
  const account = useAccount();
  if (account.data?.operator) {
    return <Audit />;
  }
  if (account.isPending) {
    return (
      <Page above={<OperatorNav />} subtitle={words.subtitle}>
        <AuditSkeletons label={words.loading} />
      </Page>
    );
  }
  return (
    <Page width="narrow">
      {account.data && (
        <Empty title={words.operatorsOnly} action={<LinkButton to="/account/activity">{words.activity}</LinkButton>} />
      )}
      {!account.data && account.error && (
        <ErrorState
          title={words.unknownOperator}
          message={messageOf(account.error)}
          onRetry={() => void account.refetch()}
        />
      )}
    </Page>
  );
}

function Audit() {
  const [params, setParams] = useSearchParams();
  const filters = readAuditFilters(params);
  const address = writeAuditFilters({ ...filters, page: 1 });
  return (
    <Page above={<OperatorNav />} subtitle={words.subtitle} actions={<ExportAudit filters={filters} />}>
      <AuditSearch
        key={address}
        filters={filters}
        onSearch={(wanted) => setParams(writeAuditFilters({ ...wanted, page: 1 }))}
      />
      <Records filters={filters} onPage={(page) => setParams(writeAuditFilters({ ...filters, page }))} />
    </Page>
  );
}

/** The records that match the filters, or a state: loading, failed, or none. */
function Records({ filters, onPage }: { filters: AuditFilters; onPage: (page: number) => void }) {
  const { data, error, refetch, isPlaceholderData } = useQuery(auditQuery(filters));
  if (error) {
    return <ErrorState title={words.failed} message={messageOf(error)} onRetry={() => void refetch()} />;
  }
  if (!data) {
    return <AuditSkeletons label={words.loading} />;
  }
  if (data.content.length === 0 && !isPlaceholderData) {
    const all = writeAuditFilters(filters) === "";
    return (
      <Empty
        title={all ? words.nothing : words.noMatch}
        action={!all && <LinkButton to="/operator/audit">{words.showAll}</LinkButton>}
      />
    );
  }
  return (
    <PagedList
      label={words.list}
      total={words.total(data.totalElements)}
      busy={isPlaceholderData}
      page={filters.page}
      pages={Math.ceil(data.totalElements / auditPageSize)}
      onPage={onPage}
    >
      {data.content.map((record) => (
        <AuditRow key={record.id} record={record} />
      ))}
    </PagedList>
  );
}
