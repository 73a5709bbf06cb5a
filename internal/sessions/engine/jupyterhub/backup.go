package jupyterhub

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
)

// Histories reads the versions of a hub's sessions for a backup, by its agent.
type Histories struct{ hub *client }

// RecordName is the name of a session's record in its folder on the hub.
const RecordName = "agent.json"

// OpenHistories returns those of the hub at an address, with the token of our service.
func OpenHistories(address, token string) (Histories, error) {
	options, parsed, err := Options{URL: address, Token: token}.complete()
	if err != nil {
		return Histories{}, err
	}
	return Histories{&client{address: parsed, token: options.Token, transport: newTransport(), callTime: options.CallTime}}, nil
}

// List returns where the versions are on the hub's machine, how many bytes they take, and the names of their owners' folders.
// Unavailable if the hub doesn't answer, or has no agent of this release.
func (h Histories) List(ctx context.Context) (folder string, bytes int64, owners []string, err error) {
	kind, _, err := h.hub.aboutAgent(ctx)
	if err == nil && kind != agentPresent {
		err = fault.New(fault.Unavailable, "The hub has no agent of this release, so it keeps no versions.")
	}
	if err != nil {
		return "", 0, nil, err
	}
	var found agentapi.Histories
	err = h.hub.callAgent(ctx, http.MethodGet, "backup", nil, &found)
	return found.Folder, found.Bytes, found.Owners, err
}

// ErrRewritten says that versions were rewritten while they were copied: copy them again.
var ErrRewritten = errors.New("the versions were rewritten while they were copied")

// Copy passes each file of an owner's versions on; ErrRewritten.
func (h Histories) Copy(ctx context.Context, owner string, pass func(name string, content io.Reader) error) error {
	response, err := h.hub.openAgent(ctx, http.MethodGet, "backup/histories/"+url.PathEscape(owner), nil, nil)
	if fault.KindOf(err) == fault.Conflict {
		return fmt.Errorf("%w: %w", ErrRewritten, err)
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	archive := tar.NewReader(response.Body)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = pass(header.Name, archive)
		}
		if errors.Is(err, io.ErrUnexpectedEOF) { // the agent cut it
			err = fmt.Errorf("%w: %w", ErrRewritten, err)
		}
		if err != nil {
			return err
		}
	}
}

// Record returns the record of a session as another hub may have it; NotFound if it has no versions.
func (h Histories) Record(ctx context.Context, id string) ([]byte, error) {
	response, err := h.hub.openAgent(ctx, http.MethodGet, "backup/records/"+url.PathEscape(id), nil, nil)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(io.LimitReader(response.Body, answerLimit))
}
