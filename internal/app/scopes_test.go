package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"cairn/internal/people/identity"
)

// TestEveryOperationDecidesAboutTokens fails for an operation that isn't in tokenScopes, and for a row without operation.
func TestEveryOperationDecidesAboutTokens(t *testing.T) {
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(Document(), &document); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for path, methods := range document.Paths {
		for method, operation := range methods {
			known[operation.OperationID] = true
			scope, decided := tokenScopes[operation.OperationID]
			if !decided {
				t.Errorf("%s %s: say in tokenScopes which scope lets a token call %s, or noToken", method, path, operation.OperationID)
			}
			if scope == read && method != "get" {
				t.Errorf("%s %s may change something, so the scope read isn't enough", method, path)
			}
			if scope != noToken && (strings.Contains(path, "/operator/") || strings.Contains(path, "/account")) {
				t.Errorf("%s %s is open to tokens", method, path)
			}
		}
	}
	for id, scope := range tokenScopes {
		if !known[id] {
			t.Errorf("there is no operation %s", id)
		}
		if scope != noToken && !slices.Contains(identity.Scopes, identity.Scope(scope)) {
			t.Errorf("%s: there is no scope %s", id, scope)
		}
	}
}

// TestMatrixOfTokens sends each request of the matrix of rights with tokens of every set of one scope, of the author and of
// the operator: without the scope it is 403 with token_scope, and with it the answer is that of an account that isn't an operator.
func TestMatrixOfTokens(t *testing.T) {
	const author, operator = 3, 6
	for _, row := range matrix {
		t.Run(row.method+" "+row.path+" "+row.body, func(t *testing.T) {
			t.Parallel()
			world := newMatrixWorld(t)
			needed := tokenScopes[row.operation]
			tokens := []string{}
			for _, role := range []string{roles[author], roles[operator]} {
				for _, scope := range identity.Scopes {
					name := fmt.Sprintf("%s's token for %s", role, scope)
					world.tokens[name] = world.newToken(role, scope)
					tokens = append(tokens, name)
				}
			}
			for i, name := range tokens {
				status, body := world.request(name, row)
				want, code := http.StatusForbidden, `"code":"token_scope"`
				switch scope := string(identity.Scopes[i%len(identity.Scopes)]); {
				case slices.Contains([]string{"get-config", "export-resource", "score-resource"}, row.operation): // a token is ignored there
					want, code = row.want[0], ""
				case scope == needed && i < len(identity.Scopes):
					want, code = row.want[author], ""
				case scope == needed: // an operator's token has the rights of an ordinary account, which isn't an author
					if strings.Contains(body, `"token_scope"`) || (row.want[2] == http.StatusForbidden && status < 400) {
						t.Errorf("%s: %d, want about %d: %s", name, status, row.want[2], body)
					}
					continue
				}
				if status != want || !strings.Contains(body, code) && row.method != http.MethodHead {
					t.Errorf("%s: %d, want %d %s: %s", name, status, want, code, body)
				}
				if strings.Contains(body, "ticket=") {
					t.Errorf("%s: the answer leads into a session: %s", name, body)
				}
			}
		})
	}
}

// newToken creates a personal access token as a role.
func (w *matrixWorld) newToken(role string, scopes ...identity.Scope) string {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"name": "Matrix", "scopes": scopes})
	if err != nil {
		w.t.Fatal(err)
	}
	_, answer := w.request(role, matrixRow{method: http.MethodPost, path: "/account/tokens", body: string(body)})
	var created identity.CreatedToken
	if err := json.Unmarshal([]byte(answer), &created); err != nil || !strings.HasPrefix(created.Token, "cairn_pat_") {
		w.t.Fatalf("no token was created: %v %s", err, answer)
	}
	return created.Token
}
