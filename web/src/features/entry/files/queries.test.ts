import { expect, test } from "vitest";
import { Problem } from "@/api/problem";
import { againIn } from "./queries";

test("it is asked again when the server says, and then less and less often", () => {
  const limited = new Problem(503, "limited", { retryAfter: 30 });
  expect([1, 2, 3, 5, 12].map((failures) => againIn(limited, failures))).toEqual([30, 60, 120, 480, 480]);
  expect(againIn(limited, 13)).toBeUndefined();
  expect(againIn(new Problem(503, "now", { retryAfter: 0 }), 1)).toBe(1);
  expect(againIn(new Problem(502, "broken"), 1)).toBeUndefined();
  expect(againIn(null, 0)).toBeUndefined();
});
