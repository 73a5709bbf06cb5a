import { useQueryClient } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { loginPath } from "@/lib/links";
import { useLocation, useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import { starMessages } from "./useStar.messages";

/** The star of an entry, and how to set or remove it. Visitors who aren't signed in go through the login. */
export function useStar({ id, starred = false }: Resource) {
  const client = useQueryClient();
  const { state } = useAuth();
  const navigate = useNavigate();
  const here = useLocation();

  const toggle = () => {
    if (state !== "authenticated") return navigate(loginPath(here));
    import("./star").then(
      ({ star }) => star(client, id, !starred),
      (error) => toast.error(starMessages.failure, messageOf(error)),
    );
  };
  return { starred, toggle, label: starred ? starMessages.unstar : starMessages.star };
}
