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

// Clients of other gateways post whole entries, in the forms of their libraries.
func TestEntriesPostedWhole(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		for _, c := range []struct{ path, body, kind, tags, address string }{
			{ // by a form
				"dataset", `{"name":"Spikes","description":"many","headerImage":"/images/default-dataset.png","tags":[{"name":"test"},{"name":"url"}],
				"authors":["eve@example.org"],"datasetUrl":"https://example.org/a.csv","status":"VERIFIED","state":"ACTIVE","privacy":"PUBLIC","type":"DATASET"}`,
				"DATASET", "test|url", "https://example.org/a.csv",
			},
			{ // by a Java client, with what its class has
				"notebook", `{"id":null,"name":"Analysis","description":"","headerImage":null,"authors":[],"tags":[{"id":"7","value":"md, namd"}],"status":"NONE",
				"state":"ACTIVE","privacy":"PRIVATE","createdAt":1754000000000,"updatedAt":null,"notebookPath":"https://example.org/a.ipynb","type":"MODEL"}`,
				"NOTEBOOK", "md, namd", "https://example.org/a.ipynb",
			},
			{ // by hand
				"model/", `{"name":"Neuron","applicationInterfaceId":"neuron_1","version":3.10,"tags":["cells",2025]}`, "MODEL", "2025|cells", "neuron_1 3.10",
			},
		} {
			var made struct {
				Type     string
				Resource catalog.Resource
			}
			w.Send(catalogtest.Ada, http.MethodPost, "/resources/"+c.path, c.body, http.StatusCreated, &made)
			var tags []string
			for _, tag := range made.Resource.Tags {
				tags = append(tags, tag.Value)
			}
			address := strings.TrimSpace(made.Resource.DatasetURL + made.Resource.NotebookPath + made.Resource.ApplicationInterfaceID + " " + made.Resource.Version)
			if made.Type != c.kind || string(made.Resource.Type) != c.kind || strings.Join(tags, "|") != c.tags || address != c.address ||
				made.Resource.Authors[0] != catalogtest.Ada || made.Resource.Status != "NONE" || time.Since(made.Resource.CreatedAt) > time.Hour {
				t.Errorf("%s: %+v", c.path, made)
			}
			want := http.StatusOK
			if strings.Contains(c.body, "PRIVATE") {
				want = http.StatusNotFound
			}
			w.Ask("", http.MethodGet, "/resources/public/"+made.Resource.ID, want, nil)
		}
		for body, locations := range map[string]string{
			`{}`:                             "body.name body.datasetUrl",
			`{"name":"New","datasetUrl":""}`: "body.datasetUrl",
			`{"name":"New","datasetUrl":"https://example.org/a","tags":[{}]}`:                            "body.tags[0]",
			`{"name":"New","datasetUrl":"https://example.org/a","tags":["a",["b"]]}`:                     "body.tags[1]",
			`{"name":"New","datasetUrl":"https://example.org/a","privacy":"secret"}`:                     "body.privacy",
			`{"name":"New","datasetUrl":"https://example.org/a","notebookPath":"https://example.org/b"}`: "body.notebookPath",
		} {
			var problem refused
			w.Send(catalogtest.Ada, http.MethodPost, "/resources/dataset", body, http.StatusUnprocessableEntity, &problem)
			if got := problem.locations(); got != locations {
				t.Errorf("%s: %s, want %s", body, got, locations)
			}
		}
	})
}
