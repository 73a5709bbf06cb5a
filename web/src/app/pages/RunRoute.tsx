import { useQuery } from "@tanstack/react-query";
import { isNotFound, messageOf } from "@/api/problem";
import type { Project, Resource } from "@/api/types";
import { EntryIntro } from "@/features/catalog/EntryIntro";
import { kindOf, resourcePath } from "@/features/catalog/kinds";
import { resourceQuery } from "@/features/catalog/queries";
import { runWords } from "@/features/catalog/runWords";
import { useAuth } from "@/features/identity/useAuth";
import { projectQuery } from "@/features/projects/queries";
import { type Described, RunPage } from "@/features/sessions/RunPage";
import { runPageMessages } from "@/features/sessions/RunPage.messages";
import { NothingToRun, RunPageFailed, RunPageWaiting } from "@/features/sessions/RunPageStates";
import { isId } from "@/lib/ids";
import { type RunOptions, readRun } from "@/lib/sharing/runAddress";
import { isAtCodeHost } from "@/lib/sharing/share";
import { useLocation, useParams } from "@/ui/router";
import { runRouteMessages as messages } from "./RunRoute.messages";

/** The page that a link to run something leads to: of an entry, or of a project. */
export function RunRoute() {
  const { id = "" } = useParams();
  const { options, unknown } = readRun(useLocation().search);
  const { state } = useAuth();
  const known = isId(id) && state !== "loading";
  const version = options.version?.toString();
  const entry = useQuery({ ...resourceQuery(id, state === "authenticated", version), enabled: known });
  const noEntry = entry.error !== null && isNotFound(entry.error);
  const project = useQuery({ ...projectQuery(id), enabled: known && noEntry });
  const { error, refetch, isFetching } = noEntry ? project : entry;

  if (!isId(id) || (error && isNotFound(error))) return <NothingToRun />;
  if (noEntry && project.data) return <RunPage described={ofProject(project.data, options)} unknown={unknown} />;
  if (entry.data) return <RunPage described={ofEntry(entry.data, options)} unknown={unknown} />;
  if (error) return <RunPageFailed message={messageOf(error)} retrying={isFetching} onRetry={() => void refetch()} />;
  return <RunPageWaiting />;
}

function ofEntry(entry: Resource, options: RunOptions): Described {
  const {
    id,
    name,
    type,
    authors,
    authorNames = authors,
    runnable,
    runNote,
    runCode,
    repositoryUrl,
    notebookSource,
    lastRun,
  } = entry;
  const atCodeHost = isAtCodeHost(notebookSource ?? "");
  const page = resourcePath(entry);
  return {
    target: {
      id,
      name,
      of: "entry",
      options,
      failed: lastRun?.verdict === "FAILED" ? lastRun.reason : undefined,
      took: lastRun,
    },
    kind: kindOf(type).label,
    intro: <EntryIntro entry={entry} />,
    page,
    people: authorNames,
    opens:
      type === "NOTEBOOK"
        ? runPageMessages.opensNotebook
        : type === "DATASET"
          ? runPageMessages.opensDataset
          : runPageMessages.opensRule,
    code: repositoryUrl ?? notebookSource?.replace(/^bundled:/, ""),
    data: type === "DATASET" ? [{ name, page }] : [],
    environment: repositoryUrl || atCodeHost ? runPageMessages.declared : runPageMessages.plain,
    lastRun: lastRun && runWords(lastRun),
    note: runnable === false ? runNote : undefined,
    choosable: runCode === "no_profile_fits",
  };
}

function ofProject(project: Project, options: RunOptions): Described {
  const { id, name, ownerId, available, repositoryResource, datasetResources } = project;
  return {
    target: { id, name, of: "project", options },
    kind: messages.project,
    page: `/projects/${id}`,
    people: [ownerId],
    opens: runPageMessages.opensRule,
    code: repositoryResource.repositoryUrl,
    data: datasetResources.map((part) => ({
      name: part.name,
      page: part.state === "ACTIVE" ? resourcePath(part) : undefined,
    })),
    environment: runPageMessages.declared,
    note: available ? undefined : messages.incomplete,
  };
}
