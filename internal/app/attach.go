package app

import (
	"errors"
	"slices"
	"strings"

	"cairn/internal/fault"
	"cairn/internal/sqldb"
)

// unshared returns what only one server on a database can have.
func (c Config) unshared() []string {
	var own []string
	if slices.ContainsFunc(c.Sessions.Engines, func(one EngineConfig) bool { return one.Kind == localKind }) {
		own = append(own, "a local engine")
	}
	if c.OIDC.Issuer == "" {
		own = append(own, "the embedded identity provider")
	}
	return own
}

// attachFault says what to do when another server is in the way.
func attachFault(err error, own []string) error {
	switch {
	case !errors.Is(err, sqldb.ErrAttached):
		return err
	case len(own) > 0:
		return fault.Wrap(err, fault.Conflict, "Another cairn is already serving from this database, and this one has %s, which only one server can have. "+
			"For several servers, run sessions on a hub (kind: jupyterhub) and let people sign in at your own identity provider (oidc.issuer).",
			strings.Join(own, " and "))
	}
	return fault.Wrap(err, fault.Conflict, "The cairn that is already serving from this database has a local engine or the embedded identity provider, "+
		"so no other server can serve from it. For several servers, run sessions on a hub (kind: jupyterhub) and let people sign in at an identity "+
		"provider of yours (oidc.issuer) on all of them.")
}
