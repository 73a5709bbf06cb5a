package jupyterhub

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"cairn/internal/fault"
)

// neededScopes are the rights that the hub's role must give our service.
var neededScopes = []string{"admin:users", "admin:servers", "tokens", "access:servers", "read:hub"}

// missingScopes asks the hub who we are and gives the rights that we lack.
func (e *Engine) missingScopes(ctx context.Context) ([]string, error) {
	var model struct{ Scopes []string }
	if _, err := e.hub.call(ctx, http.MethodGet, "/hub/api/user", nil, &model); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(neededScopes), func(scope string) bool { return slices.Contains(model.Scopes, scope) }), nil
}

// checkRights is Unavailable when rights are missing, and names them.
func (e *Engine) checkRights(ctx context.Context) error {
	missing, err := e.missingScopes(ctx)
	if err == nil && len(missing) > 0 {
		err = fault.New(fault.Unavailable, "Sessions cannot start: on the hub, the role of this server's service lacks %s.", strings.Join(missing, ", "))
	}
	return err
}
