package sessions

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"cairn/internal/catalog"
	"cairn/internal/codehost"
	"cairn/internal/fault"
	"cairn/internal/identity"
	"cairn/internal/projects"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/explore"
	"cairn/internal/sessions/runnable"
)

// Entries finds the entries that sessions are started from.
type Entries interface {
	// Get returns an entry that the caller may see, with whether it can run; NotFound for any other.
	Get(ctx context.Context, id string) (catalog.Resource, error)
}

// Notebooks reads notebooks that lie in no repository.
type Notebooks interface {
	// Source returns the notebook at a notebookPath, as its source had it a few minutes ago; faults say what is wrong with
	// the source.
	Source(ctx context.Context, notebookPath string) ([]byte, error)
	// Latest returns it as its source has it now.
	Latest(ctx context.Context, notebookPath string) ([]byte, error)
}

// Wish says what a session is started from, and how.
type Wish struct {
	ResourceID string // an entry, or
	ProjectID  string // a project
	Name       string // "": that of the entry or project
	File       string // the file of the repository that opens; "": the first that fits
	Ref        string // a branch, tag or commit of the repository; "": its default branch
	Engine     string // "": the first that can start it
	Profile    string // a size that its engine offers; "": the smallest that has what the entry asks for, or the first
	Key        string // the same one returns the same session; "": none

	FromVersion *engine.FromVersion // a version of one of the caller's sessions, instead of an entry or a project; nil: none
}

// repeatWindow is the time in which Start returns the same session for the same project and name.
const repeatWindow = 5 * time.Second

// Start creates a session from a project and requests its launch, without waiting for it. The same idempotency key, or
// the same project and name within five seconds, returns the same session. Invalid without a name, Forbidden for
// accounts that aren't enabled, Conflict over the limit or if a part of the project is gone.
func (s *Service) Start(ctx context.Context, projectID, name, engineName, profile, idempotencyKey string) (Session, error) {
	caller, err := s.enabledCaller(ctx)
	if err != nil {
		return Session{}, err
	}
	if strings.TrimSpace(name) == "" {
		return Session{}, fault.InvalidField("query.sessionName", "Session name is required")
	}
	made := Session{UserID: caller.Email, accountID: caller.AccountID}
	if made.SessionName, err = checkStart(name, "query.sessionName", idempotencyKey); err != nil {
		return Session{}, err
	}
	if err := s.addProject(ctx, &made, projectID); err != nil {
		return Session{}, err
	}
	made.origin.Profile = profile
	return s.create(ctx, caller, made, engineName, "query.", idempotencyKey, repeatWindow)
}

// StartFrom creates a session from an entry or a project and requests its launch, without waiting for it. NotFound if the
// caller doesn't see what to start, Invalid if it can't run, Forbidden for accounts that aren't enabled, Conflict over
// the limit or if a part of the project is gone.
func (s *Service) StartFrom(ctx context.Context, wish Wish) (Session, error) {
	caller, err := s.enabledCaller(ctx)
	if err != nil {
		return Session{}, err
	}
	made := Session{UserID: caller.Email, accountID: caller.AccountID}
	if made.SessionName, err = checkStart(wish.Name, "body.name", wish.Key); err != nil {
		return Session{}, err
	}
	if made.origin.File, err = checkFile(wish.File); err != nil {
		return Session{}, err
	}
	if wish.FromVersion != nil {
		return s.startFromVersion(ctx, caller, made, wish)
	}
	switch {
	case (wish.ResourceID == "") == (wish.ProjectID == ""):
		err = fault.InvalidField("body.resourceId", "Name what to start: either an entry (resourceId), a project (projectId) or a version of a session's work (fromVersion).")
	case wish.ProjectID != "":
		err = s.addProject(ctx, &made, wish.ProjectID)
	default:
		err = s.addEntry(ctx, &made, wish)
	}
	if err == nil && made.origin.File != "" && made.Project.Repository.Address == "" {
		err = fault.InvalidField("body.file", "Only sessions of repositories have files to choose from.")
	}
	if err == nil {
		err = s.addRef(ctx, &made, wish.Ref)
	}
	if err == nil && made.SessionName == "" {
		made.SessionName, err = s.freeName(ctx, caller, made.Project.Name)
	}
	if err != nil {
		return Session{}, err
	}
	made.origin.Profile = wish.Profile
	return s.create(ctx, caller, made, wish.Engine, "body.", wish.Key, 0)
}

// startFromVersion creates a session whose work begins with a version of another of the caller's sessions, which may be a
// recently deleted one. It holds what that one holds, on the same engine.
func (s *Service) startFromVersion(ctx context.Context, caller identity.Caller, made Session, wish Wish) (Session, error) {
	if wish.ResourceID != "" || wish.ProjectID != "" || wish.File != "" || wish.Ref != "" {
		return Session{}, fault.InvalidField("body.fromVersion", "A session that begins with a version holds what that version's session holds: leave out resourceId, projectId, file and ref.")
	}
	source, keeper, err := s.keeper(ctx, wish.FromVersion.Session)
	if err != nil {
		return Session{}, err
	}
	if wish.Engine != "" && wish.Engine != source.Engine {
		return Session{}, fault.InvalidField("body.engine", "The version is on the engine %s, so its session can only be started there. Leave out engine.", fault.Quote(source.Engine))
	}
	if _, err := keeper.Version(ctx, source.ID, wish.FromVersion.Version); err != nil {
		return Session{}, err
	}
	made.Project, made.origin, made.Resource = source.Project, source.origin, source.Resource
	made.origin.Profile = wish.Profile
	made.origin.Version = &engine.FromVersion{Session: source.ID, Version: wish.FromVersion.Version}
	if made.SessionName == "" {
		if made.SessionName, err = s.freeName(ctx, caller, source.SessionName); err != nil {
			return Session{}, err
		}
	}
	return s.create(ctx, caller, made, source.Engine, "body.", wish.Key, 0)
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

// addRef adds a branch, tag or commit of the session's repository; RefNotFound if it surely has none of that name.
func (s *Service) addRef(ctx context.Context, made *Session, ref string) error {
	if ref == "" {
		return nil
	}
	if made.Project.Repository.Address == "" {
		return fault.InvalidField("body.ref", "Only repositories have branches, tags and commits.")
	}
	made.origin.Ref = ref
	return s.checkRef(ctx, *made, ref)
}

// sourceTime limits the questions that a start asks a code host. Without an answer the launch finds out.
const sourceTime = 3 * time.Second

var commitPattern = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// checkRef returns a RefNotFound fault if the session's repository surely has no such branch, tag or commit.
func (s *Service) checkRef(ctx context.Context, made Session, ref string) error {
	if err := engine.CheckRef(ref); err != nil {
		return err
	}
	repository, err := codehost.Parse(made.Project.Repository.Address)
	if err != nil || s.Hosts == nil || !s.Hosts.Knows(repository) || commitPattern.MatchString(ref) {
		return nil
	}
	ctx, cancel := context.WithTimeout(codehost.AskedBy(ctx, made.accountID), sourceTime)
	defer cancel()
	if there, names, err := s.Hosts.HasRef(ctx, repository, ref); err == nil && !there {
		return engine.RefNotFound(ref, names)
	}
	return nil
}

func (s *Service) addProject(ctx context.Context, made *Session, id string) error {
	project, err := s.projects.Get(ctx, id)
	if err != nil {
		return err
	}
	if !project.Available {
		return partMissing(project)
	}
	made.Project, made.origin.Needs = holdsOf(project), project.RepositoryResource.Needs
	return nil
}

// addEntry adds what a session of an entry holds.
func (s *Service) addEntry(ctx context.Context, made *Session, wish Wish) error {
	entry, err := s.Entries.Get(ctx, wish.ResourceID)
	if err != nil {
		return err
	}
	if entry.RunNote != "" && entry.RunCode != fault.NoProfileFits { // which is up to the size
		return fault.New(fault.NotRunnable, "%s", entry.RunNote)
	}
	made.origin.Resource = &SessionResource{ID: entry.ID, Name: entry.Name, Type: entry.Type}
	made.Project = Holds{Name: entry.Name, Datasets: []Part{}}
	switch entry.Type {
	case catalog.Repository:
		made.Project.Repository = Part{ID: entry.ID, Name: entry.Name, Address: entry.RepositoryURL}
		made.origin.Needs = entry.Needs
	case catalog.Dataset:
		made.Project.Datasets = []Part{{ID: entry.ID, Name: entry.Name, Address: entry.DatasetURL}}
	case catalog.Notebook:
		if repository, refAndPath, ok := codehost.ParseFile(entry.NotebookPath); ok && s.Hosts != nil && s.Hosts.Knows(repository) {
			return s.addHosted(ctx, made, wish, entry.NotebookPath, repository, refAndPath)
		}
		made.origin.Notebook = entry.NotebookPath
		return s.checkNotebook(ctx, entry.NotebookPath)
	default:
		return fault.New(fault.NotRunnable, "A %s can't be started as a session.", strings.ToLower(string(entry.Type)))
	}
	return nil
}

// Environment reports what a session of an entry would install and leave out of what its repository declares at the
// default branch; nothing for entries without a repository at a known host, and while that can't be read: it is a help,
// and a start says it too. NotFound if the caller doesn't see the entry.
func (s *Service) Environment(ctx context.Context, entryID string) (engine.Environment, error) {
	nothing := engine.Environment{Files: []string{}, Packages: []string{}, LeftOut: []engine.LeftOut{}}
	entry, err := s.Entries.Get(ctx, entryID)
	if err != nil || s.Hosts == nil || len(s.Engines) == 0 {
		return nothing, err
	}
	repository, err := codehost.Parse(entry.RepositoryURL)
	known := entry.Type == catalog.Repository && err == nil
	if entry.Type == catalog.Notebook {
		repository, _, known = codehost.ParseFile(entry.NotebookPath)
	}
	foreseer, ok := s.Engines[0].Engine.(engine.Foreseer)
	if !ok || !known || !s.Hosts.Knows(repository) {
		return nothing, nil
	}
	ctx, cancel := context.WithTimeout(ctx, sourceTime)
	defer cancel()
	foreseen, err := foreseer.Foresee(s.reader(ctx, repository))
	if err != nil {
		s.Logger.DebugContext(ctx, "what a repository declares cannot be read", "repository", repository.String(), "error", err)
		return nothing, nil
	}
	return foreseen, nil
}

// declaredLimit is the maximum length of a file that declares what a repository needs, in bytes.
const declaredLimit = 256 << 10

// reader returns a function that reads the files of a repository. It asks only for files that are in the list of their
// folder: most of those that are looked for aren't there.
func (s *Service) reader(ctx context.Context, repository codehost.Repository) func(name string) (string, error) {
	folders := map[string]map[string]bool{}
	var list func(folder string) (map[string]bool, error)
	list = func(folder string) (map[string]bool, error) {
		if names, listed := folders[folder]; listed {
			return names, nil
		}
		if folder != "." {
			if above, err := list(path.Dir(folder)); err != nil || !above[path.Base(folder)] {
				return nil, err
			}
		}
		listing, err := s.Hosts.List(ctx, repository, strings.TrimPrefix(folder, "."))
		if err != nil {
			return nil, err
		}
		names := make(map[string]bool, len(listing.Entries))
		for _, one := range listing.Entries {
			names[one.Name] = true
		}
		folders[folder] = names
		return names, nil
	}
	return func(name string) (string, error) {
		names, err := list(path.Dir(name))
		if err != nil || !names[path.Base(name)] {
			return "", err
		}
		file, err := s.Hosts.File(ctx, repository, name, declaredLimit)
		if fault.KindOf(err) == fault.NotFound {
			return "", nil // a folder of that name
		}
		return string(file.Content), err
	}
}

// checkNotebook reads a notebook, so that its faults are known before a session waits for it.
func (s *Service) checkNotebook(ctx context.Context, address string) error {
	content, err := s.Notebooks.Source(ctx, address)
	if err != nil {
		return err
	}
	if refusal := runnable.RefuseLanguage(content); refusal != "" {
		return fault.New(fault.NotRunnable, "%s", refusal)
	}
	return nil
}

// refElements is the maximum number of elements of a ref in the address of a notebook.
const refElements = 4

// addHosted adds the repository of a notebook at a code host, at the ref of the notebook's address.
func (s *Service) addHosted(
	ctx context.Context, made *Session, wish Wish, address string, repository codehost.Repository, refAndPath []string,
) (err error) {
	made.Project.Repository = Part{Name: repository.String(), Address: repository.Address()}
	if refAndPath[0] == "refs" && len(refAndPath) > 3 { // refs/heads/REF
		refAndPath = refAndPath[2:]
	}
	for length := 1; length < min(len(refAndPath), refElements+1); length++ { // the shortest ref that there is
		ref := strings.Join(refAndPath[:length], "/")
		refused := error(nil)
		if ref == "HEAD" {
			ref = ""
		} else if wish.Ref == "" {
			refused = s.checkRef(ctx, *made, ref)
		}
		if refused == nil {
			made.origin.Ref, made.origin.File = ref, cmp.Or(made.origin.File, strings.Join(refAndPath[length:], "/"))
			return s.checkHosted(ctx, wish, address)
		}
		err = cmp.Or(err, refused)
	}
	return err
}

// checkHosted refuses a notebook in another language, if it can be read soon. A notebook that is missing doesn't hinder a
// session of its repository.
func (s *Service) checkHosted(ctx context.Context, wish Wish, address string) error {
	if wish.File != "" || wish.Ref != "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, sourceTime)
	defer cancel()
	if err := s.checkNotebook(ctx, address); fault.CodeOf(err) == fault.NotRunnable {
		return err
	}
	return nil
}

// addNotebook adds the notebook of a session to what its engine is asked for, until the session has run: from then on
// the notebook is its user's.
func (s *Service) addNotebook(ctx context.Context, session Session, spec *engine.Spec) (err error) {
	switch {
	case spec.Notebook.Name == "" || session.Opens != "":
	case session.origin.Notebook != "":
		spec.Notebook.Content, err = s.Notebooks.Source(ctx, session.origin.Notebook)
	default:
		spec.Notebook.Content = explore.Notebook
	}
	return err
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

// create chooses the engine and the size, stores the session and announces it. The session runs at once if a warm one can be
// claimed. Faults locate the fields of the engine and the profile after a prefix.
func (s *Service) create(
	ctx context.Context, caller identity.Caller, made Session, engineName, prefix, key string, window time.Duration,
) (Session, error) {
	chosen, size, err := s.place(caller, made, engineName, prefix)
	if err != nil {
		return Session{}, err
	}
	made.origin.Profile = size.Name
	if err := chosen.Check(ctx); err != nil {
		return Session{}, err
	}
	made.ID, made.Engine = newID(), chosen.Name
	ready := s.readyFor(ctx, chosen, made)
	id, err := s.store.Create(ctx, made, key, window, s.Limit, ready...)
	if err != nil {
		return Session{}, err
	}
	claimed := slices.Contains(ready, id)
	if claimed {
		s.warm.noteClaim(s.Now())
	}
	s.announce()
	session, err := s.Own(ctx, id)
	session.begun = claimed || id == made.ID
	return session, err
}

// engine returns the engine with a name, or the first; Invalid if there is none of that name.
func (s *Service) engine(name, location string) (NamedEngine, error) {
	var names []string
	for _, candidate := range s.Engines {
		if name == "" || candidate.Name == name {
			return candidate, nil
		}
		names = append(names, candidate.Name)
	}
	unknown := fault.InvalidField(location, "There is no engine with that name; choose one of: %s.", strings.Join(names, ", "))
	unknown.Code = fault.EngineUnknown
	return NamedEngine{}, unknown
}

// partMissing refuses to start a project that isn't available.
func partMissing(project projects.Project) error {
	refused := fault.New(fault.PartMissing, "Part of this project is gone or no longer visible to you, so it can't be started.")
	for _, dataset := range project.DatasetResources {
		if dataset.State != catalog.StateActive {
			refused.Missing = append(refused.Missing, dataset.ID)
		}
	}
	return refused
}

func holdsOf(project projects.Project) Holds {
	holds := Holds{ID: project.ID, Name: project.Name, Datasets: make([]Part, len(project.DatasetResources))}
	repository := project.RepositoryResource
	holds.Repository = Part{ID: repository.ID, Name: repository.Name, Address: repository.RepositoryURL}
	for i, dataset := range project.DatasetResources {
		holds.Datasets[i] = Part{ID: dataset.ID, Name: dataset.Name, Address: dataset.DatasetURL}
	}
	return holds
}
