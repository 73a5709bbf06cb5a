import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { messageOf } from "@/api/problem";
import type { ConnectedHost, Connection } from "@/api/types";
import { day } from "@/lib/format";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Note } from "@/ui/Note";
import { TextLink } from "@/ui/TextLink";
import { toast } from "@/ui/toast";
import { rememberHost } from "./begunHost";
import { ConnectionReview } from "./ConnectionReview";
import { beginConnection } from "./connectionCalls";
import { DisconnectDialog } from "./DisconnectDialog";
import { hostRowMessages as words } from "./HostRow.messages";
import { PersonalTokenDialog } from "./PersonalTokenDialog";

/** A code host in the list: whether the viewer's account there is connected, and how to change that. */
export function HostRow({ host }: { host: ConnectedHost }) {
  const { label, connection, waiting } = host;
  const [dialog, setDialog] = useState<"token" | "disconnect">();
  const [unrevoked, setUnrevoked] = useState(false);
  // The one that waits by its time: the next one is shown again.
  const [dismissed, setDismissed] = useState<string>();
  const heading = useRef<HTMLHeadingElement>(null);
  const connect = useMutation({
    mutationFn: () => beginConnection(host.host),
    onMutate: () => setUnrevoked(false),
    onSuccess: (url) => {
      rememberHost(sessionStorage, host.host);
      location.assign(url);
    },
    onError: (error) => toast.error(words.notBegun(label), messageOf(error)),
  });
  // What had the focus disappears.
  const focusHeading = () => heading.current?.focus();
  const removed = (revoked: boolean) => {
    setUnrevoked(!revoked);
    toast.success(words.disconnected, revoked ? words.revoked(label) : label);
    focusHeading();
  };
  const close = () => setDialog(undefined);
  const connectText = connection ? words.connectAgain : words.connect;
  const reviewed = waiting && waiting.createdAt !== dismissed;
  return (
    <li className="cx-host">
      <div className="cx-what">
        <h2 ref={heading} tabIndex={-1} className="cx-name">
          {label}
        </h2>
        <ConnectionState connection={connection} label={label} />
      </div>
      <div className="cx-actions">
        {host.oauth && (
          <Button
            size="small"
            aria-label={words.ofHost(connectText, label)}
            busy={connect.isPending}
            onClick={() => connect.mutate()}
          >
            {connectText}
          </Button>
        )}
        <Button size="small" aria-label={words.ofHost(words.useToken, label)} onClick={() => setDialog("token")}>
          {words.useToken}
        </Button>
        {connection && (
          <Button
            size="small"
            aria-label={words.ofHost(words.disconnect, label)}
            onClick={() => setDialog("disconnect")}
          >
            {words.disconnect}
          </Button>
        )}
      </div>
      {unrevoked && !connection && !waiting && (
        <div className="cx-below">
          <Note kind="info">
            <p>{words.maybeValid(label)}</p>
            {host.grantsUrl && (
              <p>
                <TextLink href={host.grantsUrl}>{words.takeBack(label)}</TextLink>
              </p>
            )}
          </Note>
        </div>
      )}
      {reviewed && (
        <div className="cx-below">
          <ConnectionReview
            key={waiting.createdAt}
            host={host}
            waiting={waiting}
            onKept={focusHeading}
            onDismiss={() => {
              setDismissed(waiting.createdAt);
              focusHeading();
            }}
            onRemoved={removed}
          />
        </div>
      )}
      {waiting && !reviewed && (
        <div className="cx-below">
          <Note kind="info" role="status">
            <p>{words.dismissed}</p>
          </Note>
        </div>
      )}
      {dialog === "token" && <PersonalTokenDialog host={host} onClose={close} />}
      {dialog === "disconnect" && <DisconnectDialog host={host} onRemoved={removed} onClose={close} />}
    </li>
  );
}

interface ConnectionStateProps {
  connection: Connection | undefined;
  /** Of the host. */
  label: string;
}

function ConnectionState({ connection, label }: ConnectionStateProps) {
  if (!connection) return <span className="cx-note">{words.notConnected}</span>;
  const { account, keptAt, createdAt, way, problem } = connection;
  const since = words.connected(account, day(keptAt ?? createdAt));
  return (
    <>
      {problem && <Badge tone="red">{words.again}</Badge>}
      <span className="cx-note">{way === "token" ? `${since}, ${words.withToken}` : since}</span>
      {problem && <span>{words.problems[problem](label)}</span>}
    </>
  );
}
