package publishing

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"cairn/internal/content/kept"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/filetree"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

// Sessions are the sessions of the caller: a sessions.Service.
type Sessions interface {
	// Own returns one of the caller's sessions; NotFound when it doesn't exist or is somebody else's.
	Own(ctx context.Context, id string) (sessions.Session, error)
}

// Works opens versions of the work of sessions.
type Works struct {
	Sessions Sessions
	Engines  sizes.Engines
}

// Open returns a version of the work of one of the caller's sessions; NotFound if there is none, or the session's engine keeps none.
func (w Works) Open(ctx context.Context, session, version string) (kept.Work, error) {
	_, versioner, err := w.of(ctx, session)
	if err != nil {
		return nil, err
	}
	if _, err := versioner.Version(ctx, session, version); err != nil {
		return nil, err
	}
	return &tree{versioner, session, version}, nil
}

// of returns one of the caller's sessions with the engine that keeps its versions.
func (w Works) of(ctx context.Context, id string) (sessions.Session, engine.Versioner, error) {
	session, err := w.Sessions.Own(ctx, id)
	if err != nil {
		return session, nil, err
	}
	versioner, err := w.Engines.VersionerOf(session.Engine)
	return session, versioner, err
}

// filesMost is the maximum number of files, and of folders, that are looked at.
const filesMost = 200_000

// tree is a version of the work of a session.
type tree struct {
	versioner        engine.Versioner
	session, version string
}

// Files implements kept.Work. Folders without a chosen path aren't listed: on a hub, each costs a request.
func (t *tree) Files(ctx context.Context, paths []string) (found []kept.WorkFile, err error) {
	missing := map[string]bool{}
	for _, one := range paths {
		missing[strings.Trim(one, "/")] = true
	}
	chosen := func(name string) bool {
		if paths == nil {
			return true
		}
		for at := name; ; {
			if _, ok := missing[at]; ok {
				missing[at] = false
				return true
			}
			slash := strings.LastIndexByte(at, '/')
			if slash < 0 {
				return false
			}
			at = at[:slash]
		}
	}
	leads := map[string]bool{} // folders on the way to what is chosen
	for one := range missing {
		for at := path.Dir(one); at != "." && !leads[at]; at = path.Dir(at) {
			leads[at] = true
		}
	}
	folders, seen := []string{""}, 0
	for len(folders) > 0 {
		if seen++; seen > filesMost {
			return nil, tooMany()
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		folder := folders[len(folders)-1]
		folders = folders[:len(folders)-1]
		list, err := t.versioner.VersionFiles(ctx, t.session, t.version, folder)
		if err != nil {
			return nil, err
		}
		for _, one := range list {
			name := strings.TrimPrefix(folder+"/"+one.Name, "/")
			switch {
			case one.Folder && strings.Count(name, "/") < filetree.MaxDepth && (chosen(name) || leads[name]):
				folders = append(folders, name)
			case !one.Folder && chosen(name):
				found = append(found, kept.WorkFile{Path: name, Bytes: one.Bytes, Link: one.Link})
			}
		}
		if len(found) > filesMost {
			return nil, tooMany()
		}
	}
	var faults []fault.Field
	for name, isMissing := range missing {
		if isMissing {
			faults = append(faults, fault.Field{Location: "body.paths", Message: fault.Quote(strings.ToValidUTF8(name, "?")) + " isn't in this version of the session's work"})
		}
	}
	if len(faults) > 0 {
		refused := fault.New(fault.NotFound, "Some of these files aren't there any more. Choose again.")
		refused.Fields = faults
		return nil, refused
	}
	slices.SortFunc(found, func(one, other kept.WorkFile) int { return strings.Compare(one.Path, other.Path) })
	return found, nil
}

func tooMany() error {
	return fault.New(fault.Invalid, "These are more than %d files and folders. Choose fewer, or put what belongs together into one file.", filesMost)
}

// Open implements kept.Work.
func (t *tree) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	opened, err := t.versioner.OpenVersion(ctx, t.session, t.version, name)
	if err != nil {
		return nil, err
	}
	return opened, nil
}
