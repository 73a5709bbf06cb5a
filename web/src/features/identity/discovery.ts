import type { OidcMetadata } from "oidc-client-ts";
import { requestTimeout } from "@/lib/constants";

/**
 * Fetches the identity provider's discovery document. Rejects if it can't be fetched or used; the sign-in library would
 * cache any JSON, even an error document.
 */
export async function discover(
  address: string,
  issuer: string,
  fetcher: typeof fetch = fetch,
): Promise<Partial<OidcMetadata>> {
  const answer = await fetcher(address, {
    headers: { Accept: "application/json" },
    signal: AbortSignal.timeout(requestTimeout),
  });
  if (!answer.ok) {
    throw new Error(`The discovery document answered ${answer.status}`);
  }
  const metadata: Partial<OidcMetadata> | null = await answer.json();
  if (metadata?.issuer !== issuer) {
    throw new Error("The discovery document is not that of the configured issuer");
  }
  for (const endpoint of [metadata.authorization_endpoint, metadata.token_endpoint]) {
    if (typeof endpoint !== "string" || !/^https?:\/\//.test(endpoint)) {
      throw new Error("The discovery document names no authorization or token endpoint");
    }
  }
  return metadata;
}
