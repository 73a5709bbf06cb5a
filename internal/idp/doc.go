// Package idp is the identity provider inside the binary: a small OpenID Connect server for a fresh machine, for the
// demo and for places that have no provider of their own. It knows one public client (the page) and the accounts of
// the configuration, and it speaks the same protocol as any institution's provider, so that nothing else in the
// product has a second way to sign in: the API (package identity) verifies tokens by discovery alone and does not
// know this package.
//
// The protocol's messages, its token formats and the checks of the token endpoint come from github.com/zitadel/oidc.
// Its router is not used: the endpoints are mounted here one by one, so that those which this provider does not offer
// (introspection, device codes, probes) do not exist, and so that the rules below hold:
//
//   - Only the code flow with PKCE S256. Redirect addresses are compared as they arrive, byte by byte.
//   - A request to sign in is kept in no table. The login page carries the request in its own address, bound by a MAC
//     to the browser that asked, so floods fill nothing and a restart loses no open login page.
//   - Refresh tokens are a family id, a generation and a MAC. The state file holds no token and no hash of one, only
//     which generation is the current one; an older generation ends the family.
//   - What must outlive a restart (signing key, MAC key, logins, families) is in one folder, written before answering.
package idp
