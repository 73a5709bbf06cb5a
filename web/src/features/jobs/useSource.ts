import { useQuery } from "@tanstack/react-query";
import type { Resource } from "@/api/types";
import { resourcePath } from "@/features/catalog/kinds";
import { resourceQuery } from "@/features/catalog/queries";
import { projectQuery } from "@/features/projects/queries";
import { isId } from "@/lib/ids";
import { sessionQuery } from "./queries";
import { nameOf, type Source } from "./source";

/** What is known of the entry, project or session that a notebook comes from. */
export interface Origin {
  name: string;
  page: string;
  /** The entry of its repository, or the notebook itself; undefined for sessions. */
  entry?: Resource;
  /** Why it can't run in any size. */
  note?: string | undefined;
  /** What the sizes of sessions are asked for. */
  sized: { id: string; of: "entry" | "project" };
  /** The engine that it has to run on; undefined for any. */
  engine?: string;
}

/** Asks where a notebook comes from. An id that can't be one is never found. */
export function useSource({ of, id, file }: Source) {
  const entry = useQuery({ ...resourceQuery(id, true), enabled: of === "entry" && isId(id) });
  const project = useQuery({ ...projectQuery(id), enabled: of === "project" && isId(id) });
  const session = useQuery({ ...sessionQuery(id), enabled: of === "session" });
  const asked = { entry, project, session }[of];
  return { origin: origin(), error: asked.error, retrying: asked.isFetching, retry: () => void asked.refetch() };

  function origin(): Origin | undefined {
    if (of === "entry" && entry.data) {
      const { runnable, runNote, runCode } = entry.data;
      return {
        name: entry.data.name,
        page: resourcePath(entry.data),
        entry: entry.data,
        note: runnable || runCode === "no_profile_fits" ? undefined : runNote,
        sized: { id, of },
      };
    }
    if (of === "project" && project.data) {
      const { name, repositoryResource } = project.data;
      return { name, page: `/projects/${id}`, entry: repositoryResource, sized: { id, of } };
    }
    if (of === "session" && session.data) {
      const { sessionName, resource, project: from, engine } = session.data;
      return {
        name: sessionName,
        page: `/sessions/${encodeURIComponent(id)}/versions?${new URLSearchParams({ file })}`,
        sized: resource ? { id: resource.id, of: "entry" } : { id: from.id, of: "project" },
        engine,
      };
    }
    return undefined;
  }
}

/** What a notebook is called: its file, or what it belongs to. */
export const titleOf = ({ file }: Pick<Source, "file">, origin: Origin | undefined): string =>
  nameOf(file) || origin?.name || "";
