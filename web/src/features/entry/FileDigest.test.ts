import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { digestQuery } from "./FileDigest";

test("a digest is asked for again, ever more rarely, until it is computed", () => {
  const client = new QueryClient();
  const query = digestQuery("x", "a.csv", undefined);
  const again = () => {
    const found = client.getQueryCache().find({ queryKey: query.queryKey });
    const { refetchInterval } = new QueryObserver(client, query).options;
    return typeof refetchInterval === "function" && found && refetchInterval(found as never);
  };
  const waits = [1, 2, 3, 20].map((answers) => {
    while ((client.getQueryState(query.queryKey)?.dataUpdateCount ?? 0) < answers) {
      client.setQueryData(query.queryKey, { path: "a.csv", size: 5 });
    }
    return again();
  });
  expect(waits).toEqual([1500, 2250, 3375, 30_000]);
  client.setQueryData(query.queryKey, { path: "a.csv", size: 5, sha256: "ab" });
  expect(again()).toBe(false);
  client.clear();
});
