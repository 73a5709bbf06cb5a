import { useAccount } from "@/features/identity/useAccount";
import { useAuth } from "@/features/identity/useAuth";
import dashboard from "@/features/sessions/DashboardPage.module.css";
import { loginPath } from "@/lib/links";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { Page } from "@/ui/Page";
import { useLocation } from "@/ui/router";
import { AskEnter } from "./AskEnter";
import { allLevels } from "./levels";
import { requestMessages } from "./requests.messages";
import { SharePart } from "./SharePart";
import { seeMessages as messages } from "./see.messages";

/** The page of a session for visitors who have to sign in first. */
export function SignInToSee({ title = messages.signIn }: { title?: string }) {
  const here = useLocation();
  return (
    <Page width="narrow">
      <Empty
        title={title}
        action={
          <LinkButton to={loginPath(here)} variant="primary">
            {messages.signInButton}
          </LinkButton>
        }
      >
        <p>{messages.signInMeans}</p>
      </Empty>
    </Page>
  );
}

interface NotSharedProps {
  id: string;
  why?: string | undefined;
  /** The owner has let the user in. */
  onGranted: () => void;
}

/** The page of a session that isn't shared with the visitor, who may ask for that. `why` tells of one that was. */
export function NotShared({ id, why, onGranted }: NotSharedProps) {
  const { state } = useAuth();
  const asks = useAccount().data?.enabled === true && state === "authenticated";
  return (
    <Page width="narrow" title={why === undefined ? messages.notShared : messages.over}>
      <div className={dashboard.parts}>
        <p role="status">{why ?? (asks ? messages.notSharedWhy : messages.notSharedAlone)}</p>
        {asks && (
          <SharePart title={requestMessages.enter}>
            <AskEnter session={id} levels={allLevels.toReversed()} onGranted={onGranted} />
          </SharePart>
        )}
        {!asks && (
          <div>
            <LinkButton to="/resources">{messages.toCatalog}</LinkButton>
          </div>
        )}
      </div>
    </Page>
  );
}
