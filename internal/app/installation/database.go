package installation

import (
	"context"
	"errors"
	"strings"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// WithDatabase opens the configured database for a command that runs beside the server.
func WithDatabase(ctx context.Context, settings config.Config, work func(*sqldb.DB) error) error {
	data, err := PrepareData(settings.Data)
	if err != nil {
		return err
	}
	settings.Data = data
	db, err := sqldb.Open(ctx, settings.DatabaseAddress(), time.Now)
	if err != nil {
		return err
	}
	defer db.Close()
	return work(db)
}

// AttachFault says what to do when another server is in the way.
func AttachFault(err error, own []string) error {
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
