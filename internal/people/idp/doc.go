// Package idp is the identity provider inside the binary: a small OpenID Connect server for a fresh machine, for the
// demo and for institutions without a provider. It knows one public client (the page) and the accounts in the
// configuration. It speaks the same protocol as any other provider, so the rest of the product has only one way to sign
// in: the API (package identity) verifies tokens through discovery and doesn't know this package.
//
// The protocol's messages, its token formats and the checks of the token endpoint come from github.com/zitadel/oidc.
// Its router isn't used: the endpoints are registered here one by one, so that endpoints which this provider doesn't
// offer (introspection, device codes, probes) don't exist, and so that these rules hold:
//
//   - Only the code flow with PKCE S256. Redirect addresses are compared as they arrive, byte by byte.
//   - A request to sign in is kept in no table. The login page carries the request in its own address, bound by a MAC
//     to the browser that asked, so floods fill nothing and a restart loses no open login page.
//   - Refresh tokens are a family id, a generation and a MAC. The state file holds no token and no hash of one, only
//     which generation is the current one; an older generation ends the family.
//   - What must outlive a restart (signing key, MAC key, logins, families) is in one folder, written before answering.
package idp
