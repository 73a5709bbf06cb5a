import { useQuery } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import dashboard from "@/features/sessions/DashboardPage.module.css";
import { BackLink } from "@/ui/BackLink";
import { LinkButton } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { useParams } from "@/ui/router";
import { ownSessionQuery } from "./queries";
import { ShareSession } from "./ShareSession";
import { shareMessages as messages } from "./share.messages";

/** /sessions/:id/share: how one of the user's sessions is shared. The bar inside Jupyter leads here. */
export function SharePage() {
  const { id = "" } = useParams();
  const { data, error } = useQuery(ownSessionQuery(id));
  const title = data && messages.title(data.sessionName);
  return (
    <Page width="narrow" above={<BackLink to="/sessions" />} {...(title && { title })}>
      {data ? (
        <div className={dashboard.parts}>
          <ShareSession session={data} />
        </div>
      ) : error ? (
        <ErrorState title={messages.failed} message={messageOf(error)}>
          <LinkButton to="/sessions">{messages.toSessions}</LinkButton>
        </ErrorState>
      ) : (
        <SkeletonPlace label={messages.loading}>
          <Skeleton height="20rem" />
        </SkeletonPlace>
      )}
    </Page>
  );
}
