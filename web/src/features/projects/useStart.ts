import { useEffect } from "react";
import type { Project } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { useLocation, useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import { startMessages as messages } from "./start.messages";
import { wantedStart, withoutStart, withStart } from "./startAddress";

/**
 * Returns the handler of "Start Project Session". It calls `onStart`, for visitors only after they sign in and return to
 * this page: then for the project named in the address, once `projects` are loaded.
 */
export function useStart(projects: Project[] | undefined, onStart: (project: Project) => void) {
  const { state } = useAuth();
  const navigate = useNavigate();
  const { search, hash } = useLocation();
  const wanted = wantedStart(new URLSearchParams(search));

  useEffect(() => {
    if (wanted === null || state === "loading" || (state === "authenticated" && !projects)) return;
    navigate({ search: withoutStart(new URLSearchParams(search)).toString(), hash }, { replace: true });
    if (state !== "authenticated") return;
    const project = projects?.find(({ id }) => id === wanted);
    if (project?.available) onStart(project);
    else toast.error(messages.failed, messages.gone);
  }, [wanted, state, projects, onStart, navigate, search, hash]);

  return useStartOrSignIn(onStart);
}

/** The handler alone, for pages where another component handles the return from sign-in. */
export function useStartOrSignIn(onStart: (project: Project) => void) {
  const { state, login } = useAuth();
  return (project: Project) => {
    if (state === "authenticated") onStart(project);
    else void login(withStart(location.pathname + location.search + location.hash, project.id));
  };
}
