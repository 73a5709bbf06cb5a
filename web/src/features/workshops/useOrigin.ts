import { useQuery } from "@tanstack/react-query";
import { resourcePath } from "@/features/catalog/kinds";
import { resourceQuery } from "@/features/catalog/queries";
import { projectQuery } from "@/features/projects/queries";
import { isId } from "@/lib/ids";
import type { Origin } from "./draft";

/** What is known of the entry or project that a workshop runs: nothing while it's loading, or if it can't be. */
export function useOrigin(origin: Origin | undefined): {
  found: { name: string; page: string } | undefined;
  error: Error | null;
} {
  const { of, id = "" } = origin ?? {};
  const entry = useQuery({ ...resourceQuery(id, true), enabled: of === "entry" && isId(id) });
  const project = useQuery({ ...projectQuery(id), enabled: of === "project" && isId(id) });
  if (of === "entry") {
    return { found: entry.data && { name: entry.data.name, page: resourcePath(entry.data) }, error: entry.error };
  }
  return { found: project.data && { name: project.data.name, page: `/projects/${id}` }, error: project.error };
}
