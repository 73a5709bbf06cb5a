package sessions

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

// repeatWindow is the time in which Start returns the same session for the same project and name.
const repeatWindow = 5 * time.Second

// Start creates a session from a project and requests its launch, without waiting for it. The same idempotency key, or
// the same project and name within five seconds, returns the same session. Invalid without a name, Forbidden for
// accounts that aren't enabled, Conflict over the limit or if a part of the project is gone.
func (s *Service) Start(ctx context.Context, projectID, name, engineName, profile, idempotencyKey string) (Session, error) {
	return s.startProject(ctx, projectID, name, idempotencyKey, profile, placement{engine: engineName})
}

func (s *Service) startProject(ctx context.Context, projectID, name, idempotencyKey, profile string, where placement) (Session, error) {
	caller, err := s.enabledCaller(ctx)
	if err != nil {
		return Session{}, err
	}
	if strings.TrimSpace(name) == "" {
		return Session{}, fault.InvalidField("query.sessionName", "Session name is required")
	}
	made := Session{UserID: caller.Email, AccountID: caller.AccountID}
	if made.SessionName, err = checkStart(name, "query.sessionName", idempotencyKey); err != nil {
		return Session{}, err
	}
	if err := s.Resolver.addProject(ctx, &made, projectID); err != nil {
		return Session{}, err
	}
	made.Source.Profile = profile
	where.prefix, where.key, where.window = "query.", idempotencyKey, repeatWindow
	return s.create(ctx, caller, made, where)
}

// StartFrom creates a session from an entry or a project and requests its launch, without waiting for it. NotFound if the
// caller doesn't see what to start, Invalid if it can't run, Forbidden for accounts that aren't enabled, Conflict over
// the limit or if a part of the project is gone.
func (s *Service) StartFrom(ctx context.Context, asked StartRequest) (Session, error) {
	caller, err := s.enabledCaller(ctx)
	if err != nil {
		return Session{}, err
	}
	made := Session{UserID: caller.Email, AccountID: caller.AccountID}
	if made.SessionName, err = checkStart(asked.Name, "body.name", asked.Key); err != nil {
		return Session{}, err
	}
	if made.Source.File, err = checkFile(asked.File); err != nil {
		return Session{}, err
	}
	if asked.FromVersion != nil {
		return s.startFromVersion(ctx, caller, made, asked)
	}
	language := ""
	switch {
	case (asked.ResourceID == "") == (asked.ProjectID == ""):
		err = fault.InvalidField("body.resourceId", "Name what to start: either an entry (resourceId), a project (projectId) or a version of a session's work (fromVersion).")
	case asked.ProjectID != "":
		err = s.Resolver.addProject(ctx, &made, asked.ProjectID)
	default:
		language, err = s.Resolver.addEntry(ctx, &made, asked)
	}
	if err == nil && made.Source.File != "" && made.Project.Repository.Address == "" {
		err = fault.InvalidField("body.file", "Only sessions of repositories have files to choose from.")
	}
	if err == nil {
		err = s.Resolver.addRef(ctx, &made, asked.Ref)
	}
	if err == nil && made.SessionName == "" {
		made.SessionName, err = s.freeName(ctx, caller, made.Project.Name)
	}
	if err != nil {
		return Session{}, err
	}
	made.Source.Profile = asked.Profile
	return s.create(ctx, caller, made, placement{engine: asked.Engine, language: language, in: asked.Interface, prefix: "body.", key: asked.Key})
}

// startFromVersion creates a session whose work begins with a version of another of the caller's sessions, which may be a
// recently deleted one. It holds what that one holds, on the same engine or on another one that keeps versions.
func (s *Service) startFromVersion(ctx context.Context, caller identity.Caller, made Session, asked StartRequest) (Session, error) {
	if asked.ResourceID != "" || asked.ProjectID != "" || asked.File != "" || asked.Ref != "" {
		return Session{}, fault.InvalidField("body.fromVersion", "A session that begins with a version holds what that version's session holds: leave out resourceId, projectId, file and ref.")
	}
	source, err := s.OwnOrDeleted(ctx, asked.FromVersion.Session)
	if err != nil {
		return Session{}, err
	}
	versioner, err := s.Engines.VersionerOf(source.Engine)
	if err != nil {
		return Session{}, err
	}
	elsewhere := asked.Engine != "" && asked.Engine != source.Engine
	if elsewhere {
		if _, err := s.Engines.Named(asked.Engine, "body.engine"); err != nil {
			return Session{}, err
		}
		if _, err := s.Engines.VersionerOf(asked.Engine); err != nil {
			return Session{}, fault.InvalidField("body.engine", "The engine %s keeps no versions, so no session there can begin with one. Leave out engine.", fault.Quote(asked.Engine))
		}
	}
	if _, err := versioner.Version(ctx, source.ID, asked.FromVersion.Version); err != nil {
		return Session{}, err
	}
	made.Project, made.Source, made.Resource = source.Project, source.Source, source.Resource
	made.Source.Profile = asked.Profile
	made.Source.Version = &engine.FromVersion{Session: source.ID, Version: asked.FromVersion.Version}
	if elsewhere {
		made.Source.Version.Engine = source.Engine
	}
	if made.SessionName == "" {
		if made.SessionName, err = s.freeName(ctx, caller, source.SessionName); err != nil {
			return Session{}, err
		}
	}
	return s.create(ctx, caller, made, placement{engine: cmp.Or(asked.Engine, source.Engine), in: asked.Interface, prefix: "body.", key: asked.Key})
}

// checkStart returns the trimmed name, which may be empty.
func checkStart(name, location, key string) (string, error) {
	name = strings.TrimSpace(name)
	if message := catalog.CheckName(name); name != "" && message != "" {
		return "", fault.InvalidField(location, "The session name %s.", message)
	}
	if !catalog.ValidText(key, false) {
		return "", fault.InvalidField("header.Idempotency-Key", "The Idempotency-Key must be text without control characters.")
	}
	return name, nil
}

// fileLimit is the maximum length of the path of a file, in bytes.
const fileLimit = 1000

// checkFile returns the path of a file in its shortest form.
func checkFile(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	short := path.Clean(file)
	if len(file) > fileLimit || !catalog.ValidText(file, false) || !fs.ValidPath(short) || short == "." {
		return "", fault.InvalidField("body.file", "%s isn't the path of a file in the repository, such as notebooks/start.ipynb.", fault.Quote(file))
	}
	return short, nil
}

// freeName returns a name that none of the caller's sessions has.
func (s *Service) freeName(ctx context.Context, caller identity.Caller, name string) (string, error) {
	sessions, err := s.store.Of(ctx, caller.AccountID)
	if err != nil {
		return "", err
	}
	taken := make(map[string]bool, len(sessions))
	for _, session := range sessions {
		taken[session.SessionName] = true
	}
	free := name
	for number := 2; taken[free]; number++ {
		suffix := fmt.Sprintf(" (%d)", number)
		runes := []rune(name)
		free = strings.TrimSpace(string(runes[:min(len(runes), catalog.NameLimit-len(suffix))])) + suffix
	}
	return free, nil
}

// placement is where and how a new session is stored.
type placement struct {
	engine   string        // "": the first that has a size with what the entry needs
	language string        // of the notebook that opens; "": unknown
	in       Interface     // in which it is opened; "": the default
	prefix   string        // before the names of fields in faults: "query." or "body."
	key      string        // the same one returns the same session; "": none
	window   time.Duration // in which the same project and name return the same session
}

// create chooses the engine and the size, stores the session and announces it. The session runs at once if a warm one can be
// claimed.
func (s *Service) create(ctx context.Context, caller identity.Caller, made Session, at placement) (Session, error) {
	chosen, size, err := s.Engines.Choose(ctx, caller, sizes.Choice{
		Engine: at.engine, Profile: made.Source.Profile, Needs: made.Source.Needs, Language: at.language, Interface: at.in, Prefix: at.prefix,
	})
	if err != nil {
		return Session{}, err
	}
	made.Source.Profile = size.Name
	if err := chosen.Check(ctx); err != nil {
		return Session{}, err
	}
	made.ID, made.Engine = newID(), chosen.Name
	var ready []string
	if s.Warm != nil {
		ready = s.Warm.Ready(ctx, chosen, made)
	}
	id, err := s.store.Create(ctx, made, at.key, at.window, s.Limit, ready...)
	if err != nil {
		return Session{}, err
	}
	claimed := slices.Contains(ready, id)
	if claimed {
		s.Warm.Claimed()
	}
	s.changes.Announce()
	session, err := s.Own(ctx, id)
	session.StartedNow = claimed || id == made.ID
	return session, err
}
