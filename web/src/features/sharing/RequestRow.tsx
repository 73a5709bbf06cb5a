import { useState } from "react";
import type { ShareRequest } from "@/api/types";
import styles from "@/features/sessions/versions/RecentlyDeleted.module.css";
import { Ago } from "@/ui/Ago";
import { Button } from "@/ui/Button";
import { Filled } from "@/ui/Filled";
import rows from "@/ui/ListRow.module.css";
import { useNavigate } from "@/ui/router";
import { LetInDialog } from "./LetInDialog";
import { requestMessages as messages } from "./requests.messages";
import { useAnswer } from "./useAnswer";

interface RequestRowProps {
  request: ShareRequest;
  /** The list is of one session, which needs no name. */
  ofSession?: boolean;
  onAnswered: () => void;
}

/** A request that the user may answer. */
export function RequestRow({ request, ofSession = false, onAnswered }: RequestRowProps) {
  const { kind, name, by, can, message, createdAt, sessionId, sessionName = "" } = request;
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const answer = useAnswer(request, ({ granted }) => {
    if (granted && kind === "help") navigate(`/sessions/${encodeURIComponent(sessionId)}/see`);
    else onAnswered();
  });
  const text = kind === "help" ? messages.helpOf[can] : (ofSession ? messages.asks : messages.asksOf)[can];
  const granting = answer.isPending && answer.variables.granted;
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <p>
          <Filled
            text={text}
            values={{
              name: <bdi title={by}>{name}</bdi>,
              session: (
                <strong>
                  <bdi>{sessionName}</bdi>
                </strong>
              ),
            }}
          />
        </p>
        {message && <p dir="auto">{message}</p>}
        <p className={rows.note}>
          <Filled
            text={name === by ? "{when}" : messages.byWhen}
            values={{ by: <bdi>{by}</bdi>, when: <Ago moment={createdAt} /> }}
          />
        </p>
      </div>
      <div className={styles.actions}>
        <Button
          size="small"
          aria-label={messages.refuseOne(name)}
          busy={answer.isPending && !granting}
          onClick={() => answer.mutate({ granted: false })}
        >
          {messages.refuse}
        </Button>
        {kind === "help" ? (
          <Button
            size="small"
            variant="primary"
            aria-label={messages.lookAtOne(sessionName)}
            busy={granting}
            onClick={() => answer.mutate({ granted: true })}
          >
            {messages.lookAtIt}
          </Button>
        ) : (
          <Button
            size="small"
            variant="primary"
            aria-label={messages.letInOne(name)}
            busy={granting}
            onClick={() => setAsking(true)}
          >
            {messages.letIn}
          </Button>
        )}
      </div>
      {asking && (
        <LetInDialog
          request={request}
          onLetIn={(level) => answer.mutate({ granted: true, can: level })}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  );
}
