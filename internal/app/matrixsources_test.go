package app

import (
	"sync"

	"cairn/internal/app/config"
	"cairn/internal/entries/archives/archivestest"
)

var matrixOfSources = []matrixRow{
	{"find-doi", "GET", "/sources/doi/10.7910%2FDVN%2FABC", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"find-doi", "GET", "/sources/doi/10.7910/DVN/ABC", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"find-doi", "GET", "/sources/doi/10.7910/DVN/NONE", "", [7]int{401, 401, 404, 404, 404, 404, 404}},
	{"create-resource", "POST", "/resources", `{"type":"DATASET","source":"10.7910/DVN/ABC","privacy":"PRIVATE"}`, [7]int{401, 401, 201, 201, 201, 403, 201}},
	{"create-resource", "POST", "/resources", `{"type":"NOTEBOOK","source":"10.7910/DVN/ABC"}`, [7]int{401, 401, 422, 422, 422, 403, 422}},
}

// sourcesOf are stand-ins for what all worlds look DOIs up at.
func sourcesOf() config.Sources {
	return config.Sources{DOIURL: archive().DOI.URL(), FigshareURL: archive().Figshare.URL(), Dataverse: []string{dataverse()}}
}

var dataverse = sync.OnceValue(func() string {
	archive().Dataverse.Add(archivestest.Item{DOI: "10.7910/DVN/ABC", Title: "Archived data", Files: []archivestest.Content{{Path: "a.csv", Data: []byte("1,2")}}})
	return archive().Dataverse.URL()
})
