// Package identity identifies callers. It verifies access tokens from any OpenID provider (verifier.go), keeps an
// account for each (issuer, subject) that was seen, and knows whether operators enabled it. Signing in is up to the
// page and the provider.
package identity
