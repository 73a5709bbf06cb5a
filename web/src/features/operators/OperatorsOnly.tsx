import type { ReactNode } from "react";
import { messageOf } from "@/api/problem";
import { useAccount } from "@/features/identity/useAccount";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { OperatorNav } from "@/ui/OperatorNav";
import { Page } from "@/ui/Page";
import { operatorsOnlyMessages as words } from "./OperatorsOnly.messages";

interface OperatorsOnlyProps {
  subtitle: string;
  /** Skeletons, while the role isn't known. */
  loading: ReactNode;
  /** For operators. */
  children: ReactNode;
}

/** The frame of a page that only operators see. */
export function OperatorsOnly({ subtitle, loading, children }: OperatorsOnlyProps) {
  const account = useAccount();
  if (account.data?.operator || account.isPending) {
    return (
      <Page above={<OperatorNav />} subtitle={subtitle}>
        {account.isPending ? loading : children}
      </Page>
    );
  }
  return (
    <Page width="narrow">
      {account.data ? (
        <Empty title={words.refused} action={<LinkButton to="/resources">{words.catalog}</LinkButton>} />
      ) : (
        <ErrorState title={words.unknown} message={messageOf(account.error)} onRetry={() => void account.refetch()} />
      )}
    </Page>
  );
}
