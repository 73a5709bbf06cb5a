package codehost

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"cairn/internal/foundation/safehttp"
)

// DataCiteOptions configure DataCite.
type DataCiteOptions struct {
	APIURL string // as in https://api.datacite.org
	Client *safehttp.Client
	Cache  *Cache
	Now    func() time.Time
	Logger *slog.Logger
}

// DataCite says what it knows about DOIs. It isn't a code host, but it is asked as one: with the same cache, limits and
// waits, and a share of the questions for each caller.
type DataCite struct{ api *source }

const (
	dataCiteBytes = 1_000_000 // of an answer
	dataCiteLimit = 3_000     // questions in an hour; it allows that many in five minutes
)

// NewDataCite returns DataCite.
func NewDataCite(options DataCiteOptions) *DataCite {
	api := &source{
		base: strings.TrimSuffix(options.APIURL, "/"), name: "DataCite", header: http.Header{"Accept": {"application/vnd.api+json"}}, budget: newBudget(dataCiteLimit),
		client: options.Client, cache: options.Cache, timeout: askTime, now: options.Now, logger: options.Logger,
	}
	api.budget.guessed = true
	return &DataCite{api}
}

// DOI returns DataCite's answer about a DOI; NotFound if it has none, as for those that others registered.
func (d *DataCite) DOI(ctx context.Context, doi string) ([]byte, error) {
	answered, err := d.api.get(ctx, "/dois"+escaped(doi)+"?affiliation=true", dataCiteBytes, fresh)
	return answered.body, err
}
