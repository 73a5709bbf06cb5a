package sessions_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"cairn/internal/entries/archives"
	"cairn/internal/entries/archives/archivestest"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sessionstest"
)

// A session gets the files of a DOI, asked for when it is launched and at no other time.
func TestDatasetsOfArchivesAreAskedForAtTheLaunch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := archivestest.New(t)
	item := archivestest.Item{DOI: "10.7910/DVN/ABC", Title: "Waves", Files: []archivestest.Content{
		{Path: "raw/a.csv", Data: []byte("1,2")}, {Path: "t.tab", Original: "t.csv", Data: []byte("3")}, {Path: "secret", Data: []byte("x"), Restricted: true},
	}}
	all.Dataverse.Add(item)
	w.Options.Resolver.Archives = archives.NewRecent(archives.NewRecords(all.Records()))
	w.AddEntries(catalog.Entry{ExternalID: "waves", Type: catalog.Dataset, DatasetURL: "doi:10.7910/dvn/abc"})
	id := w.ID("waves")
	found, err := w.Options.Resolver.PublicContents(t.Context(), id)
	sessionstest.Check(t, err)
	session := found.Session
	session.ID, session.UserID = "0195a000-0000-7000-8000-000000000001", "ann@example.org"
	if calls := all.DOI.Calls(); len(calls) > 0 {
		t.Errorf("the archive was asked: %q", calls)
	}
	spec, err := w.Options.Resolver.Spec(t.Context(), session, map[string]bool{id: true})
	sessionstest.Check(t, err)
	sessionstest.Check(t, spec.Validate())
	got := spec.Datasets[0]
	if !strings.HasPrefix(got.Key, "doi:10.7910/dvn/abc@") || got.Folder != "abc" || got.Unavailable != "" || got.Path != "" || len(got.Files) != 2 || len(all.DOI.Calls()) != 1 {
		t.Fatalf("%+v", got)
	}
	first, table := got.Files[0], got.Files[1]
	if first.Path != "raw/a.csv" || first.Bytes != 3 || !strings.HasPrefix(first.Digest, "md5:") || table.Path != "t.csv" || table.Bytes != 1 || table.Digest != "" {
		t.Errorf("%+v", got.Files)
	}
	spec, err = w.Options.Resolver.Spec(t.Context(), session, nil)
	if got := spec.Datasets[0]; err != nil || got.Key != "" || got.Files != nil || got.Unavailable == "" {
		t.Errorf("who may not see it gets %+v, %v", got, err)
	}
	batch, err := w.Server.Batch.Spec(t.Context(), "0195a000-0000-7000-8000-000000000002", id, "", "", false)
	if err != nil || len(batch.Datasets) != 1 || len(batch.Datasets[0].Files) != 2 {
		t.Errorf("a run gets %+v, %v", batch.Datasets, err)
	}
}

// archivesFunc are archives that answer in some way.
type archivesFunc func(ctx context.Context) (archives.Record, error)

func (f archivesFunc) Find(ctx context.Context, _ string) (archives.Record, error) { return f(ctx) }

func TestArchivesThatDoNotAnswerLeaveTheirDatasetsOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := archivestest.New(t)
	all.DOI.Disturb(func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusBadGateway); return true })
	many := archives.Record{Archive: "Zenodo", Files: make([]archives.File, engine.MostFiles+1)}
	for i := range many.Files {
		many.Files[i].URL = "https://zenodo.org/x"
	}
	w.AddEntries(catalog.Entry{ExternalID: "waves", Name: "Waves", Type: catalog.Dataset, DatasetURL: "doi:10.5281/zenodo.1"})
	id := w.ID("waves")
	found, err := w.Options.Resolver.PublicContents(t.Context(), id)
	sessionstest.Check(t, err)
	session := found.Session
	session.ID, session.UserID = "0195a000-0000-7000-8000-000000000001", "ann@example.org"
	for reason, asked := range map[string]sessions.Archives{
		"looks up no DOIs": nil, "127.0.0.1": archives.NewRecords(all.Records()),
		"1001 files at Zenodo": archivesFunc(func(context.Context) (archives.Record, error) { return many, nil }),
		"Zenodo has no such": archivesFunc(func(context.Context) (archives.Record, error) {
			return archives.Record{}, fault.New(fault.NotFound, "Zenodo has no such record.")
		}),
	} {
		w.Options.Resolver.Archives = asked
		spec, err := w.Options.Resolver.Spec(t.Context(), session, map[string]bool{id: true})
		sessionstest.Check(t, err)
		sessionstest.Check(t, spec.Validate())
		if got := spec.Datasets[0]; !strings.HasPrefix(got.Unavailable, "The dataset ") || !strings.Contains(got.Unavailable, reason) || got.Files != nil || got.Key != "doi:10.5281/zenodo.1" {
			t.Errorf("%s: %+v", reason, got)
		}
	}
}
