package contribute

import (
	"context"
	"net/http"
	"time"

	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/time/rate"
)

// An account may look up so many DOIs at once, and then one in this time: archives limit all that comes from this server together.
const (
	lookupsAtOnce = 30
	lookupPause   = 20 * time.Second
)

func newLookups() *httpapi.RateLimit {
	return httpapi.NewRateLimit(rate.Every(lookupPause), lookupsAtOnce)
}

type archivedOutput struct{ Body ArchivedRecord }

// sourceRoutes registers the operations on what others keep.
func (s *Service) sourceRoutes(api *httpapi.API) {
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "find-doi", Method: http.MethodGet, Path: api.Rest("/sources/doi/", "doi"), Tags: []string{"Contribute"},
		Summary: "What an archive has under a DOI",
		Description: "From Zenodo, Figshare, and archives with Dataverse or InvenioRDM that this server knows: title, people, license, and the files with their sizes and " +
			"checksums. POST /resources with source adds it as a dataset. 404 for a DOI that doesn't exist, 422 for one at a server that isn't known, 403 if none of its files " +
			"can be fetched by everybody, 413 for too many files, 502 and 503 if the archive can't be read now.",
	}, func(ctx context.Context, input *struct {
		DOI string `path:"doi" doc:"Its slash is escaped as %2F or not" example:"10.5281/zenodo.1234567"`
	},
	) (*archivedOutput, error) {
		found, err := s.FindRecord(ctx, input.DOI)
		return &archivedOutput{Body: found}, err
	})
}
