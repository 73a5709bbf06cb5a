import { expect, test } from "vitest";
import { readAuditFilters, writeAuditFilters } from "./auditFilters";

const none = { actor: "", object: "", action: "", from: "", to: "", page: 1 };

test.each([
  ["", none, ""],
  [
    "actor=+ada%40example.org+&action=entry.edit&from=2026-03-01&page=3",
    { ...none, actor: "ada@example.org", action: "entry.edit", from: "2026-03-01", page: 3 },
    "actor=ada%40example.org&action=entry.edit&from=2026-03-01&page=3",
  ],
  ["object=x&to=2026-03-02&page=-1", { ...none, object: "x", to: "2026-03-02" }, "object=x&to=2026-03-02"],
  ["page=1e99", none, ""],
])("the address %j and its filters", (address, filters, written) => {
  expect(readAuditFilters(new URLSearchParams(address))).toEqual(filters);
  expect(writeAuditFilters(readAuditFilters(new URLSearchParams(address)))).toBe(written);
});
