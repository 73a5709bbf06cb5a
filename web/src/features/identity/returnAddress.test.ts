import { describe, expect, it } from "vitest";
import { carriesAnswer } from "./knownSignIn";
import { leftSignIn, returnAddress } from "./returnAddress";

const origin = "https://portal.example";

describe("returnAddress", () => {
  it.each([
    "/",
    "/sessions",
    "/resources/notebooks/1?from=a%2Fb&x=//y#part",
    "/resources?tags=a%5Cb",
    "/@evil.example/",
    "/add/repo?url=https://github.com/a/b",
  ])("keeps %s", (address) => {
    expect(returnAddress(address, origin)).toBe(address);
  });

  it.each([
    ["two slashes", "//evil.example/"],
    ["three slashes", "///evil.example/"],
    ["a slash and a backslash", "/\\evil.example/"],
    ["a backslash", "\\\\evil.example"],
    ["a backslash later on", "/a\\..\\evil"],
    ["a tab between slashes", "/\t/evil.example/"],
    ["a newline between slashes", "/\n/evil.example/"],
    ["a carriage return", "/\r/evil.example/"],
    ["a leading blank", " //evil.example/"],
    ["a leading tab", "\t//evil.example/"],
    ["another host", "https://evil.example/"],
    ["our own host spelt out", "https://portal.example/sessions"],
    ["user information", "@evil.example/"],
    ["a script", "javascript:alert(1)"],
    ["data", "data:text/html,x"],
    ["a relative path", "sessions"],
    ["dots that leave two slashes", "/..//evil.example/"],
    ["dots that leave two slashes, escaped", "/%2e%2e//evil.example/"],
    ["nothing", ""],
    ["null", null],
    ["a list", ["/sessions"]],
  ])("open redirect by %s leads to the start", (_, address) => {
    expect(returnAddress(address, origin)).toBe("/");
  });
});

describe("carriesAnswer", () => {
  it.each([
    ["/oauth_callback?code=c&state=s", true],
    ["/oauth_callback?error=access_denied&state=s", true],
    ["/oauth_callback", false],
    ["/resources?state=s", false],
  ])("%s: %s", (address, carries) => {
    expect(carriesAnswer(origin + address)).toBe(carries);
  });
});

describe("leftSignIn", () => {
  const storage = (text: string) => ({ getItem: (name: string) => (name === "oidc.s1" ? text : null) });
  const address = `${origin}/oauth_callback?code=c&state=s1`;

  it("finds the deep link of a sign-in under way", () => {
    const left = storage('{"request_type":"si:r","data":{"returnTo":"/sessions?a=1#b"}}');
    expect(leftSignIn(left, address)).toEqual({ returnTo: "/sessions?a=1#b", beside: false });
  });

  it("tells a sign-in that runs beside its page", () => {
    expect(leftSignIn(storage('{"request_type":"si:p"}'), address)).toEqual({ returnTo: "/", beside: true });
  });

  it.each(['{"data":{"returnTo":"//evil.example"}}', "{}", "null", "{"])("makes the start of %s", (text) => {
    expect(leftSignIn(storage(text), address)).toEqual({ returnTo: "/", beside: false });
  });

  it("makes the start of an unknown sign-in", () => {
    const unknown = `${origin}/oauth_callback?state=other`;
    expect(leftSignIn(storage('{"request_type":"si:p"}'), unknown)).toEqual({ returnTo: "/", beside: false });
  });
});
