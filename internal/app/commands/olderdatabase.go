package commands

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions"
)

// topicNames say what changes are counted under each topic.
var topicNames = []struct {
	topic    sqldb.Topic
	one, all string
}{
	{sqldb.Entries, "change of entries, their stars or tags", "changes of entries, their stars or tags"},
	{sqldb.Sessions, "change of sessions or projects", "changes of sessions or projects"},
	{sqldb.Accounts, "change of accounts", "changes of accounts"},
}

// AcceptOlderDatabase prints what a database lacks that a server refuses because it is older than its data folder, or was copied
// while it was open. If confirm then says so, the next server starts from it. A damaged database is a fault: there is nothing
// to accept.
func AcceptOlderDatabase(ctx context.Context, settings config.Config, confirm func() (bool, error), out io.Writer) error {
	address := settings.DatabaseAddress()
	doubt, err := sqldb.LookForDoubt(ctx, address)
	if err != nil {
		return err
	}
	if doubt == nil {
		_, _ = fmt.Fprintln(out, "The database isn't older than its data folder. Nothing has to be accepted.")
		return nil
	}
	if err := sqldb.CheckFile(ctx, address); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "The last change that a server saw here was made at %s.\n", doubt.Until.UTC().Format(time.DateTime+" MST"))
	for _, name := range topicNames {
		switch missing := doubt.Missing[name.topic]; missing {
		case 0:
		case 1:
			_, _ = fmt.Fprintf(out, "The database lacks 1 %s.\n", name.one)
		default:
			_, _ = fmt.Fprintf(out, "The database lacks %d %s.\n", missing, name.all)
		}
	}
	if doubt.Copied {
		_, _ = fmt.Fprintln(out, "It was copied while a server had it open. It is in order, but any change made since shortly before the copy may be missing.")
	}
	unknown, err := unknownSessions(ctx, settings)
	if err != nil {
		return err
	}
	for _, folder := range unknown {
		_, _ = fmt.Fprintf(out, "The database doesn't know the session whose work is in %s. The work stays there.\n", folder)
	}
	yes, err := confirm()
	if err != nil || !yes {
		if err == nil {
			_, err = fmt.Fprintln(out, "Nothing was changed.")
		}
		return err
	}
	if err := sqldb.AcceptOlder(address); err != nil {
		return fault.Wrap(err, fault.Invalid, "What the last server noted about the database can't be removed: %s.", humanize.Reason(err))
	}
	_, err = fmt.Fprintln(out, "The next server starts from this database.")
	return err
}

// unknownSessions returns the folders of sessions on this machine that aren't in the database.
func unknownSessions(ctx context.Context, settings config.Config) (unknown []string, err error) {
	folders := map[string]string{} // by the session's id
	for _, place := range []string{filepath.Join(settings.Data, "sessions"), settings.SessionsFolder()} {
		for _, engine := range settings.LocalEngines() {
			entries, err := os.ReadDir(filepath.Join(place, engine))
			if err != nil {
				continue // no session was started there
			}
			for _, entry := range entries {
				if sqldb.IsID(entry.Name()) {
					folders[entry.Name()] = filepath.Join(place, engine, entry.Name())
				}
			}
		}
	}
	err = installation.WithDatabase(ctx, settings, func(db *sqldb.DB) error {
		store := sessions.NewStore(db)
		for id, folder := range folders {
			found, err := store.ByID(ctx, id)
			if err != nil {
				return err
			}
			if len(found) == 0 {
				unknown = append(unknown, folder)
			}
		}
		return nil
	})
	slices.Sort(unknown)
	return unknown, err
}
