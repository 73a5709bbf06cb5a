package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// textSchema is what the sweep reads of a schema in the API document.
type textSchema struct {
	Ref                  string `json:"$ref"`
	Type                 any    `json:"type"`
	Enum                 []any
	Items                *textSchema
	Properties           map[string]*textSchema
	AdditionalProperties any
}

// textOperation is what it reads of an operation.
type textOperation struct {
	OperationID string
	Parameters  []struct {
		Name, In string
		Schema   textSchema
	}
	RequestBody struct {
		Content map[string]struct{ Schema *textSchema }
	}
}

func (s textSchema) is(kind string) bool {
	kinds, several := s.Type.([]any)
	return s.Type == kind || several && slices.Contains(kinds, any(kind))
}

// bodiesWith returns a body for each text in a schema: with this text there, and nothing else.
func bodiesWith(schema *textSchema, schemas map[string]*textSchema, text string, depth int) (bodies []any) {
	if schema != nil && schema.Ref != "" {
		schema = schemas[strings.TrimPrefix(schema.Ref, "#/components/schemas/")]
	}
	switch {
	case schema == nil || depth > 6:
	case schema.is("string"), schema.Type == nil && len(schema.Properties) == 0:
		return []any{text}
	case schema.is("array"):
		for _, item := range bodiesWith(schema.Items, schemas, text, depth+1) {
			bodies = append(bodies, []any{item})
		}
	case schema.is("object"):
		for name, member := range schema.Properties {
			if name == "$schema" {
				continue
			}
			for _, value := range bodiesWith(member, schemas, text, depth+1) {
				bodies = append(bodies, map[string]any{name: value})
			}
		}
	}
	return bodies
}

var pathParameter = regexp.MustCompile(`\{[^}]+\}`)

// What isn't text is refused in every parameter of every operation, with a code: PostgreSQL stores no NUL, and SQLite compares
// texts only up to it.
func TestEveryTextIsCheckedAtTheEdge(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newMatrixWorldOn(t, db)
		var document struct {
			Paths      map[string]map[string]textOperation
			Components struct{ Schemas map[string]*textSchema }
		}
		if err := json.Unmarshal(Document(), &document); err != nil {
			t.Fatal(err)
		}
		known := strings.NewReplacer("{id}", "{public}", "{run}", "{run}", "{version}", "{version}", "{email}", "operator@example.org", "{ids}", "{session}", "{format}", "jsonld")
		sent := 0
		for path, methods := range document.Paths {
			for method, operation := range methods {
				place := strings.TrimPrefix(path, "/api/v1/rf")
				existing := w.ids.Replace(pathParameter.ReplaceAllString(known.Replace(place), "x"))
				refused := func(what, path, body string, header ...string) {
					t.Helper()
					sent++
					status, code := w.send(strings.ToUpper(method), path, body, header...)
					if status < 400 || status > 499 || code == "" && method != "head" {
						t.Errorf("%s: %s: %d %q", operation.OperationID, what, status, code)
					}
				}
				for _, text := range []string{"\x00", "a\x00b", "\xff", "caf\xe9"} {
					for _, parameter := range operation.Parameters {
						switch {
						case parameter.In == "path":
							at := strings.Replace(place, "{"+parameter.Name+"}", url.PathEscape(text), 1)
							refused(fmt.Sprintf("%q as {%s}", text, parameter.Name), w.ids.Replace(pathParameter.ReplaceAllString(known.Replace(at), "x")), "{}")
						case parameter.In == "query":
							refused(fmt.Sprintf("%q as %s", text, parameter.Name), existing+"?"+url.Values{parameter.Name: {text}}.Encode(), "{}")
						case parameter.In == "header" && !strings.Contains(text, "\x00"): // which HTTP refuses
							refused(fmt.Sprintf("%q as %s", text, parameter.Name), existing, "{}", parameter.Name, text)
						}
					}
					for _, body := range bodiesWith(operation.RequestBody.Content["application/json"].Schema, document.Components.Schemas, "TEXT", 0) {
						encoded, err := json.Marshal(body)
						if err != nil {
							t.Fatal(err)
						}
						written := strings.ReplaceAll(text, "\x00", `\u0000`)
						refused(fmt.Sprintf("%q in %s", text, encoded), existing, strings.ReplaceAll(string(encoded), "TEXT", written))
					}
				}
			}
		}
		if sent < 1000 {
			t.Errorf("only %d texts were sent", sent)
		}
	})
}

// send sends a request as an operator, and returns the status and the code of the answer.
func (w *matrixWorld) send(method, path, body string, header ...string) (status int, code string) {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.server.URL+"/api/v1/rf"+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+w.tokens["operator"])
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := w.server.Client().Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	var problem struct{ Code string }
	_ = json.Unmarshal(text, &problem) // a picture has none
	return response.StatusCode, problem.Code
}
