import { expect, test } from "vitest";
import { forgetSeat, keepSeat, seatOf } from "./ownSeat";

function makeStore() {
  const values = new Map<string, string>();
  return {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
  };
}

test("a browser comes back to its seat of each workshop", () => {
  const store = makeStore();
  expect(seatOf("k7", store)).toBeUndefined();
  keepSeat("k7", { seat: 7, seatCode: "red fox" }, store);
  expect(seatOf("k7", store)).toEqual({ seat: 7, seatCode: "red fox" });
  expect(seatOf("k8", store)).toBeUndefined();
  forgetSeat("k7", store);
  expect(seatOf("k7", store)).toBeUndefined();
});

test.each(["{", "null", '{"seat":"7","seatCode":"red fox"}', '{"seat":7}'])("%s is no seat", (text) => {
  const store = makeStore();
  store.setItem("cairn.seat.k7", text);
  expect(seatOf("k7", store)).toBeUndefined();
});
