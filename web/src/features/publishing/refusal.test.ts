import { expect, it } from "vitest";
import { fieldFaults, Problem } from "@/api/problem";
import { refusalOf } from "./refusal";

const refused = (...locations: string[]) =>
  refusalOf(
    new Problem(422, "No.", { code: "invalid", fields: locations.map((location) => ({ location, message: "no" })) }),
  );

it("names the fields of the form as the form does", () => {
  expect(fieldFaults(refused("body.as.new.license", "body.name"))).toEqual({ license: "No.", name: "No." });
});

it("leaves what the form has no field for to the sentence", () => {
  expect(fieldFaults(refused("body.paths", "body.upload", "body.as", "body.note"))).toEqual({});
  expect(refused("body.paths")).toMatchObject({ status: 422, code: "invalid", message: "No." });
});

it("leaves other errors alone", () => {
  const error = new Error("other");
  expect(refusalOf(error)).toBe(error);
});
