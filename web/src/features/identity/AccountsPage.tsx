import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { useConfig } from "@/api/config";
import { messageOf } from "@/api/problem";
import type { PersonPage } from "@/api/types";
import { pageSize } from "@/lib/constants";
import { count } from "@/lib/format";
import { Button, LinkButton } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Loading, Skeleton } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { Pager } from "@/ui/Pager";
import { SearchBox } from "@/ui/SearchBox";
import { AccountRow } from "./AccountRow";
import styles from "./AccountsPage.module.css";
import { type AccountFilters, readAccountFilters, writeAccountFilters } from "./accountFilters";
import { peopleQuery } from "./accountQueries";
import { DecideDialog } from "./DecideDialog";
import { useAccount } from "./useAccount";

/** /accounts: where operators decide who may start sessions, and who else decides. */
export function AccountsPage() {
  const account = useAccount();
  const { contact } = useConfig().accounts;
  if (account.data?.operator) {
    return <Accounts ownEmail={account.data.email} />;
  }
  return (
    <Page title="Accounts" width="narrow">
      {account.data && (
        <Empty
          title="Only operators see and change accounts."
          action={<LinkButton to="/sessions">Go to your sessions</LinkButton>}
        >
          <p>If you need something changed, ask {contact === "" ? "the operators of this server" : contact}.</p>
        </Empty>
      )}
      {!account.data && account.error && (
        <ErrorState
          title="It could not be found out whether you are an operator."
          message={messageOf(account.error)}
          onRetry={() => void account.refetch()}
        />
      )}
      {!account.data && !account.error && <Loading />}
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
    setParams(writeAccountFilters({ ...filters, page: 1, ...part }), { replace: true, preventScrollReset: true });

  return (
    <Page
      title="Accounts"
      subtitle="Who may start sessions on this server, and who decides about that. Those who wait come first."
      actions={<Button onClick={() => setDeciding(true)}>Decide by e-mail</Button>}
    >
      <div className={styles.controls}>
        <SearchBox
          label="Search accounts"
          placeholder="A part of the e-mail or name"
          text={filters.search}
          onSearch={(search) => change({ search })}
        />
        <fieldset className={styles.filter} aria-label="Show accounts">
          <Chip tone="purple" pressed={filters.waiting} onToggle={() => change({ waiting: true })}>
            Waiting {waiting !== undefined && <span className={styles.count}>{waiting}</span>}
          </Chip>
          <Chip pressed={!filters.waiting} onToggle={() => change({ waiting: false })}>
            All
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

/** Who matches the filters; or that it is still to come, failed, or that nobody matches. */
function People({ filters, ownEmail, result, onPage }: PeopleProps) {
  const { data, error, refetch, isPlaceholderData } = result;
  if (error) {
    return (
      <ErrorState title="The accounts could not be read." message={messageOf(error)} onRetry={() => void refetch()} />
    );
  }
  if (!data) {
    return (
      <div className={styles.skeleton} role="status" aria-label="Loading accounts">
        {[1, 2, 3, 4].map((row) => (
          <Skeleton key={row} height="64px" />
        ))}
      </div>
    );
  }
  if (data.content.length === 0 && !isPlaceholderData) {
    const all = filters.search.trim() === "" && filters.page === 1;
    return (
      <Empty
        title={all && filters.waiting ? "Nobody waits to be enabled." : "No account matches."}
        action={<LinkButton to="/accounts">Show all accounts</LinkButton>}
      >
        {!all && <p>Somebody who never signed in here is decided about by e-mail.</p>}
      </Empty>
    );
  }
  return (
    <section aria-label="Accounts">
      <p className={styles.total} role="status">
        {count(data.totalElements, "account", "accounts")}
      </p>
      {/* biome-ignore lint/a11y/noRedundantRoles: without it Safari does not read out a list that has no bullets. */}
      <ul role="list" className={styles.list} aria-busy={isPlaceholderData}>
        {data.content.map((person) => (
          <AccountRow key={person.email} person={person} own={person.email === ownEmail} />
        ))}
      </ul>
      <Pager page={filters.page} pages={Math.ceil(data.totalElements / pageSize)} onPage={onPage} />
    </section>
  );
}
