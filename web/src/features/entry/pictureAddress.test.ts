import { expect, test } from "vitest";
import { pictureAddress } from "./pictureAddress";

test("the picture of a private entry has the signature of its cover", () => {
  const picture = { file: "a b.png" };
  expect(pictureAddress({ id: "x", coverUrl: "/cover?v=1" }, picture)).toBe(
    "/api/v1/rf/resources/public/x/picture?file=a+b.png",
  );
  expect(pictureAddress({ id: "x", coverUrl: "/cover?v=1&expires=5&signature=s-_" }, picture)).toBe(
    "/api/v1/rf/resources/public/x/picture?file=a+b.png&expires=5&signature=s-_",
  );
});

test("no picture is offered of an entry for those who can read its repository", () => {
  expect(pictureAddress({ id: "x", audience: "host" }, { file: "a.png" })).toBeUndefined();
});
