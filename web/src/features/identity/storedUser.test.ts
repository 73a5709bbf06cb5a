import { describe, expect, it } from "vitest";
import { storageKey } from "./knownSignIn";
import { parseStoredUser, timeLeft } from "./storedUser";

const stored = {
  access_token: "a1",
  id_token: "i1",
  refresh_token: "r1",
  session_state: "watch",
  expires_at: 1_000,
  profile: { sub: "s1", email: "researcher@example.org", name: " Ada " },
};

it("names the key as oidc-client-ts does", () => {
  expect(storageKey({ issuer: "http://127.0.0.1:8080/idp", clientId: "data-catalog-portal" })).toBe(
    "oidc.user:http://127.0.0.1:8080/idp:data-catalog-portal",
  );
});

describe("parseStoredUser", () => {
  it("reads what the library stores", () => {
    expect(parseStoredUser(JSON.stringify(stored))).toEqual({
      subject: "s1",
      email: "researcher@example.org",
      name: "Ada",
      accessToken: "a1",
      idToken: "i1",
      expiresAt: 1_000_000,
      watchable: true,
    });
  });

  it("gets by without e-mail, name and lifetime", () => {
    const user = parseStoredUser('{"access_token":"a1","session_state":null,"profile":{"sub":"s1","name":7}}');
    expect(user).toMatchObject({ email: "", name: "", expiresAt: undefined, watchable: false });
    expect(user && timeLeft(user, 5)).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([
    null,
    "",
    "null",
    "[]",
    "7",
    "{",
    "{}",
    '{"access_token":"","profile":{"sub":"s"}}',
    '{"access_token":"a"}',
  ])("takes %s for nobody", (text) => {
    expect(parseStoredUser(text)).toBeNull();
  });
});
