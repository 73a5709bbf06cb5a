// Package identity knows who asks. It verifies access tokens against any OpenID provider (verifier.go), keeps an
// account for each (issuer, subject) that was seen, and tells whether the operators enabled it. It knows nothing of how
// people sign in: that is the page's and the provider's business.
package identity
