package fair

import (
	"context"
	"net/http"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

type (
	exportInput struct {
		ID      string `path:"id"`
		Version int    `query:"version" minimum:"1" doc:"The number of one of its versions; absent: the latest"`
		Format  string `path:"format" doc:"jsonld, datacite, datacite-xml, croissant (DATASET), rocrate, codemeta (all but DATASET), bibtex, csl, cff, or linkset"`
	}
	scoreInput struct {
		ID string `path:"id"`
	}
	scoreOutput  struct{ Body Score }
	medianOutput struct{ Body Median }
)

// Routes registers the operations.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Catalog"}
	content := map[string]*huma.MediaType{}
	for _, one := range forms() {
		content[one.Type] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	httpapi.Register(api, httpapi.Open, huma.Operation{
		OperationID: "export-resource", Method: http.MethodGet, Path: "/resources/public/{id}/export/{format}", Tags: tags,
		Summary: "A public entry in a form that harvesters, archives and reference managers read",
		Description: "Every website may read it. There is no e-mail address in it, and only what strangers may download has an address. 404 for entries " +
			"that aren't public, and for a form that the entry doesn't have.",
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: content}},
	}, func(ctx context.Context, input *exportInput) (*huma.StreamResponse, error) {
		text, kind, links, err := s.export(ctx, input.ID, input.Format)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			request, writer := humachi.Unwrap(ctx)
			openToAll(writer.Header())
			writer.Header().Set("Link", links)
			httpapi.WriteText(writer, request, http.StatusOK, kind, text)
		}}, nil
	})
	httpapi.Register(api, httpapi.Open, huma.Operation{
		OperationID: "score-resource", Method: http.MethodGet, Path: "/resources/public/{id}/fair", Tags: tags,
		Summary: "How well strangers can find, cite and reuse a public entry",
		Description: "The 26 points of the F-UJI metrics 0.8. This server asks its own addresses as a stranger would, without JavaScript; it asks no other " +
			"server. 404 for entries that aren't public.",
	}, func(ctx context.Context, input *scoreInput) (*scoreOutput, error) {
		score, err := s.Score(ctx, input.ID)
		return &scoreOutput{Body: score}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "median-of-scores", Method: http.MethodGet, Path: "/operator/fair", Tags: []string{"Operators"},
		Summary:     "The median score of the public entries",
		Description: "For operators. Of at most 100 entries, spread evenly over the times at which they changed; computed again after an hour.",
	}, func(ctx context.Context, _ *struct{}) (*medianOutput, error) {
		found, err := s.Median(ctx)
		return &medianOutput{Body: found}, err
	})
}

// openToAll lets pages of all websites read an answer, which is the same for everybody.
func openToAll(header http.Header) {
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Expose-Headers", "Link, Content-Location, ETag")
	header.Del("Access-Control-Allow-Credentials")
}

// Negotiate sets the Link header of the page of a public entry, and answers with another form if the request prefers one.
// It reports whether it has answered.
func (s *Service) Negotiate(w http.ResponseWriter, r *http.Request, entry catalog.Entry) bool {
	header := w.Header()
	openToAll(header)
	header.Add("Vary", "Accept")
	record := recordOf(entry, s.options.Site(), s.options.Now())
	s.addVersion(r.Context(), &record)
	chosen, page, ok := chooseForm(r.Header.Get("Accept"), formsFor(record))
	switch {
	case !ok:
		httpapi.WriteText(w, r, http.StatusNotAcceptable, "text/plain; charset=utf-8", []byte(notAcceptableText(record)))
		return true
	case page:
		return false
	}
	text, kind, links, err := s.export(r.Context(), entry.ID, chosen.Name)
	if err != nil {
		http.Error(w, fault.MessageOf(err), httpapi.StatusOf(r.Context(), err))
		return true
	}
	header.Set("Link", links)
	header.Set("Content-Location", record.form(chosen.Name))
	httpapi.WriteText(w, r, http.StatusOK, kind, text)
	return true
}

// notAcceptableText names the forms that there are.
func notAcceptableText(r Record) string {
	names := []string{"This entry isn't available in a form that your Accept header names. Ask for one of these:", "", "text/html"}
	for _, one := range formsFor(r) {
		names = append(names, one.contentType())
	}
	return strings.Join(names, "\n") + "\n"
}
