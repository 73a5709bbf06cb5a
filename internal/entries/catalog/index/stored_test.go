package index_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/index"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
)

func TestSearchAgreesWithAScanOfTheStoredRows(t *testing.T) { searchAgreesWithScan(t, 300) }

func TestThoroughSearchAgreesWithAScanOfTheStoredRows(t *testing.T) { searchAgreesWithScan(t, 10_000) }

// searchAgreesWithScan asks the catalog, as its users do, and a plain scan of the rows that its database holds, while
// those change: one random query a round.
func searchAgreesWithScan(t *testing.T, rounds int) {
	t.Helper()
	clock := time.UnixMicro(0)
	sqldbtest.EachAt(t, func() time.Time { return clock }, func(t *testing.T, db *sqldb.DB) {
		random := index.NewRandom(11)
		ctx := t.Context()
		store := catalog.NewStore(db)
		service := catalog.NewService(ctx, store, catalog.Options{Logger: slog.New(slog.DiscardHandler)})
		t.Cleanup(func() { _ = service.Close() })
		scan := index.NewScan([]string{"NOTEBOOK", "DATASET", "MODEL", "REPOSITORY"})

		accounts := map[string]string{}
		as := func(email string) context.Context {
			if email == "" {
				return ctx
			}
			if accounts[email] == "" {
				account, err := identity.NewStore(db).See(ctx, "https://idp.example.org", email, email, "")
				if err != nil {
					t.Fatal(err)
				}
				accounts[email] = account.ID
			}
			return identity.With(ctx, identity.Caller{AccountID: accounts[email], Email: email})
		}
		search := func(query index.Query) (index.Result, error) {
			page, err := service.Search(as(query.Email), catalog.Query{
				Text: query.Text, Types: query.Types, Tags: query.Tags, Runs: query.Runs, Sort: query.Sort, Offset: query.Offset, Limit: query.Limit, Facets: query.Facets, FacetText: query.FacetText,
			}, false)
			result := index.Result{Total: page.Total, Hint: page.Hint}
			for _, resource := range page.Resources {
				result.IDs = append(result.IDs, resource.ID)
			}
			if page.Facets != nil {
				result.Facets = &index.Facets{Types: map[string]int{}, Tags: page.Facets.Tags, Runs: page.Facets.Runs}
				for value, count := range page.Facets.Types {
					result.Facets.Types[string(value)] = count
				}
			}
			return result, err
		}

		// reread lets the scan know a row as the database has it.
		reread := func(id string) {
			rows, err := store.Load(ctx, []string{id})
			if err != nil || len(rows) != 1 {
				t.Fatal(rows, err)
			}
			if rows[0].State == catalog.StateActive {
				scan.Put(documentOf(rows[0]))
			} else {
				scan.Remove(id)
			}
		}
		var ids, authors []string
		for round := range rounds {
			clock = time.UnixMicro(int64(random.IntN(1000)))
			switch kind := random.IntN(13); {
			case kind == 0 && len(ids) > 0: // deleted by its author
				at := random.IntN(len(ids))
				if err := service.Delete(as(authors[at]), ids[at]); err != nil {
					t.Fatal(err)
				}
				reread(ids[at])
				ids, authors = append(ids[:at], ids[at+1:]...), append(authors[:at], authors[at+1:]...)
			case kind == 1 && len(ids) > 0: // starred or unstarred by its author
				at := random.IntN(len(ids))
				if _, err := service.Stars().Toggle(as(authors[at]), ids[at]); err != nil {
					t.Fatal(err)
				}
				reread(ids[at])
			case kind == 12 && len(ids) > 0: // run by this process or another one
				at := random.IntN(len(ids))
				changes, err := db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
					return catalog.RecordRun(ctx, tx, ids[at], lastRunOf(random.Document("")))
				})
				if err != nil {
					t.Fatal(err)
				}
				if random.IntN(2) == 0 {
					service.Changed(ctx, changes)
				} else if err := service.CatchUp(ctx); err != nil {
					t.Fatal(err)
				}
				reread(ids[at])
			case kind < 4: // imported, anew or again, by another process
				name := fmt.Sprint("entry ", len(ids)+round)
				if len(ids) > 150 {
					name = fmt.Sprint("again ", random.IntN(40))
				}
				entry := resourceOf(random.Document(""), name)
				if err := store.Import(ctx, []catalog.Entry{entry}); err != nil {
					t.Fatal(err)
				}
				id, err := store.IDByExternalID(ctx, name)
				if err != nil {
					t.Fatal(err)
				}
				if err := service.CatchUp(ctx); err != nil {
					t.Fatal(err)
				}
				reread(id)
				rows, err := store.Load(ctx, []string{id})
				if err != nil {
					t.Fatal(err)
				}
				if rows[0].State == catalog.StateActive {
					at := len(ids)
					for i := range ids {
						if ids[i] == id {
							at = i
						}
					}
					if at == len(ids) {
						ids, authors = append(ids, id), append(authors, "")
					}
					authors[at] = rows[0].Authors[0]
				}
			}
			index.Compare(t, search, scan, random.Query())
		}
	})
}

// verdicts are those that searches tell apart.
var verdicts = map[index.Outcome]catalog.RunVerdict{
	index.OutcomeClean: catalog.RunClean, index.OutcomeDiffers: catalog.RunDiffers, index.OutcomeFails: catalog.RunFailed, index.OutcomeNeeds: catalog.RunNeeds,
	index.OutcomeNothing: catalog.RunNothingToCompare,
}

// lastRunOf returns a run with the outcome of a document; nil for never.
func lastRunOf(document index.Document) *catalog.LastRun {
	if document.Outcome == index.OutcomeNever {
		return nil
	}
	return &catalog.LastRun{Verdict: verdicts[document.Outcome], At: document.Ran}
}

func resourceOf(document index.Document, name string) catalog.Entry {
	resource := catalog.Entry{
		ExternalID: name, Type: catalog.Type(document.Type), Name: document.Name, Description: document.Description,
		Authors: document.Authors, Privacy: catalog.PrivacyPublic, DatasetURL: "spikes", NotebookPath: "bundled:a.ipynb",
		ApplicationInterfaceID: "model",
	}
	if document.Private {
		resource.Privacy = catalog.PrivacyPrivate
	}
	for _, tag := range document.Tags {
		resource.Tags = append(resource.Tags, catalog.Tag{Value: tag.Value})
	}
	resource.Normalize()
	return resource
}

func documentOf(resource catalog.Entry) index.Document {
	document := index.Document{
		ID: resource.ID, Type: string(resource.Type), Name: resource.Name, Description: resource.Description,
		Authors: resource.Authors, Private: resource.Privacy == catalog.PrivacyPrivate, CreatedAt: resource.CreatedAt, Stars: resource.StarCount,
	}
	if kind := resource.Type; kind == catalog.Repository || kind == catalog.Notebook {
		document.Outcome = index.OutcomeNever
		if last := resource.LastRun; last != nil {
			document.Outcome, document.Ran = "", last.At
			for outcome, verdict := range verdicts {
				if verdict == last.Verdict {
					document.Outcome = outcome
				}
			}
		}
	}
	for _, tag := range resource.Tags {
		document.Tags = append(document.Tags, index.Tag(tag))
	}
	return document
}
