import { text } from "node:stream/consumers";
import type Provider from "oidc-provider";
import type { KoaContextWithOIDC } from "oidc-provider";
import { accountBy } from "./accounts";

/** Handles a request before the library does. */
export type Context = Parameters<Parameters<Provider["use"]>[0]>[0];

/** Answers with a page of the provider. */
export function show(ctx: Context, title: string, content = ""): void {
  ctx.set("Content-Security-Policy", "frame-ancestors 'none'");
  ctx.type = "html";
  ctx.body = `<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>${title}</title>
<h1>${title}</h1>
${content}</html>`;
}

/** The login page and its form handler: known accounts continue, others see the form again. */
export async function login(provider: Provider, ctx: Context): Promise<void> {
  const email = ctx.method === "POST" && new URLSearchParams(await text(ctx.req)).get("email")?.trim().toLowerCase();
  const account = email && accountBy("email", email);
  if (account) {
    ctx.status = 303;
    ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, { login: { accountId: account.subject } }));
    return;
  }
  const form = `<form method="post"><label>E-mail <input type="email" name="email" required autofocus></label>
<button>Sign in</button></form>`;
  show(ctx, "Sign in at the institution", email ? `${form}<p role="alert">This account doesn't exist.</p>` : form);
}

/** Ends a session at once if an ID token identifies it; otherwise asks, so that other sites can't sign anybody out. */
export function logout(ctx: KoaContextWithOIDC, form: string): void {
  const { entities, session } = ctx.oidc;
  const button = '<input type="hidden" name="logout" value="yes"><button>Sign out</button></form>';
  const asked = form.replace("</form>", button);
  const known = entities.IdTokenHint?.payload.sub === session?.accountId;
  show(ctx, "Do you want to sign out?", known ? `${asked}<script>document.forms[0].submit()</script>` : asked);
}
