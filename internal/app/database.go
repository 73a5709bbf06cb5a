package app

import (
	"cairn/internal/fault"
	"cairn/internal/sqldb"
	"context"
	"errors"
	"strings"
	"time"
)

// withDatabase opens the configured database for a command that runs beside the server.
func withDatabase(ctx context.Context, config Config, work func(*sqldb.DB) error) error {
	data, err := prepareData(config.Data)
	if err != nil {
		return err
	}
	config.Data = data
	db, err := sqldb.Open(ctx, config.databaseAddress(), time.Now)
	if err != nil {
		return err
	}
	defer db.Close()
	return work(db)
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
