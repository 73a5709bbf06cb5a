package jupyterhub

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"cairn/internal/foundation/fault"
)

// neededScopes are the scopes that our service needs on the hub.
var neededScopes = []string{"admin:users", "admin:servers", "tokens", "access:servers", "read:hub"}

// leastVersion is the first version of the hub with tokens for a single server.
const leastVersion = 3

// missingScopes asks the hub who we are and returns the scopes that we lack.
func (c *client) missingScopes(ctx context.Context) ([]string, error) {
	var model struct{ Scopes []string }
	if _, err := c.call(ctx, http.MethodGet, "/hub/api/user", nil, &model); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(neededScopes), func(scope string) bool { return slices.Contains(model.Scopes, scope) }), nil
}

// checkRights returns Unavailable with the missing scopes, if any.
func (c *client) checkRights(ctx context.Context) error {
	missing, err := c.missingScopes(ctx)
	if err == nil && len(missing) > 0 {
		err = fault.New(fault.EngineUnavailable, "Sessions can't start: on the hub, the role of this server's service lacks %s.", strings.Join(missing, ", "))
	}
	return err
}

// Diagnose checks what an operator has to fix before sessions can run on the hub, and reports what is right. An error
// says what to do first.
func (e *Engine) Diagnose(ctx context.Context, tell func(text string)) error {
	var about struct{ Version string }
	if _, err := e.hub.call(ctx, http.MethodGet, "/hub/api/", nil, &about); err != nil {
		return fault.Wrap(err, fault.Unavailable, "No JupyterHub answers at %s (%v). Set url to the address of its proxy, as browsers would open it.",
			e.hub.address, errors.Unwrap(err))
	}
	major, _, _ := strings.Cut(about.Version, ".")
	if number, err := strconv.Atoi(major); err != nil || number < leastVersion {
		return fault.New(fault.Unavailable, "The hub is JupyterHub %s. Version %d or newer is needed: older ones can't create tokens for a single server.",
			about.Version, leastVersion)
	}
	tell("The hub is JupyterHub " + about.Version + ".")
	missing, err := e.hub.missingScopes(ctx)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The hub rejected the token (%v). Set the same api_token for its service in c.JupyterHub.services.", errors.Unwrap(err))
	}
	if len(missing) > 0 {
		return fault.New(fault.Unavailable, "The service lacks these scopes: %s. Add them to its role in c.JupyterHub.load_roles and restart the hub.",
			strings.Join(missing, ", "))
	}
	tell("The token is good and its service has all scopes: " + strings.Join(neededScopes, ", ") + ".")
	if err := e.hub.checkWorkService(ctx); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The service cairn-work doesn't respond to this token (%s). "+
			"Without it, no one can download the work of a session. See deploy/jupyterhub.", fault.MessageOf(err))
	}
	tell("The service cairn-work answers.")
	return nil
}

// ForgetOwner removes a user that was created for a trial; its servers must be gone.
func (e *Engine) ForgetOwner(ctx context.Context, owner string) error {
	e.users.forget(owner)
	_, err := e.hub.call(ctx, http.MethodDelete, userPath(owner), nil, nil)
	if statusOf(err) == http.StatusNotFound {
		return nil
	}
	return err
}
