import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { SharedSession } from "@/api/types";
import { openInNewTab } from "@/features/sessions/openInNewTab";
import { seeMessages as messages } from "./see.messages";

/** Starts a session of the user's own from a shared one, in a new tab; undefined if the user may not. */
export function useCopy({ can, share, sessionName }: SharedSession) {
  const queries = useQueryClient();
  const [copying, setCopying] = useState(false);
  if (share === undefined || (can !== "copy" && can !== "edit")) return undefined;
  // No mutation: that would open the tab a moment after the click, which blockers mind.
  const copy = () => {
    setCopying(true);
    const name = messages.copyName(sessionName);
    void openInNewTab({ do: "run", wish: { fromShare: share, name }, title: name }, queries).finally(() =>
      setCopying(false),
    );
  };
  return { copy, copying };
}
