package contribute_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// Whatever is typed into a field is stored unchanged, or the answer names the invalid field; it is never a 5xx.
func TestHostileTextInEntriesOnBothDatabases(t *testing.T) {
	t.Parallel()
	hostile := []string{ // as JSON, to send what Go wouldn't write
		`"\u0000"`, `"a\u0000b"`, `"\ud800"`, `"\u202egnp.exe"`, `"' OR 1=1; DROP TABLE resource; --"`, `"<img src=x onerror=alert(1)>"`,
		`"$1 %s {{x}} \\"`, `"\uffff"`, `"line\nline"`, `"` + strings.Repeat("名", 30_000) + `"`, `"../../etc/passwd"`, `"https://[::1"`,
		`"https://example.org/\u0000"`, `"-upload-pack=x"`, `"javascript:alert(1)"`, `" \t "`, `"🧪"`, `null`, `[]`, `7`, `{"a":1}`,
	}
	fields := []string{"name", "description", "headerImage", "tags", "authors", "privacy", "datasetUrl"}
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		handler := w.Handler()
		for _, field := range fields {
			for _, text := range hostile {
				value := text
				if (field == "tags" || field == "authors") && strings.HasPrefix(text, `"`) {
					value = "[" + text + "]"
				}
				body := map[string]json.RawMessage{
					"type": json.RawMessage(`"DATASET"`), "name": json.RawMessage(`"x"`), "datasetUrl": json.RawMessage(`"https://example.org/d"`),
				}
				body[field] = json.RawMessage(value)
				sent, err := json.Marshal(body)
				if err != nil {
					t.Fatal(err)
				}
				request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, httpapi.Base+"/resources", strings.NewReader(string(sent)))
				request.Header.Set("Authorization", "Bearer "+catalogtest.Ada)
				request.Header.Set("Content-Type", "application/json")
				answer := httptest.NewRecorder()
				handler.ServeHTTP(answer, request)
				switch answer.Code {
				case http.StatusCreated:
					var made catalog.Resource
					if err := json.Unmarshal(answer.Body.Bytes(), &made); err != nil {
						t.Fatal(err)
					}
					if now := w.Entry(catalogtest.Ada, made.ID); now.Name != made.Name || now.Description != made.Description || len(now.Tags) != len(made.Tags) {
						t.Errorf("%s = %.60s is read back as %+v", field, text, now)
					}
				case http.StatusUnprocessableEntity, http.StatusForbidden, http.StatusBadRequest:
					if !strings.Contains(answer.Body.String(), "body") {
						t.Errorf("%s = %.60s: no field is named: %s", field, text, answer.Body)
					}
				default:
					t.Errorf("%s = %.60s: %d %s", field, text, answer.Code, answer.Body)
				}
			}
		}
	})
}
