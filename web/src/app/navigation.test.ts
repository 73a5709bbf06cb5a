import { expect, test } from "vitest";
import { catalogPath } from "@/features/catalog/filters";
import { navigation } from "./navigation";

// The bar is in the first chunk, and the table of types isn't.
test("the catalog's item asks for all types", () => {
  expect(navigation.map(({ to }) => to)).toContain(catalogPath());
});
