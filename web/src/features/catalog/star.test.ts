import { MutationObserver, QueryClient, type QueryKey, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import { Problem } from "@/api/problem";
import type { Resource } from "@/api/types";
import { toast, toastStore } from "@/ui/toast";
import { starMutation } from "./star";

const entry = { id: "1", name: "One", starred: false, starCount: 4 } as Resource;
const starred = { ...entry, starred: true, starCount: 5 };
const search = entryKeys.search({});
const mine = entryKeys.starred("ada@example.org");

let client: QueryClient;
const server = vi.fn<() => Promise<unknown>>();

beforeEach(() => {
  client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 30_000 } } });
  server.mockReset().mockResolvedValue({ data: true });
  vi.spyOn(api, "PUT").mockImplementation(server as never);
  vi.spyOn(api, "DELETE").mockImplementation(server as never);
});

afterEach(() => {
  vi.restoreAllMocks();
  client.clear();
  for (const { id } of toastStore.get()) toast.dismiss(id);
});

/** Mounts a query, as a page does, and counts its requests. */
function shown(queryKey: QueryKey, queryFn: () => unknown) {
  const asked = vi.fn(queryFn);
  new QueryObserver(client, { queryKey, queryFn: asked }).subscribe(() => {});
  return asked;
}

const star = (wanted: boolean) => new MutationObserver(client, starMutation(client, "1")).mutate(wanted);
const settled = () => vi.waitFor(() => expect(client.isFetching()).toBe(0));

test("a star shows at once and asks for no list again", async () => {
  const list = shown(search, () => ({ content: [entry] }));
  const one = shown(entryKeys.one("1"), () => entry);
  client.setQueryData(mine, []);
  await settled();
  await star(true);
  await settled();
  expect(client.getQueryData(search)).toEqual({ content: [starred] });
  expect(client.getQueryData(entryKeys.one("1"))).toEqual(starred);
  expect(list).toHaveBeenCalledOnce();
  expect(one).toHaveBeenCalledOnce();
  expect(client.getQueryState(mine)?.isInvalidated).toBe(true); // fetched when it is shown next
});

test("what a star interrupted is asked for again", async () => {
  const never = new Promise(() => {});
  const list = shown(search, () => (list.mock.calls.length === 1 ? never : { content: [starred] }));
  await star(true);
  await settled();
  expect(list).toHaveBeenCalledTimes(2);
  expect(client.getQueryData(search)).toEqual({ content: [starred] });
});

test("what is unstarred leaves the list of the starred, and comes back where the server refuses", async () => {
  let refuse: (reason: Problem) => void = () => {};
  server.mockReturnValue(
    new Promise((_, reject) => {
      refuse = reject;
    }),
  );
  const list = shown(mine, () => [starred]);
  shown(search, () => ({ content: [starred] }));
  await settled();
  const unstarring = star(false);
  await vi.waitFor(() => expect(client.getQueryData(mine)).toEqual([]));
  expect(client.getQueryData(search)).toEqual({ content: [entry] });
  refuse(new Problem(500, "Stars are out of order."));
  await expect(unstarring).rejects.toThrow("out of order");
  expect(client.getQueryData(mine)).toEqual([starred]);
  expect(client.getQueryData(search)).toEqual({ content: [starred] });
  expect(list).toHaveBeenCalledOnce();
});
