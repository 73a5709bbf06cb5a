package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"cairn/internal/foundation/httpapi"
)

// What the schema refuses is said to people, and its field to programs.
func TestRefusedBodiesSayWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		body, location, sentence string
		status                   int
	}{
		{`{}`, "body.name", "name is required.", 422},
		{`{"name": "x", "people": [{"name": "a", "orcid": ""}, {"name": "b"}]}`, "body.people[1].orcid", "people[1].orcid is required.", 422},
		{`{"name": {}}`, "body.name", "name must be text.", 422},
		{`{"name": "x", "count": "three"}`, "body.count", "count must be a whole number.", 422},
		{`{"name": "x", "count": 1.5}`, "body.count", "count must be a whole number.", 422},
		{`{"name": "x", "fine": "yes"}`, "body.fine", "fine must be true or false.", 422},
		{`{"name": "x", "list": "a, b"}`, "body.list", "list must be a list, such as [].", 422},
		{`{"name": "x", "people": ["Ada"]}`, "body.people[0]", "people[0] must be an object, such as {}.", 422},
		{`["x"]`, "body", "The body must be an object, such as {}.", 422},
		{`{"name": "eleven long"}`, "body.name", "name is too long: it may have 10 characters.", 422},
		{`{"name": ""}`, "body.name", "name must have 1 or more characters.", 422},
		{`{"name": "x", "list": ["a", "b", "c", "d"]}`, "body.list", "list is too long: it may have 3 items.", 422},
		{`{"name": "x", "code": "abc"}`, "body.code", "code must match the pattern ^[A-Z]+$.", 422},
		{`{"name": "x", "color": "blue"}`, "body.color", "color must be one of these: red, green.", 422},
		{`{"name": "x", "id": "7"}`, "body.id", "id must be an id such as 01900000-0000-7000-8000-000000000001.", 422},
		{`{"name": "x", "Count": 3}`, "body.Count", "Count isn't a field of this call. Check its spelling, or leave it out.", 422},
		{`{"name": "x", "people": [{"name": "a", "orcid": "", "ror": 1}]}`, "body.people[0].ror", "people[0].ror isn't a field of this call. Check its spelling, or leave it out.", 422},
		{`{"name": "x", "count": 1e30}`, "body", "A number in the body is too large.", 422},
		{"{\"name\": \"x\",\n \"count\" 3}", "body", "The body isn't valid JSON: see line 2, character 10. Check its quotes, commas and brackets.", 400},
		{`{'name': 'x'}`, "body", "The body isn't valid JSON: see line 1, character 2. Check its quotes, commas and brackets.", 400},
		{`name=x`, "body", "The body isn't valid JSON: see line 1, character 2. Check its quotes, commas and brackets.", 400},
		{`{"name": "x"`, "body", "The body isn't valid JSON: it ends too early. Check its quotes and brackets.", 400},
		{`{"name": "x"} {}`, "body", "The body has something after its JSON. Send one JSON value alone.", 400},
	} {
		got := problem(t, call(t, http.MethodPost, httpapi.Base+"/things", c.body, "Authorization", goodToken, "Content-Type", "application/json"), c.status)
		if len(got.Errors) != 1 || got.Errors[0].Location != c.location || got.Errors[0].Message != c.sentence || got.Message != c.sentence {
			t.Errorf("%s: %q, %+v; want %q at %s", c.body, got.Message, got.Errors, c.sentence, c.location)
		}
	}
}

func TestTwoRefusedValuesAreTwoSentences(t *testing.T) {
	got := problem(t, call(t, http.MethodPost, httpapi.Base+"/things", `{"count": "many"}`, "Authorization", goodToken), http.StatusUnprocessableEntity)
	if len(got.Errors) != 2 || got.Message != got.Errors[0].Message+" "+got.Errors[1].Message {
		t.Errorf("got %+v", got)
	}
}

func TestRefusedParametersSayWhatTheyMustBe(t *testing.T) {
	for _, c := range []struct{ method, path, location, sentence string }{
		{http.MethodGet, "/public?count=many", "query.count", `The parameter count must be a whole number from 0 to 100, not "many".`},
		{http.MethodGet, "/public?count=1.5", "query.count", `The parameter count must be a whole number from 0 to 100, not "1.5".`},
		{http.MethodGet, "/public?count=101", "query.count", "The parameter count must be 100 or less."},
		{http.MethodGet, "/public?count=-1", "query.count", "The parameter count must be 0 or more."},
		{http.MethodGet, "/public?kind=c", "query.kind", "The parameter kind must be one of these: a, b."},
		{http.MethodPatch, "/things/1", "query.kind", "The parameter kind is required."},
	} {
		got := problem(t, call(t, c.method, httpapi.Base+c.path, ""), http.StatusUnprocessableEntity)
		if len(got.Errors) != 1 || got.Errors[0].Location != c.location || got.Message != c.sentence {
			t.Errorf("%s: %q, %+v; want %q at %s", c.path, got.Message, got.Errors, c.sentence, c.location)
		}
	}
}

func TestRefusedRequestsSayWhatToSend(t *testing.T) {
	for _, c := range []struct {
		body, kind, wanted string
		status             int
	}{
		{"", "application/json", "as JSON", 400},
		{"name,count", "text/csv", "application/json", 415},
		{`{"name": "` + strings.Repeat("x", 2000) + `"}`, "application/json", "1000 bytes", 413},
	} {
		got := problem(t, call(t, http.MethodPost, httpapi.Base+"/things", c.body, "Authorization", goodToken, "Content-Type", c.kind), c.status)
		if !strings.Contains(got.Message, c.wanted) {
			t.Errorf("%s: %q lacks %q", c.kind, got.Message, c.wanted)
		}
	}
}
