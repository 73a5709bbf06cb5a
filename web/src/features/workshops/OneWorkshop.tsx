import type { ReactNode } from "react";
import { isNotFound, messageOf } from "@/api/problem";
import { isId } from "@/lib/ids";
import { BackLink } from "@/ui/BackLink";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { NothingHere } from "@/ui/NothingHere";
import { Page } from "@/ui/Page";
import { workshopFormMessages as messages } from "./WorkshopForm.messages";

interface OneWorkshopProps<Asked> {
  id: string;
  asked: { data: Asked | undefined; error: Error | null; isFetching: boolean; refetch: () => unknown };
  children: (found: Asked) => ReactNode;
}

/** The page of a workshop, once it's known; until then that it's loading, isn't there, or couldn't be loaded. */
export function OneWorkshop<Asked>({
  id,
  asked: { data, error, isFetching, refetch },
  children,
}: OneWorkshopProps<Asked>) {
  if (data !== undefined) return children(data);
  if (!isId(id) || isNotFound(error))
    return <NothingHere title={messages.absent} why={messages.absentWhy} signedOut={false} />;
  return (
    <Page above={<BackLink to="/workshops" />}>
      {error ? (
        <ErrorState
          title={messages.failed}
          message={messageOf(error)}
          retrying={isFetching}
          onRetry={() => void refetch()}
        />
      ) : (
        <SkeletonPlace label={messages.loading}>
          <Skeleton height="16rem" />
        </SkeletonPlace>
      )}
    </Page>
  );
}
