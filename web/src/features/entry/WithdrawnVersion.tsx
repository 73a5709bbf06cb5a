import type { ReactNode } from "react";
import { Alert } from "@/ui/Alert";
import { LinkButton } from "@/ui/Button";
import { Page } from "@/ui/Page";
import notices from "./EntryNotices.module.css";
import { withdrawnVersionMessages as messages } from "./WithdrawnVersion.messages";

interface WithdrawnVersionProps {
  version: string;
  /** What the server says of it, with the reason. */
  reason: string;
  /** The page of the entry. */
  latest: string;
  back: ReactNode;
}

/** The page of a version of an entry that was taken back. */
export function WithdrawnVersion({ version, reason, latest, back }: WithdrawnVersionProps) {
  return (
    <Page title={messages.title(version)} heading={messages.heading} above={back}>
      <div className={notices.notices}>
        <Alert title={reason}>
          <p>{messages.meaning}</p>
        </Alert>
        <div className={notices.line}>
          <LinkButton variant="primary" to={latest}>
            {messages.latest}
          </LinkButton>
        </div>
      </div>
    </Page>
  );
}
