import { useQueryClient } from "@tanstack/react-query";
import type { SharedSession } from "@/api/types";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import { follow } from "@/features/sessions/openInNewTab";
import { Button, LinkButton } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import rows from "@/ui/ListRow.module.css";
import { AskEnterButton } from "./AskEnterButton";
import { seeMessages as messages } from "./see.messages";
import { useCopy } from "./useCopy";

interface SeeActionsProps {
  shared: SharedSession;
  /** The visitor may ask for more. */
  asks: boolean;
}

/** What a visitor may do with a session besides seeing it. */
export function SeeActions({ shared, asks }: SeeActionsProps) {
  const { id, can, owner, isRunning } = shared;
  const queries = useQueryClient();
  const copy = useCopy(shared);
  const enters = (can === "edit" || can === "owner") && isRunning;
  if (!copy && !enters && !asks && can !== "owner") return null;
  return (
    <div className={projectStyles.section}>
      {(enters || copy || can === "owner") && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form.
        <div className={projectStyles.labels} role="group" aria-label={messages.actions}>
          {enters && (
            <LinkButton
              variant="primary"
              to={`/sessions/${encodeURIComponent(id)}/open`}
              newTab
              onClick={() => void follow(id, "open", queries)}
            >
              {messages.open}
            </LinkButton>
          )}
          {copy && (
            <Button busy={copy.copying} title={messages.copyHelp} onClick={copy.copy}>
              <Icon name="copy" /> {messages.copy}
            </Button>
          )}
          {can === "owner" && (
            <LinkButton to={`/sessions/${encodeURIComponent(id)}/share`}>{messages.share}</LinkButton>
          )}
        </div>
      )}
      {asks && <AskEnterButton shared={shared} />}
      {enters && can === "edit" && <p className={rows.note}>{messages.openMeans(owner)}</p>}
    </div>
  );
}
