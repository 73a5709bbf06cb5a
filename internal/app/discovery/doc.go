// Package discovery reads what an identity provider publishes about itself, and remembers the origins of its endpoints.
package discovery
