package commands

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/curation"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/sqldb"
)

// EntryChange is a change that operators make to entries at the command line.
type EntryChange = catalog.Curation

// HideEntry takes an entry off the catalog; its authors read the reason.
func HideEntry(reason string) EntryChange { return EntryChange{Hidden: new(true), Reason: reason} }

// ShowEntry brings a hidden entry back.
func ShowEntry() EntryChange { return EntryChange{Hidden: new(false)} }

// FeatureEntry puts an entry on the landing page, or takes it off.
func FeatureEntry(featured bool) EntryChange { return EntryChange{Featured: &featured} }

// VerifyEntry sets the status: VERIFIED, REJECTED or NONE.
func VerifyEntry(status string) EntryChange {
	return EntryChange{Status: new(catalog.Status(strings.ToUpper(status)))}
}

// entriesListed is the number of entries that ListEntries prints at most.
const entriesListed = 1000

// ListEntries prints a table of entries, newest first: those with all words, and in any of the states.
func ListEntries(ctx context.Context, settings config.Config, words []string, state string, out io.Writer) error {
	states, err := curation.ParseStates(state)
	if err != nil {
		return err
	}
	return withCuration(ctx, settings, func(entries *curation.Service) error {
		page, err := entries.List(ctx, curation.Query{Text: strings.Join(words, " "), States: states, Limit: entriesListed})
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, entry := range page.Entries {
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", entry.ID, entry.Type, entry.Name, strings.Join(entry.Authors, ", "), describeEntry(entry))
			for _, report := range entry.Reports {
				_, _ = fmt.Fprintf(table, "\t\treported by %s on %s: %s\t\t\n", report.By, report.At.Format("2006-01-02"), humanize.OneLine(report.Reason))
			}
		}
		if left := page.Total - len(page.Entries); left > 0 {
			_, _ = fmt.Fprintf(table, "and %d more\t\t\t\t\n", left)
		}
		return table.Flush()
	})
}

// ChangeEntries changes what operators decide about entries, and prints their new state. A running server shows it
// within seconds.
func ChangeEntries(ctx context.Context, settings config.Config, change EntryChange, ids []string, out io.Writer) error {
	return withCuration(ctx, settings, func(entries *curation.Service) error {
		for _, id := range ids {
			entry, err := entries.Change(ctx, id, change)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(out, "%s: %s\n", entry.ID, describeEntry(entry)); err != nil {
				return err
			}
		}
		return nil
	})
}

// DeleteEntries deletes hidden entries forever.
func DeleteEntries(ctx context.Context, settings config.Config, ids []string, out io.Writer) error {
	return withCuration(ctx, settings, func(entries *curation.Service) error {
		for _, id := range ids {
			if err := entries.Delete(ctx, id); err != nil {
				return err
			}
			if _, err := fmt.Fprintf(out, "%s: deleted\n", id); err != nil {
				return err
			}
		}
		return nil
	})
}

func describeEntry(entry curation.OperatorEntry) string {
	said := []string{strings.ToLower(string(entry.Privacy))}
	if entry.Status != catalog.StatusNone {
		said = append(said, strings.ToLower(string(entry.Status)))
	}
	if entry.Featured {
		said = append(said, "featured")
	}
	if entry.Hidden {
		said = append(said, "hidden: "+humanize.OneLine(entry.HiddenReason))
	}
	return strings.Join(said, ", ")
}

func withCuration(ctx context.Context, settings config.Config, work func(*curation.Service) error) error {
	return installation.WithDatabase(ctx, settings, func(db *sqldb.DB) error {
		return work(curation.NewService(curation.NewStore(db), catalog.NewStore(db), nil))
	})
}
