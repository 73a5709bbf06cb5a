package sessions_test

import (
	"context"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
)

const privateAddress = "https://gitlab.com/lab/whales"

// privateEntries has one entry of a private repository, which it shows to everybody.
type privateEntries struct{}

func (privateEntries) Get(_ context.Context, id string) (catalog.Resource, error) {
	return catalog.Entry{
		ID: id, Name: "Whale songs", Type: catalog.Repository, RepositoryURL: privateAddress, State: catalog.StateActive, Privacy: catalog.PrivacyPrivate, Audience: catalog.AudienceHost,
	}.Resource(), nil
}

// nothingHere is a machine without repositories and datasets.
type nothingHere struct{}

func (nothingHere) RepositoryPath(string) string { return "" }

func (nothingHere) DatasetPath(string) (string, error) {
	return "", fault.New(fault.NotFound, "there is none")
}

func (nothingHere) PackedDataset(context.Context, string, string) (string, engine.RemoteFile, bool) {
	return "", engine.RemoteFile{}, false
}

// noNotebooks are none outside repositories.
type noNotebooks struct{}

func (noNotebooks) Source(context.Context, string) ([]byte, error) { return nil, nil }

func (noNotebooks) Latest(context.Context, string) ([]byte, error) { return nil, nil }

// cloned notes who had what cloned.
type cloned struct{ account, repository, address, folder string }

func (c *cloned) CloneAs(_ context.Context, accountID string, repository codehost.Repository, address, folder string, _ int64) (string, error) {
	*c = cloned{accountID, repository.Key(), address, folder}
	return folder + "/bare", nil
}

// A session of a private repository gets a clone that is made as its owner, and its engine nothing to read the host with.
func TestSessionsOfPrivateRepositoriesGetAClone(t *testing.T) {
	t.Parallel()
	made := &cloned{}
	resolver := &sessions.Resolver{Entries: privateEntries{}, Notebooks: noNotebooks{}, Sources: nothingHere{}, Private: made}
	found, err := resolver.PublicContents(t.Context(), "one")
	if err != nil || !found.Session.Project.Repository.Private {
		t.Fatalf("the session holds %+v, %v", found.Session.Project, err)
	}
	session := found.Session
	session.AccountID = "ada"
	spec, err := resolver.Spec(t.Context(), session, nil)
	if err != nil || !spec.Repository.Private || spec.Clone == nil || spec.Trusted {
		t.Fatalf("the engine is asked for %+v, %v", spec, err)
	}
	path, err := spec.Clone(t.Context(), "/folder")
	if want := (cloned{"ada", "gitlab.com/lab/whales", privateAddress, "/folder"}); path != "/folder/bare" || *made != want || err != nil {
		t.Errorf("%q was cloned as %+v, %v", path, made, err)
	}
	resolver.Private = nil
	spec, err = resolver.Spec(t.Context(), session, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := spec.Clone(t.Context(), "/folder"); fault.CodeOf(err) != fault.NotConnected {
		t.Errorf("where nobody reads private repositories: %v", err)
	}
	if reason := sessions.Unavailable(session, map[string]bool{}); reason == "" || strings.Contains(reason, "Whale") {
		t.Errorf("the reason, which operators read, is %q", reason)
	}
}
