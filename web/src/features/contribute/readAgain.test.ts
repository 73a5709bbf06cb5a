import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { entryKeys } from "@/api/entries";
import { descriptorsKey, readAgain } from "./readAgain";

test("what is shown is asked for again, what is not is stale, and the code host is left alone", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const ask = vi.fn(({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0]);
  for (const queryKey of [entryKeys.one("1"), ["files", "1", "folder", ""], [...descriptorsKey, "dialog", "1"]]) {
    new QueryObserver(client, { queryKey, queryFn: ask }).subscribe(() => {});
  }
  client.setQueryData(entryKeys.search({}), { content: [] });
  await vi.waitFor(() => expect(client.isFetching()).toBe(0));
  ask.mockClear();
  await readAgain(client);
  expect(ask.mock.calls.map(([{ queryKey }]) => queryKey[0])).toEqual(["resources", "files"]);
  expect(client.getQueryState(entryKeys.search({}))?.isInvalidated).toBe(true);
  client.clear();
});
