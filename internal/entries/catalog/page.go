package catalog

import "cairn/internal/entries/catalog/index"

// RunsCount says how many of the entries that were run ran clean.
type RunsCount struct {
	Clean    int `json:"clean" doc:"Entries whose last run was clean"`
	Tried    int `json:"tried" doc:"Entries that were run"`
	Runnable int `json:"runnable" doc:"All notebooks and repositories"`
}

// ResourcePage is a page of entries, with the members that existing clients expect.
type ResourcePage struct {
	Content          []Resource `json:"content"`
	TotalElements    int        `json:"totalElements" doc:"Exact"`
	TotalPages       int        `json:"totalPages"`
	Number           int        `json:"number" doc:"This page, from 0"`
	Size             int        `json:"size"`
	NumberOfElements int        `json:"numberOfElements"`
	First            bool       `json:"first"`
	Last             bool       `json:"last"`
	Empty            bool       `json:"empty"`
	Facets           *Facets    `json:"facets,omitempty"`
	Runs             *RunsCount `json:"runs,omitempty" doc:"Of the landing page"`
	Example          string     `json:"example,omitempty" doc:"Of the landing page: the id of the entry whose run it offers as an example: a featured one, or the one that ran clean in the least time; absent if none of its entries runs"`
	Corrected        string     `json:"corrected,omitempty" doc:"The text without typing errors that was searched instead, because nothing matched as typed"`
	Hint             *Hint      `json:"hint,omitempty" doc:"What else was searched because nothing matched as typed, or hardly anything; or how to find anything"`
}

type pageOutput struct{ Body ResourcePage }

type resourceInput struct {
	ID string `path:"id"`
}

type (
	resourceOutput  struct{ Body Resource }
	resourcesOutput struct{ Body []Resource }
	tagsOutput      struct{ Body []TagCount }
	booleanOutput   struct{ Body bool }
)

// whileBuilding describes the answer of lists until the index is ready.
const whileBuilding = "503 index_building, with progress, while the search index is being built."

func pageOf(page Page, number, size int) *pageOutput {
	output := &pageOutput{}
	body := &output.Body
	body.Content, body.TotalElements, body.Facets, body.Runs, body.Example, body.Hint = page.Resources, page.Total, page.Facets, page.Runs, page.Example, page.Hint
	if page.Hint != nil && page.Hint.Kind == index.HintCorrected {
		body.Corrected = page.Hint.Text
	}
	body.Number, body.Size = number, size
	body.TotalPages = (page.Total + size - 1) / size
	body.NumberOfElements = len(page.Resources)
	body.First, body.Last = number == 0, number >= body.TotalPages-1
	body.Empty = len(page.Resources) == 0
	return output
}

// Page is a page of search results.
type Page struct {
	Resources []Resource
	Total     int
	Facets    *Facets
	Runs      *RunsCount // of the landing page
	Example   string     // of the landing page: the id of the entry that is its example of a run, "" for none
	Hint      *Hint      // nil when only entries that match the text as typed are listed
}
