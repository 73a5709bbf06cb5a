package app

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"cairn/internal/app/installation"
	"cairn/internal/content/kept"
	"cairn/internal/content/uploads"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"
	"cairn/internal/sessions/publishing"
)

// openKept opens the files that this server keeps.
func (p *program) openKept() *kept.Files {
	folder, _ := p.config.ContentFolder()
	return kept.OpenFiles(kept.NewStore(p.db), installation.ContentStores(folder), filepath.Join(p.config.Data, "cache", "content", "trees"), time.Now)
}

// newContent connects uploads with the entries that they become.
func (p *program) newContent(ctx context.Context, parts *features, files *kept.Files) error {
	folder, _ := p.config.ContentFolder()
	file, quota := p.config.Keeping.Uploads.Limits()
	var err error
	parts.uploads, err = uploads.New(uploads.NewStore(p.db), uploads.Options{
		Folder: filepath.Join(folder, "uploads"), File: file, Quota: quota, Off: p.config.UploadsOff(), Path: httpapi.Base + "/uploads", Now: time.Now, Logger: p.logger,
	})
	if err != nil {
		return err
	}
	files.MayRead = parts.entries.CheckReadable
	if files.Secret, err = p.db.Secret(ctx, "kept_links"); err != nil {
		return err
	}
	works := publishing.Works{Sessions: parts.sessions.Service, Engines: p.sessionEngines()}
	parts.kept = kept.New(files, kept.Options{
		Uploads: parts.uploads, Work: works.Open, Records: p.records, Web: recordsWeb(p.config, p.userAgent()), Contribute: parts.contribute, Versions: parts.entries.Versions(), Public: p.publicURL, Most: quota,
		Callers: func(ctx context.Context, accountID string) (identity.Caller, error) {
			found, err := parts.accounts.Callers(ctx, []string{accountID})
			if err == nil && found[accountID].AccountID == "" {
				err = fmt.Errorf("there is no account %s", accountID)
			}
			return found[accountID], err
		},
		InUse: func(ctx context.Context) (map[catalog.Kept]bool, error) { return p.keptInUse(ctx, parts) },
		Now:   time.Now, Logger: p.logger,
	})
	parts.contribute.Content = parts.kept
	parts.publishing = publishing.New(publishing.Options{
		Works: works, Keeper: parts.kept, Entries: parts.entries, Record: parts.sessions.Store.RecordAction, Public: p.publicURL, Now: time.Now,
	})
	return nil
}

// keptInUse returns the kept files that sessions have which may still run.
func (p *program) keptInUse(ctx context.Context, parts *features) (map[catalog.Kept]bool, error) {
	sessions, err := parts.sessions.Store.Unfinished(ctx)
	if err != nil {
		return nil, err
	}
	used := map[catalog.Kept]bool{}
	for _, session := range sessions {
		for _, part := range append(session.Project.Datasets, session.Project.Repository) {
			if found, ok := catalog.ParseKept(part.Address); ok {
				used[found] = true
			}
		}
	}
	return used, nil
}

// handleKept serves kept repositories to git, and packed files to engines elsewhere.
func (p *program) handleKept(mux *http.ServeMux, files *kept.Files, parts features) {
	mux.HandleFunc("GET "+catalog.KeptPath+"{id}/{version}/"+kept.PackedName, files.ServePacked)
	mux.Handle(catalog.KeptPath, files.GitHandler(func(r *http.Request) (context.Context, error) {
		return parts.accounts.Authenticate(r, true)
	}))
}
