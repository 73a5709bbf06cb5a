package commands

import (
	"context"
	"errors"
	"fmt"
	"io"

	"cairn/internal/app/config"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/operations/backup"
	"cairn/internal/sessions/engine/jupyterhub"
)

// hubHistories are the versions of the hubs that a backup takes along.
type hubHistories struct {
	byEngine map[string]jupyterhub.Histories
	stores   []backup.Store
}

// openHubHistories finds the versions of all hubs. Without include, it only says on out where they are and how they are copied.
func openHubHistories(ctx context.Context, settings config.Config, include bool, out io.Writer) (hubHistories, error) {
	found := hubHistories{byEngine: map[string]jupyterhub.Histories{}}
	for _, one := range settings.Sessions.Engines {
		if one.Kind != config.HubKind {
			continue
		}
		histories, err := jupyterhub.OpenHistories(one.URL, one.Token)
		if err != nil {
			return found, err
		}
		folder, bytes, owners, err := histories.List(ctx)
		switch {
		case err != nil && include:
			return found, fault.Wrap(err, fault.Unavailable, "The versions on the hub %s can't be backed up: %s Leave out --hub-histories to back up the rest.", fault.Quote(one.Name), fault.MessageOf(err))
		case err != nil:
			fmt.Fprintf(out, "The versions on the hub %q aren't in the backup, and it isn't known how many there are: %s\n", one.Name, fault.MessageOf(err))
			continue
		case !include:
			fmt.Fprintf(out, "The versions on the hub %q aren't in the backup: %s in %s there. Use --hub-histories, or copy them on the hub: %s\n", one.Name, humanize.Bytes(bytes), folder, copyCommand(folder))
			continue
		}
		found.byEngine[one.Name] = histories
		for _, owner := range owners {
			found.stores = append(found.stores, backup.Store{
				Name: one.Name + "/" + owner,
				Copy: func(ctx context.Context, pass func(name string, content io.Reader) error) error {
					err := histories.Copy(ctx, owner, pass)
					if errors.Is(err, jupyterhub.ErrRewritten) {
						err = fmt.Errorf("%w: %w", backup.ErrAgain, err)
					}
					return err
				},
			})
		}
	}
	return found, nil
}

// copyCommand is what copies a folder of versions while the agent is stopped.
func copyCommand(folder string) string { return "cp -a " + folder + " DESTINATION" }

// session returns what a backup has of a session on a hub; false if it has no versions there, or isn't taken along.
func (h hubHistories) session(ctx context.Context, engine, id string) (backup.Session, bool, error) {
	histories, here := h.byEngine[engine]
	if !here {
		return backup.Session{}, false, nil
	}
	record, err := histories.Record(ctx, id)
	if fault.KindOf(err) == fault.NotFound {
		return backup.Session{}, false, nil
	}
	return backup.Session{Files: map[string][]byte{jupyterhub.RecordName: record}}, err == nil, err
}
