import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { messageOf } from "@/api/problem";
import type { Session, Share } from "@/api/types";
import { sessionsKey } from "@/features/sessions/queries";
import { useNow } from "@/features/sessions/useNow";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import rows from "@/ui/ListRow.module.css";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { toast } from "@/ui/toast";
import { endShare, sharesQuery } from "./queries";
import { SharePart } from "./SharePart";
import { shareMessages as messages } from "./share.messages";
import { endText, whomText } from "./words";

/** How one of the user's sessions is shared now. */
export function Shares({ session: { id } }: { session: Session }) {
  const { data, error, isFetching, refetch } = useQuery(sharesQuery(id));
  const heading = useRef<HTMLHeadingElement>(null);
  const now = useNow();
  return (
    <SharePart title={messages.list} heading={heading}>
      {!data && error && (
        <ErrorState
          title={messages.listFailed}
          message={messageOf(error)}
          retrying={isFetching}
          onRetry={() => void refetch()}
        />
      )}
      {!data && !error && (
        <SkeletonPlace label={messages.listLoading}>
          <Skeleton height="3em" />
        </SkeletonPlace>
      )}
      {data?.length === 0 && <p>{messages.nobody}</p>}
      {data && data.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: without it Safari does not read out a list that has no bullets.
        <ul role="list" aria-label={messages.list} className={rows.what}>
          {data.map((one) => (
            // The button that had the focus goes away with its row.
            <Row key={one.id} session={id} share={one} now={now} onEnded={() => heading.current?.focus()} />
          ))}
        </ul>
      )}
    </SharePart>
  );
}

interface RowProps {
  session: string;
  share: Share;
  /** Milliseconds since 1970. */
  now: number;
  onEnded: () => void;
}

function Row({ session, share, now, onEnded }: RowProps) {
  const queries = useQueryClient();
  const whom = whomText(share);
  const end = useMutation({
    mutationFn: () => endShare(session, share.id),
    onSuccess: () => {
      toast.success(messages.ended, messages.endedAtOnce(whom));
      onEnded();
    },
    onError: (error) => toast.error(messages.notEnded, messageOf(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsKey }),
  });
  return (
    <li className={rows.row}>
      <div className={rows.what}>
        <strong>
          <bdi>{whom}</bdi>
        </strong>
        <div className={rows.line}>
          <Badge tone={share.can === "edit" ? "amber" : "grey"}>{messages.canDo[share.can]}</Badge>
          <span className={rows.note}>
            <time dateTime={share.until}>{endText(share.until, now)}</time>
          </span>
        </div>
      </div>
      <Button size="small" busy={end.isPending} aria-label={messages.endOne(whom)} onClick={() => end.mutate()}>
        {messages.end}
      </Button>
    </li>
  );
}
