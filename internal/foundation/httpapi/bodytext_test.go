package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"cairn/internal/foundation/httpapi"
)

// Existing clients post numbers where the schema says string.
func TestScalarsAreText(t *testing.T) {
	for body, want := range map[string]string{
		`{"name": 2025}`:                          `{"name":"2025"}`,
		`{"name": 3.10, "count": 3}`:              `{"name":"3.10","count":3}`,
		`{"name": true}`:                          `{"name":"true"}`,
		`{"name": 1e400}`:                         `{"name":"1e400"}`,
		`{"name": "a<b", "list": [2025, "v", 1]}`: `{"name":"a<b","list":["2025","v","1"]}`,
	} {
		answer := call(t, http.MethodPost, httpapi.Base+"/things", body, "Authorization", goodToken, "Content-Type", "application/json")
		if got := strings.TrimSpace(answer.Body.String()); answer.Code != http.StatusCreated || got != want {
			t.Errorf("%s: %d %s", body, answer.Code, got)
		}
	}
	for body, status := range map[string]int{
		`{"name": {"first": 1}}`: http.StatusUnprocessableEntity, `{"name": null}`: http.StatusUnprocessableEntity,
		`{"name": ""}`: http.StatusUnprocessableEntity, `{"name": 12345678901}`: http.StatusUnprocessableEntity,
		`{"name": 1, "count": "3"}`: http.StatusUnprocessableEntity, `{"name": 1, "other": 2}`: http.StatusUnprocessableEntity,
		`{"name": 1}}`: http.StatusBadRequest, `{"name": 01}`: http.StatusBadRequest, `5`: http.StatusUnprocessableEntity,
		`{"name": 1, "list": [` + strings.Repeat("1,", 500) + `1]}`: http.StatusRequestEntityTooLarge,
	} {
		answer := call(t, http.MethodPost, httpapi.Base+"/things", body, "Authorization", goodToken, "Content-Type", "application/json")
		problem(t, answer, status)
	}
}
