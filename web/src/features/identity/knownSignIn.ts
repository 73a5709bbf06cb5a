/** The part of the configuration that names a sign-in. */
export interface Client {
  issuer: string;
  clientId: string;
}

/** The key in local storage under which oidc-client-ts keeps the user. */
export function storageKey(client: Client): string {
  return `oidc.user:${client.issuer}:${client.clientId}`;
}

/** Whether `address` is where the provider returns people, with its answer. */
export function carriesAnswer(address: string): boolean {
  const { pathname, searchParams } = new URL(address);
  return pathname === "/oauth_callback" && searchParams.has("state");
}
