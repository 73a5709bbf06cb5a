import { Problem } from "@/api/problem";
import { openMessages } from "./open.messages";

/**
 * Gives back `address` if the page may go there on the server's word: http(s), no user information, and either our
 * own origin or one that the session address template (`{kind}`, `{id}`, as in `http://{kind}-{id}.localhost:8081`) yields.
 */
export function redirectTarget(address: unknown, template: string, origin: string): string | null {
  if (typeof address !== "string") {
    return null;
  }
  let target: URL;
  let allowed: URL;
  try {
    target = new URL(address);
    // The placeholders aren't legal host characters, so words that no host contains replace them while the template is
    // parsed.
    allowed = new URL(template.replaceAll("{kind}", "kindplaceholder").replaceAll("{id}", "idplaceholder"));
  } catch {
    return null;
  }
  if (!/^https?:$/.test(target.protocol) || target.username !== "" || target.password !== "") {
    return null;
  }
  const host = allowed.hostname
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replaceAll("kindplaceholder", "[a-z]")
    .replaceAll("idplaceholder", "[0-9a-f-]{36}");
  const ofSession =
    target.protocol === allowed.protocol &&
    target.port === allowed.port &&
    new RegExp(`^${host}$`).test(target.hostname);
  return ofSession || target.origin === origin ? target.href : null;
}

/** The same for the page's own origin; an address that the page may not open is a Problem. */
export function checkedTarget(address: unknown, template: string): string {
  const target = redirectTarget(address, template, location.origin);
  if (target === null) {
    throw new Problem(0, openMessages.foreignAddress);
  }
  return target;
}

/** The same address with the path in the session at which it shall lead on; the session's server checks that path. */
export function leadingOn(address: string, next: string | null): string {
  if (next === null) {
    return address;
  }
  const target = new URL(address);
  target.searchParams.set("next", next);
  return target.href;
}
