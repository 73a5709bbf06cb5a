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
	caller, made, where, err := s.plan(ctx, asked)
	if err != nil {
		return Session{}, err
	}
	return s.create(ctx, caller, made, where)
}

// CheckStart returns the error that StartFrom would return, except over the limit.
func (s *Service) CheckStart(ctx context.Context, asked StartRequest) error {
	caller, made, where, err := s.plan(ctx, asked)
	if err == nil {
		_, _, err = s.choose(ctx, caller, made, where)
	}
	return err
}

// plan returns the session that is asked for, and where it is stored.
func (s *Service) plan(ctx context.Context, asked StartRequest) (caller identity.Caller, made Session, where placement, err error) {
	if caller, err = s.enabledCaller(ctx); err != nil {
		return caller, made, where, err
	}
	made = Session{UserID: caller.Email, AccountID: caller.AccountID, Job: asked.Job, Workshop: asked.Workshop}
	if made.SessionName, err = checkStart(asked.Name, "body.name", asked.Key); err != nil {
		return caller, made, where, err
	}
	if made.Source.File, err = checkFile(asked.File); err != nil {
		return caller, made, where, err
	}
	where = placement{engine: asked.Engine, in: asked.Interface, prefix: "body.", key: asked.Key, jobs: asked.JobLimit}
	switch {
	case asked.Version != 0 && asked.ResourceID == "":
		err = fault.InvalidField("body.version", "Only entries have versions with a number: name one (resourceId).")
	case asked.FromShare != "":
		where.engine, err = s.addShared(ctx, caller, &made, asked)
	case asked.FromVersion != nil:
		where.engine, err = s.addVersion(ctx, &made, asked)
	case (asked.ResourceID == "") == (asked.ProjectID == ""):
		err = fault.InvalidField("body.resourceId", "Name what to start: either an entry (resourceId), a project (projectId) or a version of a session's work (fromVersion).")
	case asked.ProjectID != "":
		err = s.Resolver.addProject(ctx, &made, asked.ProjectID)
	default:
		where.language, err = s.Resolver.addEntry(ctx, &made, asked)
	}
	if err == nil && made.Source.Version == nil && made.Source.File != "" && made.Project.Repository.Address == "" {
		err = fault.InvalidField("body.file", "Only sessions of repositories have files to choose from.")
	}
	if err == nil {
		err = s.Resolver.addRef(ctx, &made, asked.Ref)
	}
	if err == nil && made.SessionName == "" {
		made.SessionName, err = s.freeName(ctx, caller, made.Project.Name)
	}
	made.Source.Profile, made.Source.NoNetwork = asked.Profile, asked.NoNetwork
	return caller, made, where, err
}

// checkKeeps returns why a session on an engine can't begin with a version; "" is the engine of the version.
func (s *Service) checkKeeps(engineName string) error {
	if engineName == "" {
		return nil
	}
	if _, err := s.Engines.Named(engineName, "body.engine"); err != nil {
		return err
	}
	if _, err := s.Engines.VersionerOf(engineName); err != nil {
		return fault.InvalidField("body.engine", "The engine %s keeps no versions, so no session there can begin with one. Leave out engine.", fault.Quote(engineName))
	}
	return nil
}

// addShared adds what a session holds that is a copy of somebody else's: what that one holds, as far as the caller sees it. Its work is
// added by addPresent. It returns the name of the engine.
func (s *Service) addShared(ctx context.Context, caller identity.Caller, made *Session, asked StartRequest) (engineName string, err error) {
	if asked.ResourceID != "" || asked.ProjectID != "" || asked.FromVersion != nil || asked.File != "" || asked.Ref != "" {
		return "", fault.InvalidField("body.fromShare", "A copy of a session holds what that session holds: leave out resourceId, projectId, fromVersion, file and ref.")
	}
	if s.Shares == nil {
		return "", errNoSession
	}
	source, err := s.Shares.Copyable(ctx, asked.FromShare)
	if err != nil {
		return "", err
	}
	if _, err := s.Engines.VersionerOf(source.Engine); err != nil {
		return "", err
	}
	if err := s.checkKeeps(asked.Engine); err != nil {
		return "", err
	}
	made.Project, made.Source, made.Resource, made.copyOf = source.Project, source.Source, source.Resource, &source
	// It belongs to somebody else, so the engine reads its version as one of another engine, which takes all of it over. Which version
	// that is, is known when nothing else can fail any longer.
	made.Source.Version, made.Source.Host = &engine.FromVersion{Session: source.ID, Engine: source.Engine}, ""
	readable, err := s.Resolver.Readable(ctx, *made)
	if err != nil {
		return "", err
	}
	if Unavailable(*made, readable) != "" {
		return "", fault.New(fault.PartMissing, "You can't start a copy, because you don't see what this session was started from.")
	}
	made.Project.Datasets = slices.DeleteFunc(slices.Clone(source.Project.Datasets), func(dataset Part) bool { return !readable[dataset.ID] })
	if made.SessionName == "" {
		made.SessionName, err = s.freeName(ctx, caller, source.SessionName)
	}
	return cmp.Or(asked.Engine, source.Engine), err
}

// addPresent adds to a copy of somebody else's session the version that it begins with: of the work as it is now. A running session is
// asked for one, unless it was copied a moment ago, or very often.
func (s *Service) addPresent(ctx context.Context, caller identity.Caller, made *Session) error {
	source := made.copyOf
	versioner, err := s.Engines.VersionerOf(source.Engine)
	if err != nil {
		return err
	}
	name := []rune(copiedBy + caller.Email)
	version, _, err := PresentVersion(ctx, versioner, *source, copiedBy, string(name[:min(len(name), catalog.NameLimit)]), s.Now().Add(-copyAge))
	made.Source.Version.Version = version.ID
	return err
}

// PresentVersion returns a version of a session's work as it is now. A running session is asked for one, with a name, unless its last one was
// made after a time, or very many of its versions have names that begin like this: then it returns the last one, which is a minute old at
// most. made reports whether it was asked. Conflict if there is no version yet.
func PresentVersion(ctx context.Context, versioner engine.Versioner, session Session, beginning, name string, after time.Time) (version engine.Version, made bool, err error) {
	found, _, err := versioner.Versions(ctx, session.ID, engine.VersionFilter{Most: presentLookedAt})
	if err != nil {
		return version, false, err
	}
	alike := 0
	for _, one := range found {
		if one.Cause == engine.VersionNamed && strings.HasPrefix(one.Name, beginning) {
			alike++
		}
	}
	isNow := len(found) > 0 && (session.Status != Running || found[0].At.After(after))
	if session.Status == Running && !isNow && alike < presentMost {
		version, err = versioner.SaveVersion(ctx, session.ID, name)
		return version, err == nil, err
	}
	if len(found) == 0 {
		return version, false, fault.New(fault.Conflict, "No version of this session's work has been made yet.")
	}
	return found[0], false, nil
}

// copiedBy begins the names of versions that were made because somebody copied them.
const copiedBy = "Copied by "

const (
	copyAge         = 5 * time.Second // of a version that somebody who copies gets
	presentLookedAt = 200             // the last versions of a session, among which
	presentMost     = 20              // may have names that begin alike
)

// addVersion adds what a session holds whose work begins with a version of another of the caller's sessions, which may be a recently
// deleted one: what that one holds, on the same engine or on another one that keeps versions. It returns the name of the engine.
func (s *Service) addVersion(ctx context.Context, made *Session, asked StartRequest) (engineName string, err error) {
	if asked.ResourceID != "" || asked.ProjectID != "" || asked.File != "" || asked.Ref != "" {
		return "", fault.InvalidField("body.fromVersion", "A session that begins with a version holds what that version's session holds: leave out resourceId, projectId, file and ref.")
	}
	source, err := s.OwnOrDeleted(ctx, asked.FromVersion.Session)
	if err != nil {
		return "", err
	}
	versioner, err := s.Engines.VersionerOf(source.Engine)
	if err != nil {
		return "", err
	}
	if err := s.checkKeeps(asked.Engine); err != nil {
		return "", err
	}
	if _, err := versioner.Version(ctx, source.ID, asked.FromVersion.Version); err != nil {
		return "", err
	}
	made.Project, made.Source, made.Resource = source.Project, source.Source, source.Resource
	made.Source.Version, made.Source.Host = &engine.FromVersion{Session: source.ID, Version: asked.FromVersion.Version}, ""
	if asked.Engine != "" && asked.Engine != source.Engine {
		made.Source.Version.Engine = source.Engine
	}
	if made.SessionName == "" {
		caller, _ := identity.From(ctx)
		made.SessionName, err = s.freeName(ctx, caller, source.SessionName)
	}
	return cmp.Or(asked.Engine, source.Engine), err
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
	jobs     int           // of a job: how many the account may have at once
}

// choose returns the engine and the size of a new session.
func (s *Service) choose(ctx context.Context, caller identity.Caller, made Session, at placement) (sizes.Engine, sizes.Profile, error) {
	chosen, size, err := s.Engines.Choose(ctx, caller, sizes.Choice{
		Engine: at.engine, Profile: made.Source.Profile, Needs: made.Source.Needs, Language: at.language, Interface: at.in, Prefix: at.prefix,
	})
	if err != nil {
		return chosen, size, err
	}
	if _, keeps := chosen.Versioner(); made.Job != "" && !keeps {
		return chosen, size, fault.New(fault.NotRunnable, "The engine %s keeps no versions of work, so a job would leave no result there. Choose another engine.", fault.Quote(chosen.Name))
	}
	return chosen, size, chosen.Check(ctx)
}

// startedBefore returns the session that an earlier call with the same Idempotency-Key has started, or why nothing can be started.
func (s *Service) startedBefore(ctx context.Context, id string, err error) (Session, error) {
	if err != nil {
		return Session{}, err
	}
	return s.Own(ctx, id)
}

// create stores the session and announces it. It runs at once if a warm one can be claimed.
func (s *Service) create(ctx context.Context, caller identity.Caller, made Session, at placement) (Session, error) {
	chosen, size, err := s.choose(ctx, caller, made, at)
	if err != nil {
		return Session{}, err
	}
	made.ID, made.Engine, made.Source.Profile = newID(), chosen.Name, size.Name
	if made.copyOf != nil {
		if id, err := s.store.CheckCopy(ctx, made, at.key, s.Limit); id != "" || err != nil {
			return s.startedBefore(ctx, id, err)
		}
		if err := s.addPresent(ctx, caller, &made); err != nil {
			return Session{}, err
		}
	}
	var ready []string
	limit := s.Limit
	if made.Job != "" {
		limit = at.jobs
	} else if s.Warm != nil {
		ready = s.Warm.Ready(ctx, chosen, made)
	}
	id, err := s.store.Create(ctx, made, at.key, at.window, limit, ready...)
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
