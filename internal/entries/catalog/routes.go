package catalog

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

type searchInput struct {
	Type       string   `query:"type" doc:"Comma list of resource types; empty: any"`
	Tag        []string `query:"tag,explode" doc:"Tags that all must match: a comma list, or repeated; inside a tag \\, is a comma and \\\\ a backslash"`
	Runs       string   `query:"runs" doc:"Comma list of how the last run of the catalog came out: clean, differs, fails, or never, for notebooks and repositories that weren't run yet; empty: any"`
	NameSearch string   `query:"nameSearch" doc:"Words or their beginnings in any order, in name, description, tags, authors or the text of its files, all except small ones; or a part of a name. Where none has all words, or fewer than ten those of a sentence, entries with most of them follow, see hint. Also tag:x, type:model, author:y, \"exact words\" and -without"`
	PageNumber int      `query:"pageNumber" minimum:"0" maximum:"10000000" default:"0" doc:"Counted from 0"`
	PageSize   int      `query:"pageSize" minimum:"1" maximum:"100" default:"100" doc:"Results on a page"`
	Sort       string   `query:"sort" enum:"relevance,name,newest,stars,used,runs" doc:"Without it: relevance with a text, else name. used: 3 x stars + accounts that started it in the last 90 days, counted hourly; ties newest first. runs: those that ran clean, the latest run first, then the others, newest first"`
	Facets     string   `query:"facets" doc:"types,tags,runs: count them too"`
	FacetText  string   `query:"facetText" maxLength:"200" doc:"With facets: only tags that contain this text, whatever its case"`
	View       string   `query:"view" enum:"card" doc:"card: descriptions cut to 280 characters of plain text"`
	Highlight  bool     `query:"highlight" doc:"Say in matched what matches in each entry"`
}

// Schema lists the types in the API document.
func (Type) Schema(huma.Registry) *huma.Schema {
	values := make([]any, len(Types))
	for i, value := range Types {
		values[i] = string(value)
	}
	return &huma.Schema{Type: huma.TypeString, Enum: values}
}

// Routes registers the catalog's operations.
func (s *Service) Routes(api *httpapi.API) {
	creditedPeople{s}.routes(api)
	s.Stars().routes(api)
	tags := []string{"Catalog"}
	for _, one := range []struct{ id, path string }{{"search-public-resources", "/resources/public"}, {"list-resources", "/resources"}} {
		httpapi.Register(api, httpapi.Public, huma.Operation{
			OperationID: one.id, Method: http.MethodGet, Path: one.path, Tags: tags, Summary: "Search the catalog",
			Description: "Private entries appear to their authors only. " + whileBuilding,
		}, s.handleSearch)
	}
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "list-landing", Method: http.MethodGet, Path: "/resources/landing", Tags: tags, Summary: "Entries for the landing page",
		Description: "At most six, as cards: those that operators featured, then the newest of mixed types that are verified, imported, on this " +
			"server itself, or at least a day old. totalElements, facets and runs count everything that the caller sees. " + whileBuilding,
	}, func(ctx context.Context, _ *struct{}) (*pageOutput, error) {
		page, err := landing{s}.page(ctx)
		return pageOf(page, 0, landingSize), err
	})
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "get-resource", Method: http.MethodGet, Path: "/resources/public/{id}", Tags: tags, Summary: "Get an entry",
		Description: "Every call that reads an entry, what is in it or its exports takes version, the number of one of its versions: GET /resources/public/{id}/versions.",
	}, func(ctx context.Context, input *versionedInput) (*resourceOutput, error) {
		resource, err := s.Detail(ctx, input.ID)
		return &resourceOutput{Body: resource}, err
	})
	s.Versions().routes(api)
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "list-tags", Method: http.MethodGet, Path: "/resources/public/tags/all", Tags: tags,
		Summary: "List all tags of visible entries, by value", Description: whileBuilding,
	}, func(ctx context.Context, _ *struct{}) (*tagsOutput, error) {
		tags, err := s.Tags(ctx)
		return &tagsOutput{Body: tags}, err
	})
	for _, one := range []struct{ id, path string }{{"find-resources", "/resources/search"}, {"find-public-resources", "/resources/public/search"}} {
		httpapi.Register(api, httpapi.Public, huma.Operation{
			OperationID: one.id, Method: http.MethodGet, Path: one.path, Tags: tags,
			Summary: "Find entries while typing", Description: "At most 100, each once. " + whileBuilding,
		}, s.handleFind)
	}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "leave-resource", Method: http.MethodDelete, Path: "/resources/{id}/authors/me", Tags: tags,
		Summary: "Leave the authors of an entry",
		Description: "For its authors and the person who added it, who are no longer credited either. For good: later versions of its " +
			"descriptor don't bring the caller back. 409 last_author if no other author has an e-mail address.", DefaultStatus: http.StatusOK,
	}, func(ctx context.Context, input *resourceInput) (*booleanOutput, error) {
		return &booleanOutput{Body: true}, s.Leave(ctx, input.ID)
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "delete-resource", Method: http.MethodDelete, Path: "/resources/{id}", Tags: tags,
		Summary: "Delete an entry", Description: "For its authors. It is gone everywhere; projects keep a note of it.", DefaultStatus: http.StatusOK,
	}, func(ctx context.Context, input *resourceInput) (*booleanOutput, error) {
		return &booleanOutput{Body: true}, s.Delete(ctx, input.ID)
	})
}

func (s *Service) handleSearch(ctx context.Context, input *searchInput) (*pageOutput, error) {
	types, err := ParseTypes(input.Type)
	if err != nil {
		return nil, err
	}
	text, err := searchText("query.nameSearch", input.NameSearch)
	if err != nil {
		return nil, err
	}
	tags := parseTags(input.Tag)
	if len(tags) > TagsLimit {
		return nil, fault.InvalidField("query.tag", "Ask for at most %d tags: no entry has more.", TagsLimit)
	}
	outcomes, err := ParseOutcomes(input.Runs)
	if err != nil {
		return nil, err
	}
	page, err := s.Search(ctx, Query{
		Text: text, Types: typeNames(types), Tags: tags, Runs: outcomes, Sort: Sort(input.Sort),
		Offset: input.PageNumber * input.PageSize, Limit: input.PageSize, Facets: input.Facets != "", FacetText: input.FacetText, Highlight: input.Highlight && text != "",
	}, input.View == "card")
	if err != nil {
		return nil, err
	}
	return pageOf(page, input.PageNumber, input.PageSize), nil
}

func (s *Service) handleFind(ctx context.Context, input *struct {
	Type string `query:"type" doc:"Comma list of resource types; empty: any"`
	Name string `query:"name"`
	View string `query:"view" enum:"card" doc:"card: descriptions cut to 280 characters of plain text"`
},
) (*resourcesOutput, error) {
	types, err := ParseTypes(input.Type)
	if err != nil {
		return nil, err
	}
	text, err := searchText("query.name", input.Name)
	if err != nil {
		return nil, err
	}
	page, err := s.Search(ctx, Query{Text: text, Types: typeNames(types), Limit: 100}, input.View == "card")
	return &resourcesOutput{Body: page.Resources}, err
}

// searchTextLimit is far longer than anything people type.
const searchTextLimit = 1000

func searchText(location, text string) (string, error) {
	if utf8.RuneCountInString(text) > searchTextLimit {
		return "", fault.InvalidField(location, "The search text can have at most %d characters.", searchTextLimit)
	}
	return strings.ToValidUTF8(text, " "), nil
}

// parseTags parses tags that are repeated or comma-separated, where \, is a comma and \\ a backslash. It stops at more
// than any entry can have.
func parseTags(lists []string) []string {
	var result []string
	for _, list := range lists {
		var tag strings.Builder
		escaped := false
		add := func() {
			if value := strings.TrimSpace(tag.String()); value != "" && !slices.Contains(result, value) {
				result = append(result, value)
			}
			tag.Reset()
		}
		for _, r := range list {
			if len(result) > TagsLimit {
				return result
			}
			switch {
			case escaped:
				tag.WriteRune(r)
				escaped = false
			case r == '\\':
				escaped = true
			case r == ',':
				add()
			default:
				tag.WriteRune(r)
			}
		}
		add()
	}
	return result
}
