package transfer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/projects"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
)

// Export writes the catalog and what people made of it into a file, as lines that an import reads; "-" is out. All of it is
// of one moment. Equal catalogs have equal files: nothing in it changes on its own. An existing file is replaced at the end.
func Export(ctx context.Context, settings config.Config, name string, out, notes io.Writer) error {
	return installation.WithDatabase(ctx, settings, func(db *sqldb.DB) error {
		if name == "-" {
			return exportTo(ctx, db, out, notes)
		}
		unfinished := name + ".unfinished"
		file, err := os.OpenFile(unfinished, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err == nil {
			defer os.Remove(unfinished)
			defer file.Close()
			err = exportTo(ctx, db, file, notes)
		}
		if err == nil {
			err = file.Sync()
		}
		if err == nil {
			err = os.Rename(unfinished, name)
		}
		if cause, ok := errors.AsType[*fs.PathError](err); ok {
			return fault.Wrap(err, fault.Invalid, "The file %s can't be written: %s.", name, humanize.Reason(cause))
		}
		return err
	})
}

func exportTo(ctx context.Context, db *sqldb.DB, to, notes io.Writer) error {
	snapshot, err := db.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer snapshot.Close()
	buffered := bufio.NewWriterSize(to, 1<<18)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	run := &exporter{snapshot: snapshot, write: func(line importLine) error { return encoder.Encode(line) }, names: map[string]string{}}
	for _, part := range []func(context.Context) error{run.accounts, run.entries, run.projects, run.stars, run.sessions} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	if run.leftOut > 0 {
		_, _ = fmt.Fprintf(notes, "Left out: projects whose repository or datasets were deleted (%d).\n", run.leftOut)
	}
	return buffered.Flush()
}

// exporter writes the parts of an export.
type exporter struct {
	snapshot *sqldb.Snapshot
	write    func(importLine) error
	names    map[string]string // the externalId of each entry, by its id
	leftOut  int
}

func (e *exporter) accounts(ctx context.Context) error {
	accounts, err := identity.ExportAccounts(ctx, e.snapshot)
	if err != nil {
		return err
	}
	for _, one := range accounts {
		err := e.write(importLine{
			Kind: "account", ExternalID: one.ID, ID: one.ID, CreatedAt: one.CreatedAt, Name: one.Name, Issuer: one.Issuer, Subject: one.Subject,
			Email: one.Email, DisabledAs: one.DisabledAs,
		})
		if err != nil {
			return err
		}
	}
	grants, err := identity.ExportGrants(ctx, e.snapshot)
	if err != nil {
		return err
	}
	for _, one := range grants {
		if err := e.write(importLine{Kind: "grant", Email: one.Email, Enabled: one.Enabled, Role: one.Role}); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) entries(ctx context.Context) error {
	featured, err := catalog.ExportFeatured(ctx, e.snapshot)
	if err != nil {
		return err
	}
	places := map[string]int{}
	for i, id := range featured {
		places[id] = i + 1
	}
	return catalog.Export(ctx, e.snapshot, func(r catalog.Entry) error {
		line := importLine{
			Kind: "resource", ExternalID: r.ExternalID, ID: r.ID, CreatedAt: r.CreatedAt, Name: r.Name, Portable: catalog.PortableOf(r, places[r.ID]),
		}
		if line.ExternalID == "" {
			line.ExternalID = r.ID
		}
		e.names[r.ID] = line.ExternalID
		return e.write(line)
	})
}

func (e *exporter) projects(ctx context.Context) error {
	drafts, err := projects.Export(ctx, e.snapshot)
	if err != nil {
		return err
	}
	for _, one := range drafts {
		line := importLine{
			Kind: "project", ExternalID: one.ExternalID, ID: one.ID, CreatedAt: one.CreatedAt, Name: one.Name, OwnerID: one.OwnerEmail,
			Repository: e.names[one.RepositoryID], Published: one.Published,
		}
		for _, member := range one.Members {
			line.Members = append(line.Members, importMember{member.Email, string(member.Role)})
		}
		whole := line.Repository != ""
		for _, id := range one.DatasetIDs {
			line.Datasets = append(line.Datasets, e.names[id])
			whole = whole && e.names[id] != ""
		}
		if !whole {
			e.leftOut++
			continue
		}
		if err := e.write(line); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) stars(ctx context.Context) error {
	return catalog.ExportStars(ctx, e.snapshot, func(star catalog.Star) error {
		return e.write(importLine{Kind: "star", Account: star.AccountID, Resource: e.names[star.ResourceID], CreatedAt: sqldb.Time(star.At)})
	})
}

func (e *exporter) sessions(ctx context.Context) error {
	found, err := sessions.Export(ctx, e.snapshot)
	if err != nil {
		return err
	}
	for _, one := range found {
		err := e.write(importLine{
			Kind: "session", ExternalID: one.ID, CreatedAt: one.CreatedAt, Name: one.Name, OwnerID: one.Email, Account: one.AccountID,
			Engine: one.Engine, Holds: one.Holds, StartedFrom: one.StartedFrom,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
