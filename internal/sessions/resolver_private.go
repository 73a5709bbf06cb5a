package sessions

import (
	"context"
	"os"
	"path/filepath"

	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// Private reads repositories that not everybody can read, as an account that can.
type Private interface {
	// CloneAs clones a repository into an empty folder and returns the path of the bare clone; see codehost.Hosts.
	CloneAs(ctx context.Context, accountID string, repository codehost.Repository, address, folder string, most int64) (path string, err error)
}

// reading returns the context in which a session's repository is read: as its owner, if not everybody can.
func (s Session) reading(ctx context.Context) context.Context {
	if s.Project.Repository.Private {
		return codehost.ReadAs(ctx, s.AccountID)
	}
	return codehost.AskedBy(ctx, s.AccountID)
}

// cloneMost is how much is received of a private repository, in bytes.
const cloneMost = 20 << 30

// copier returns what copies a repository that this server keeps.
func copier(repository engine.Repository) engine.Cloner {
	return func(_ context.Context, folder string) (string, error) {
		if repository.LocalPath == "" {
			return "", fault.New(fault.Unavailable, "The repository isn't on this server any more.")
		}
		path := filepath.Join(folder, "kept.git")
		if err := os.CopyFS(path, os.DirFS(repository.LocalPath)); err != nil {
			return "", fault.Wrap(err, fault.Unavailable, "This server couldn't copy the repository. Tell the operators.")
		}
		return path, nil
	}
}

// cloner returns what clones a session's private repository, with what its owner can read at that time.
func (r *Resolver) cloner(session Session) engine.Cloner {
	return func(ctx context.Context, folder string) (string, error) {
		address := session.Project.Repository.Address
		repository, err := codehost.Parse(address)
		if err == nil && r.Private == nil {
			err = fault.New(fault.NotConnected, "This server reads no private repositories.")
		}
		if err != nil {
			return "", err
		}
		return r.Private.CloneAs(ctx, session.AccountID, repository, address, folder, cloneMost)
	}
}
