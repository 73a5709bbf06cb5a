package catalog

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"

	"github.com/danielgtaylor/huma/v2"
)

// BenchmarkWritesWithRecords sets and removes stars by HTTP with and without a record, in turn and beside a keeper that seals, and
// reports what both take, and how many times as long the 99th percentile with records is.
func BenchmarkWritesWithRecords(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchmarkWrites(b, sqldbtest.SQLite(b, time.Now)) })
	b.Run("postgres", func(b *testing.B) {
		db, err := sqldb.Open(b.Context(), sqldbtest.Postgres(b), time.Now)
		if err != nil {
			b.Fatal(err)
		}
		defer db.Close()
		benchmarkWrites(b, db)
	})
}

func benchmarkWrites(b *testing.B, db *sqldb.DB) {
	b.Helper()
	store := NewStore(db)
	importNumbered(b, store, 100)
	ids, err := texts(b.Context(), db, `SELECT id FROM resource`)
	if err != nil {
		b.Fatal(err)
	}
	accounts := identity.NewStore(db)
	account, err := accounts.See(b.Context(), "issuer", "ada", "ada@example.org", "Ada")
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	quiet := slog.New(slog.DiscardHandler)
	service := NewService(ctx, store, Options{Logger: quiet})
	defer func() { _ = service.Close() }()
	var keeping sync.WaitGroup
	keeping.Go(func() { audit.NewKeeper(audit.NewStore(db), 0, quiet).Run(ctx) })
	defer keeping.Wait()
	defer stop()

	caller := identity.Caller{AccountID: account.ID, Email: account.Email}
	api := httpapi.New(httpapi.Options{
		Version: "1", Logger: quiet, Now: time.Now, SignedIn: func(context.Context) bool { return true },
		Authenticate: func(r *http.Request, _ bool) (context.Context, error) { return identity.With(r.Context(), caller), nil },
	})
	register := func(name string, set func(ctx context.Context, id string) (bool, error)) {
		httpapi.Register(api, httpapi.SignedIn, huma.Operation{OperationID: name, Method: http.MethodPut, Path: "/" + name + "/{id}"},
			func(ctx context.Context, input *resourceInput) (*booleanOutput, error) {
				starred, err := set(ctx, input.ID)
				return &booleanOutput{Body: starred}, err
			})
	}
	starred := map[string]bool{}
	register("with", func(ctx context.Context, id string) (bool, error) { return service.Stars().Set(ctx, id, starred[id]) })
	register("without", func(ctx context.Context, id string) (bool, error) {
		return service.Stars().change(ctx, id, func(accountID string) (bool, Changes, error) {
			changes, err := db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
				_, err := setStar(ctx, tx, accountID, id, starred[id])
				return err
			})
			return starred[id], changes, err
		})
	})
	server := httptest.NewServer(httpapi.Observe(quiet, time.Now, nil, api.Handler()))
	defer server.Close()
	times := map[string][]time.Duration{}
	put := func(name, id string) {
		starred[id] = !starred[id]
		request, err := http.NewRequestWithContext(ctx, http.MethodPut, server.URL+httpapi.Base+"/"+name+"/"+id, http.NoBody)
		if err != nil {
			b.Fatal(err)
		}
		begun := time.Now()
		answer, err := server.Client().Do(request)
		if err != nil {
			b.Fatal(err)
		}
		times[name] = append(times[name], time.Since(begun))
		if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
			b.Fatal(answer.Status, err)
		}
	}
	for number := 0; b.Loop(); number++ {
		pair := []string{"with", "without"}
		if number%4 > 1 {
			slices.Reverse(pair)
		}
		for _, name := range pair {
			put(name, ids[number%len(ids)])
		}
	}
	for _, percent := range []int{50, 99} {
		for name, all := range times {
			slices.Sort(all)
			b.ReportMetric(float64(all[len(all)*percent/100].Microseconds()), "p"+strconv.Itoa(percent)+"-"+name+"-µs")
		}
	}
	with, without := times["with"], times["without"]
	b.ReportMetric(float64(with[len(with)*99/100])/float64(without[len(without)*99/100]), "times")
}
