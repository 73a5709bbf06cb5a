/** The host name in an address of a repository as people type it: with or without a scheme, or as git@host:owner/name. */
export function hostName(address: string): string | undefined {
  const text = address.trim();
  const [, ssh] = /^[\w.-]+@([^:/]+):(?!\/\/)/.exec(text) ?? [];
  const url = ssh ? `https://${ssh}` : /^[a-z+]+:\/\//i.test(text) ? text : `https://${text}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, "") : undefined;
}

/** The host of a list at which the repository of an address is; undefined if it is at none of them. */
export function hostOf<Host extends { url: string }>(address: string, hosts: readonly Host[]): Host | undefined {
  const name = hostName(address);
  return name === undefined ? undefined : hosts.find(({ url }) => hostName(url) === name);
}
