package commands

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions"
	"cairn/internal/sessions/warm"
)

// ListSessions prints a table of everybody's sessions, newest first: those that run or start, or all.
func ListSessions(ctx context.Context, settings config.Config, all bool, out io.Writer) error {
	return installation.WithDatabase(ctx, settings, func(db *sqldb.DB) error {
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		unclaimed, err := warm.NewStore(db).All(ctx)
		if err != nil {
			return err
		}
		for _, one := range unclaimed {
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", one.ID, "-", one.Engine, one.Phase, one.CreatedAt.Format(time.DateTime), "kept warm: "+one.Name)
		}
		const size = 500
		for offset := 0; ; offset += size {
			found, _, err := sessions.NewStore(db).All(ctx, sessions.AllQuery{Live: !all, Offset: offset, Size: size})
			if err != nil {
				return err
			}
			for _, session := range found {
				_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", session.ID, session.UserID, session.Engine, session.Status,
					session.CreatedAt.Format(time.DateTime), session.StatusReason)
			}
			if len(found) < size {
				return table.Flush()
			}
		}
	})
}

// StopSessions requests that sessions be stopped, as the operators' call does, for a reason that their owners read; "": for none
// that is told. A running server, or the next one, stops them and keeps their work. A session that can't be stopped doesn't keep the others from being stopped.
func StopSessions(ctx context.Context, settings config.Config, ids []string, reason string, out io.Writer) error {
	told := sessions.StoppedByOperators + "."
	if reason != "" {
		var err error
		if told, err = sessions.CheckReason(reason); err != nil {
			return err
		}
	}
	return installation.WithDatabase(ctx, settings, func(db *sqldb.DB) error {
		var failed []string
		var first error
		for _, id := range ids {
			session, err := sessions.NewStore(db).RequestStop(ctx, id, told)
			if err != nil {
				failed, first = append(failed, id+": "+fault.MessageOf(err)), cmp.Or(first, err)
				continue
			}
			state := "has ended before: " + string(session.Status)
			if session.RequestedStatus != "" {
				state = "is being stopped"
			}
			if _, err := fmt.Fprintf(out, "%s of %s %s\n", session.ID, session.UserID, state); err != nil {
				return err
			}
		}
		if first == nil {
			return nil
		}
		return fault.Wrap(first, fault.CodeOf(first), "%s", strings.Join(failed, "\n"))
	})
}

// PurgeSessions deletes sessions that ended longer ago than sessions.keep, with their work, and prints them. Where their engine
// keeps versions, they can still be undeleted for sessions.undelete. It only records the deletion; the running server, or the
// next one, removes the work. A dry run only prints.
func PurgeSessions(ctx context.Context, settings config.Config, dryRun bool, out io.Writer) error {
	if err := config.Fault(settings.Sessions.SessionFaults()); err != nil {
		return err
	}
	keep := config.Duration(settings.Sessions.Keep)
	if keep == 0 {
		return fault.New(fault.Invalid, "sessions.keep is not set, so the work of sessions is kept forever. Set it (sessions.keep: 90d): "+
			"people are then told on each card until when their work is kept, and afterwards it can be purged.")
	}
	return installation.WithDatabase(ctx, settings, func(db *sqldb.DB) error {
		old, err := sessions.NewStore(db).Expired(ctx, time.Now().Add(-keep), dryRun)
		for _, session := range old {
			_, _ = fmt.Fprintf(out, "%s  %s  ended %s  %q\n", session.ID, session.UserID, session.UpdatedAt.Format(time.DateOnly), session.SessionName)
		}
		verb := "to be removed"
		if dryRun {
			verb = "would be removed"
		}
		_, _ = fmt.Fprintf(out, "%d sessions %s\n", len(old), verb)
		return err
	})
}
