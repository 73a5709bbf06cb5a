package catalog

import (
	"context"
	"net/http"
	"strconv"

	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

type (
	versionedInput struct {
		ID      string `path:"id"`
		Version int    `query:"version" minimum:"1" doc:"The number of one of its versions; absent: the latest. 410 version_withdrawn"`
	}
	versionsOutput struct{ Body EntryVersionPage }
)

// EntryVersionPage is the versions of an entry.
type EntryVersionPage struct {
	Content []EntryVersion `json:"content" nullable:"false"`
	Latest  int            `json:"latest"`
}

func (v Versions) routes(api *httpapi.API) {
	tags := []string{"Catalog"}
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "list-entry-versions", Method: http.MethodGet, Path: "/resources/public/{id}/versions", Tags: tags,
		Summary: "The versions of an entry, the latest first",
		Description: "A version is other files, another address or another commit; what is said about an entry can change without one. Its permanent address is /id/{id}/v{n}. " +
			"What a version was stays as it was: its files, exports and run.",
	}, func(ctx context.Context, input *resourceInput) (*versionsOutput, error) {
		found, err := v.List(ctx, input.ID)
		output := &versionsOutput{Body: EntryVersionPage{Content: found}}
		if len(found) > 0 {
			output.Body.Latest = found[0].Number
		}
		return output, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "withdraw-entry-version", Method: http.MethodPost, Path: "/resources/{id}/versions/{number}/withdraw", Tags: tags, DefaultStatus: http.StatusNoContent,
		Summary:     "Withdraw a version for good",
		Description: "For its authors, and operators. Its address says the reason from then on, and its files aren't sent any more. 409 for the latest one, which is what the entry shows.",
	}, func(ctx context.Context, input *struct {
		ID     string `path:"id"`
		Number int    `path:"number" minimum:"1"`
		Body   struct {
			Reason string `json:"reason" doc:"For those who come to its address; up to 1,000 characters"`
		}
	},
	) (*struct{}, error) {
		return nil, v.Withdraw(ctx, input.ID, input.Number, input.Body.Reason)
	})
}

// versionLimit is above every number of a version.
const versionLimit = 1 << 30

// ReadVersions has requests that only read do that in the version that their address names, as in ?version=2.
func ReadVersions(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			if text := r.URL.Query().Get("version"); text != "" {
				number, err := strconv.Atoi(text)
				if err != nil || number < 1 {
					number = versionLimit // which no entry has
				}
				r = r.WithContext(InVersion(r.Context(), number))
			}
		}
		next.ServeHTTP(w, r)
	})
}
