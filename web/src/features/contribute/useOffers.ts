import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type FocusEvent, useState } from "react";
import { answer, api } from "@/api/client";
import type { EntryDraft } from "./entryDraft";
import { offersOf } from "./offers";

/** What others say about the work in a draft, asked for again when its address or DOI has been typed. */
export function useOffers(draft: EntryDraft) {
  const now = { address: draft.notebookPath || draft.datasetUrl, doi: draft.doi };
  const [query, setQuery] = useState(now);
  const { data: found } = useQuery({
    queryKey: ["metadata", query],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/rf/codehost/metadata", { params: { query }, signal })),
    enabled: query.address !== "" || query.doi !== "",
    placeholderData: keepPreviousData,
    retry: false, // the form works without it
    staleTime: Number.POSITIVE_INFINITY,
  });
  const askAgain = ({ relatedTarget }: FocusEvent) => {
    // On the way to a button, an offer that appears would move it away from under the pointer.
    if (!relatedTarget?.matches("input, select, textarea")) return;
    if (now.address !== query.address || now.doi !== query.doi) setQuery(now);
  };
  return { found, offers: found ? offersOf(found, draft) : {}, askAgain };
}
