import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { messageOf } from "@/api/problem";
import type { Project } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { useLocation, useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import { projectQuery } from "./queries";
import { startMessages as messages } from "./start.messages";
import { wantedStart, withoutStart, withStart } from "./startAddress";

/**
 * Returns the handler of "Start Project Session". It calls `onStart`, for visitors only after they sign in and return to
 * this page: then for the project named in the address, once it is loaded.
 */
export function useStart(onStart: (project: Project) => void) {
  const { state, login } = useAuth();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { search, hash } = useLocation();
  const wanted = wantedStart(new URLSearchParams(search));

  useEffect(() => {
    if (wanted === undefined || state === "loading") return;
    navigate({ search: withoutStart(new URLSearchParams(search)).toString(), hash }, { replace: true });
    if (state !== "authenticated" || wanted === "") return;
    queries.fetchQuery(projectQuery(wanted)).then(
      (project) => (project.available ? onStart(project) : toast.error(messages.failed, messages.gone)),
      (error) => toast.error(messages.failed, messageOf(error)),
    );
  }, [wanted, state, queries, onStart, navigate, search, hash]);

  return (project: Project) => {
    if (state === "authenticated") onStart(project);
    else void login(withStart(location.pathname + location.search + location.hash, project.id));
  };
}
