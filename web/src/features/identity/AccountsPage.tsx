import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useConfig } from "@/api/config";
import { messageOf } from "@/api/problem";
import type { PersonPage } from "@/api/types";
import { pageSize } from "@/lib/constants";
import { Button, LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton } from "@/ui/Loading";
import { Chip } from "@/ui/list/Chip";
import { PagedList } from "@/ui/list/PagedList";
import { SearchBox } from "@/ui/list/SearchBox";
import { OperatorNav } from "@/ui/OperatorNav";
import operators from "@/ui/OperatorNav.module.css";
import { Page } from "@/ui/Page";
import { useSearchParams } from "@/ui/router";
import { AccountRow } from "./AccountRow";
import { AccountSkeletons } from "./AccountSkeletons";
import { accountsPageMessages as words } from "./AccountsPage.messages";
import styles from "./AccountsPage.module.css";
import { type AccountFilters, readAccountFilters, writeAccountFilters } from "./accountFilters";
import { peopleQuery } from "./accountQueries";
import { DecideDialog } from "./DecideDialog";
import { useAccount } from "./useAccount";

/** /operator/accounts: where operators decide who may start sessions, and who else decides. */
export function AccountsPage() {
  const account = useAccount();
  const { contact } = useConfig().accounts;
  if (account.data?.operator) {
    return <Accounts ownEmail={account.data.email} />;
  }
  // Most visitors are operators, so the page has its final shape while it loads.
  if (account.isPending) {
    return (
      <Page above={<OperatorNav />} subtitle={words.subtitle}>
        <div className={styles.controls}>
          <Skeleton height="48px" />
          <Skeleton width="9rem" height="36px" />
        </div>
        <AccountSkeletons />
      </Page>
    );
  }
  return (
    <Page width="narrow">
      {account.data && (
        <Empty title={words.operatorsOnly} action={<LinkButton to="/sessions">{words.sessions}</LinkButton>}>
          <p>{words.ask(contact)}</p>
        </Empty>
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

function Accounts({ ownEmail }: { ownEmail: string }) {
  const [params, setParams] = useSearchParams();
  const filters = readAccountFilters(params);
  const [deciding, setDeciding] = useState(false);
  const result = useQuery(peopleQuery(filters));
  const waiting = result.data?.waiting;
  const change = (part: Partial<AccountFilters>) =>
    setParams(writeAccountFilters({ ...filters, page: 1, ...part }), { replace: true });

  return (
    <Page
      above={<OperatorNav />}
      subtitle={words.subtitle}
      actions={<Button onClick={() => setDeciding(true)}>{words.decide}</Button>}
    >
      <div className={styles.controls}>
        <SearchBox
          label={words.search}
          placeholder={words.searchHint}
          text={filters.search}
          onSearch={(search) => change({ search })}
        />
        <fieldset className={operators.filter} aria-label={words.show}>
          <Chip tone="purple" pressed={filters.waiting} onToggle={() => change({ waiting: true })}>
            {words.waiting} {waiting !== undefined && <span className={styles.count}>{waiting}</span>}
          </Chip>
          <Chip pressed={!filters.waiting} onToggle={() => change({ waiting: false })}>
            {words.all}
          </Chip>
        </fieldset>
      </div>
      <People
        filters={filters}
        ownEmail={ownEmail}
        result={result}
        onPage={(page) => setParams(writeAccountFilters({ ...filters, page }))}
      />
      {deciding && <DecideDialog onClose={() => setDeciding(false)} />}
    </Page>
  );
}

interface PeopleProps {
  filters: AccountFilters;
  ownEmail: string;
  result: UseQueryResult<PersonPage>;
  onPage: (page: number) => void;
}

/** The people who match the filters, or a state: loading, failed, or nobody matches. */
function People({ filters, ownEmail, result, onPage }: PeopleProps) {
  const { data, error, refetch, isPlaceholderData } = result;
  if (error) {
    return <ErrorState title={words.failed} message={messageOf(error)} onRetry={() => void refetch()} />;
  }
  if (!data) {
    return <AccountSkeletons />;
  }
  if (data.content.length === 0 && !isPlaceholderData) {
    const all = filters.search.trim() === "" && filters.page === 1;
    return (
      <Empty
        title={all && filters.waiting ? words.nobodyWaits : words.noMatch}
        action={<LinkButton to="/operator/accounts">{words.showAll}</LinkButton>}
      >
        {!all && <p>{words.neverHere}</p>}
      </Empty>
    );
  }
  return (
    <PagedList
      label={words.list}
      total={words.total(data.totalElements)}
      busy={isPlaceholderData}
      page={filters.page}
      pages={Math.ceil(data.totalElements / pageSize)}
      onPage={onPage}
    >
      {data.content.map((person) => (
        <AccountRow key={person.email} person={person} own={person.email === ownEmail} />
      ))}
    </PagedList>
  );
}
