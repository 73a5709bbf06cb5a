import { startTransition, useEffect, useOptimistic, useState } from "react";
import { type Filters, readFilters, writeFilters } from "@/features/catalog/filters";
import { searchSendDelay } from "@/lib/constants";
import { useNavigate, useSearchParams } from "@/ui/router";

/** The filters in the address of a page, and how to change them there. */
export function useFilters() {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const { filters, unknownTypes } = readFilters(params);
  // The router renders a new address with low priority; until then the choice shows from this state.
  const [shown, showAtOnce] = useOptimistic(filters);
  const sent = useSettledText(shown);

  /** Changes some of them. A page gets a history entry; other filters replace it and lead to the first page. */
  const change = (part: Partial<Filters>) =>
    startTransition(() => {
      const next = { ...shown, page: 1, ...part };
      showAtOnce(next);
      navigate({ search: writeFilters(next) }, { replace: part.page === undefined });
    });

  return { shown, sent, unknownTypes, change };
}

/** The filters to search with: applied immediately, except the text, which is debounced. */
function useSettledText(filters: Filters): Filters {
  const [settled, setSettled] = useState(filters);
  const query = writeFilters(filters);
  const waits = settled.text !== filters.text;
  if (!waits && writeFilters(settled) !== query) setSettled(filters);

  useEffect(() => {
    if (!waits) return;
    const timer = window.setTimeout(() => setSettled(readFilters(new URLSearchParams(query)).filters), searchSendDelay);
    return () => window.clearTimeout(timer);
  }, [waits, query]);
  return settled;
}
