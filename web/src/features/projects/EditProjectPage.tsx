import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isNotFound, messageOf } from "@/api/problem";
import type { Project } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { isId } from "@/lib/ids";
import { BackLink } from "@/ui/BackLink";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Page } from "@/ui/Page";
import { useParams } from "@/ui/router";
import { draftOf } from "./draft";
import { editProjectMessages as messages } from "./EditProjectPage.messages";
import { FormSkeleton } from "./FormSkeleton";
import { ProjectForm } from "./ProjectForm";
import { projectPath } from "./projectPath";
import { projectQuery } from "./queries";
import { mayChange, roleOf } from "./role";

/** The form of an existing project, for its owner and its editors. */
export function EditProjectPage() {
  const { id = "" } = useParams();
  const { user } = useAuth();
  const [opened] = useState(Date.now);
  // The cached project may be outdated, and later reads must not overwrite what is being typed.
  const { data, dataUpdatedAt, error, refetch, isFetching } = useQuery({
    ...projectQuery(id),
    enabled: isId(id),
    refetchOnMount: "always",
  });
  const [project, setProject] = useState<Project>();
  if (!project && data && dataUpdatedAt >= opened) setProject(data);

  const back = <BackLink to={projectPath({ id })} />;
  if (!project) {
    return (
      <Page width="narrow" above={back}>
        {!isId(id) || isNotFound(error) ? (
          <Empty title={messages.absent} action={<LinkButton to="/sessions">{messages.browse}</LinkButton>} />
        ) : error ? (
          <ErrorState
            title={messages.failure}
            message={messageOf(error)}
            retrying={isFetching}
            onRetry={() => void refetch()}
          />
        ) : (
          <FormSkeleton label={messages.loading} />
        )}
      </Page>
    );
  }
  const { name } = project;
  const role = roleOf(user, project);
  const allowed = mayChange(role);
  return (
    <Page title={messages.title(name)} subtitle={allowed && messages.subtitle} width="narrow" above={back}>
      {allowed ? (
        <ProjectForm initial={draftOf(project)} project={project} own={role === "owner"} />
      ) : (
        <Empty title={messages.ownerOnly} action={<LinkButton to={projectPath(project)}>{messages.show}</LinkButton>} />
      )}
    </Page>
  );
}
