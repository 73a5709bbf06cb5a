import { expect, test } from "vitest";
import { arrive } from "./arrive";

test.each([
  ["/", "page"],
  ["/resources?tags=a,b", "page"],
  ["/run/0190?file=a", "page"],
  ["/api/docs", "loaded"],
  ["/api/docs#get-entry", "loaded"],
  ["/help#run", "loaded"],
  ["/help", "loaded"],
])("a sign-in that began at %s ends at it: %s", (address, expected) => {
  const went: string[] = [];
  arrive(
    address,
    (to) => went.push(`page ${to}`),
    (to) => went.push(`loaded ${to}`),
  );
  expect(went).toEqual([`${expected} ${address}`]);
});
