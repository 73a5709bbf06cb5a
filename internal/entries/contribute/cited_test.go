package contribute_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

func TestWhatCitationsNeedIsWrittenAndChanged(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		var made catalog.Resource
		w.Send(catalogtest.Ada, http.MethodPost, "/resources/", `{"type":"DATASET","name":"Spikes","datasetUrl":"https://example.org/d","version":"2",
			"license":"cc-by-4.0","doi":"https://doi.org/10.5281/zenodo.1","language":"EN",
			"people":[{"name":"Ada Lovelace","orcid":"https://orcid.org/0000-0002-1825-0097","email":"ADA@example.org",
				"affiliation":{"name":"Heidelberg University","ror":"038t36y30"}},{"name":"Bob","orcid":"","role":"DataCurator"}],
			"funding":[{"funder":"ERC","funderId":"0472cxd90"}],
			"relatedIdentifiers":[{"identifier":"doi:10.1038/nature14539","type":"DOI","relation":"Cites"}]}`, http.StatusCreated, &made)
		if made.License != "CC-BY-4.0" || made.DOI != "10.5281/zenodo.1" || made.Language != "en" || made.Version != "2" || len(made.People) != 2 ||
			made.People[0].ORCID != "0000-0002-1825-0097" || made.People[0].Affiliation.ROR != "https://ror.org/038t36y30" || made.People[0].Email != catalogtest.Ada ||
			made.People[1].Role != "DataCurator" || made.Funding[0].FunderID != "https://ror.org/0472cxd90" ||
			made.RelatedIdentifiers[0].Identifier != "10.1038/nature14539" || made.IssuedAt == nil {
			t.Errorf("%+v", made)
		}
		stranger := w.Entry("", made.ID)
		if len(stranger.People) != 2 || stranger.People[0].Email != "" {
			t.Errorf("strangers see %+v", stranger.People)
		}
		change := func(members string, status int, into any) {
			t.Helper()
			w.Send(catalogtest.Ada, http.MethodPatch, "/resources/"+made.ID, `{`+members+`,"updatedAt":"`+stamp(made)+`"}`, status, into)
		}
		for members, location := range map[string]string{
			`"license":"Custom"`:  "body.license",
			`"language":"German"`: "body.language",
			`"doi":"10/1"`:        "body.doi",
			`"people":[{"name":"Ada","orcid":"0000-0002-1825-0098"}]`:             "body.people[0].orcid",
			`"people":[{"name":"Eve","orcid":"","email":"eve@example.org"}]`:      "body.people[0].email",
			`"funding":[{"funder":""},{"funder":"","awardNumber":"1"}]`:           "body.funding[0].funder",
			`"relatedIdentifiers":[{"identifier":"x","type":"X","relation":"X"}]`: "body.relatedIdentifiers[0].type body.relatedIdentifiers[0].relation",
		} {
			var problem refused
			change(members, http.StatusUnprocessableEntity, &problem)
			if problem.locations() != location {
				t.Errorf("%s: %+v", members, problem)
			}
		}
		var left catalog.Resource
		change(`"authors":["bob@example.org"],"funding":[],"language":""`, http.StatusOK, &left)
		var names []string
		for _, person := range left.People {
			names = append(names, person.Name+person.Email)
		}
		if strings.Join(names, " ") != "Ada Lovelace Bob" || len(left.Funding) != 0 || left.Language != "" || len(left.RelatedIdentifiers) != 1 {
			t.Errorf("left %+v", left)
		}
	})
}

func TestAnEntryKeepsALicenseThatIsOlderThanTheList(t *testing.T) {
	t.Parallel()
	db := sqldbtest.SQLite(t, time.Now)
	w := newWorld(t, db)
	w.Import(catalogtest.Entry("Old", func(r *catalog.Entry) { r.License, r.DatasetURL = "Custom-1", "https://example.org/d" }))
	w.Open()
	before := w.Entry(catalogtest.Ada, w.ID("Old"))
	var after catalog.Resource
	w.Send(catalogtest.Ada, http.MethodPatch, "/resources/"+before.ID, `{"name":"Older","license":"Custom-1","updatedAt":"`+stamp(before)+`"}`, http.StatusOK, &after)
	if after.License != "Custom-1" || after.Name != "Older" {
		t.Errorf("%+v", after)
	}
}
