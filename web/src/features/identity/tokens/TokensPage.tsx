import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import type { CreatedToken } from "@/api/types";
import { Button, LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { PagedList } from "@/ui/list/PagedList";
import { Page } from "@/ui/Page";
import { useSearchParams } from "@/ui/router";
import { CreateTokenDialog } from "./CreateTokenDialog";
import { NewToken } from "./NewToken";
import { TokenRow } from "./TokenRow";
import { TokenSkeletons } from "./TokenSkeletons";
import { tokensPageMessages as words } from "./TokensPage.messages";
import { tokenPageSize, tokensQuery } from "./tokenQueries";

/** /account/tokens: the viewer's access tokens for programs. */
export function TokensPage() {
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreatedToken>();
  return (
    <Page subtitle={words.subtitle} actions={<Button onClick={() => setCreating(true)}>{words.create}</Button>}>
      {created && <NewToken token={created} onDone={() => setCreated(undefined)} />}
      <Tokens />
      {creating && (
        <CreateTokenDialog
          onCreated={(token) => {
            setCreated(token);
            setCreating(false);
          }}
          onClose={() => setCreating(false)}
        />
      )}
    </Page>
  );
}

/** A page of tokens, or a state: loading, failed, or none. */
function Tokens() {
  const [params, setParams] = useSearchParams();
  const page = Math.max(1, Math.trunc(Number(params.get("page"))) || 1);
  const { data, error, refetch, isPlaceholderData } = useQuery(tokensQuery(page));
  if (error) {
    return <ErrorState title={words.failed} message={messageOf(error)} onRetry={() => void refetch()} />;
  }
  if (!data) {
    return <TokenSkeletons />;
  }
  if (data.content.length === 0 && !isPlaceholderData) {
    return page > 1 ? (
      <Empty title={words.noMore} action={<LinkButton to="/account/tokens">{words.first}</LinkButton>} />
    ) : (
      <Empty title={words.nothing}>
        <p>{words.nothingYet}</p>
      </Empty>
    );
  }
  return (
    <PagedList
      label={words.list}
      total={words.total(data.totalElements)}
      busy={isPlaceholderData}
      page={page}
      pages={Math.ceil(data.totalElements / tokenPageSize)}
      onPage={(next) => setParams({ page: String(next) })}
    >
      {data.content.map((token) => (
        <TokenRow key={token.id} token={token} />
      ))}
    </PagedList>
  );
}
