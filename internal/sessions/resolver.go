package sessions

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/projects"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions/engine"
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

// Sources finds repositories and datasets on this machine.
type Sources interface {
	// RepositoryPath returns the bare repository behind an address if it is on this machine, else "".
	RepositoryPath(address string) string
	// DatasetPath returns the file or folder behind a dataset's address; an error's message says why there is none.
	DatasetPath(address string) (string, error)
	// PackedDataset returns where engines on other machines fetch a dataset that this server keeps, packed, for the session with an id, and the
	// key under which they keep it. Others are on a disk that these machines also have: false.
	PackedDataset(ctx context.Context, address, sessionID string) (key string, file engine.RemoteFile, ok bool)
}

// Resolver finds out what sessions of entries and projects hold, and what engines are asked for them. It holds no state.
type Resolver struct {
	Entries   Entries
	Versions  Versions
	Projects  *projects.Service
	Notebooks Notebooks
	Hosts     *codehost.Hosts // say which branches and tags repositories have; optional
	Sources   Sources
	Private   Private  // nil: private repositories can't be read
	Archives  Archives // find the data of DOIs; nil: they can't be had
}

func (r *Resolver) addProject(ctx context.Context, made *Session, id string) error {
	project, err := r.Projects.Get(ctx, id)
	if err != nil {
		return err
	}
	if project.Role == "" && !project.Published {
		return fault.New(fault.Forbidden, "This project is offered to you. Accept it first; then you can start it.")
	}
	if !project.Available {
		return partMissing(project)
	}
	made.Project, made.Source.Needs = holdsOf(project), project.RepositoryResource.Needs
	return nil
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
	holds.Repository = Part{ID: repository.ID, Name: repository.Name, Address: repository.RepositoryURL, Private: repository.Entry().ForHost()}
	for i, dataset := range project.DatasetResources {
		holds.Datasets[i] = Part{ID: dataset.ID, Name: dataset.Name, Address: dataset.DatasetURL}
	}
	return holds
}

// addEntry adds what a session of an entry holds, and returns the programming language of the notebook that opens, where that
// is known.
func (r *Resolver) addEntry(ctx context.Context, made *Session, asked StartRequest) (language string, err error) {
	if asked.Version != 0 {
		ctx = catalog.InVersion(ctx, asked.Version)
	}
	entry, err := r.Entries.Get(ctx, asked.ResourceID)
	if err != nil {
		return "", err
	}
	if entry.RunNote != "" && entry.RunCode != fault.NoProfileFits { // which is up to the size
		return "", fault.New(entry.RunCode, "%s", entry.RunNote)
	}
	made.Source.Resource = &SessionResource{ID: entry.ID, Name: entry.Name, Type: entry.Type}
	made.Project = Holds{Name: entry.Name, Datasets: []Part{}}
	switch entry.Type {
	case catalog.Repository:
		made.Project.Repository = Part{ID: entry.ID, Name: entry.Name, Address: entry.RepositoryURL, Private: entry.Entry().ForHost()}
		made.Source.Needs = entry.Needs
		if _, isKept := catalog.ParseKept(entry.RepositoryURL); asked.Version != 0 && !isKept { // at a code host, a version is a commit
			made.Source.Ref, err = r.commitOf(ctx, asked)
		}
		return "", err
	case catalog.Dataset:
		made.Project.Datasets = []Part{{ID: entry.ID, Name: entry.Name, Address: entry.DatasetURL}}
	case catalog.Notebook:
		if repository, refAndPath, ok := codehost.ParseFile(entry.NotebookPath); ok && r.Hosts != nil && r.Hosts.Knows(repository) {
			return r.addHosted(ctx, made, asked, entry.NotebookPath, repository, refAndPath)
		}
		made.Source.Notebook = entry.NotebookPath
		return r.languageOf(ctx, entry.NotebookPath)
	default:
		return "", fault.New(fault.NotRunnable, "A %s can't be started as a session.", strings.ToLower(string(entry.Type)))
	}
	return "", nil
}

// languageOf reads a notebook, so that its faults are known before a session waits for it, and returns its language.
func (r *Resolver) languageOf(ctx context.Context, address string) (string, error) {
	content, err := r.Notebooks.Source(ctx, address)
	return runnable.Language(content), err
}

// refElements is the maximum number of elements of a ref in the address of a notebook.
const refElements = 4

// addHosted adds the repository of a notebook at a code host, at the ref of the notebook's address.
func (r *Resolver) addHosted(
	ctx context.Context, made *Session, asked StartRequest, address string, repository codehost.Repository, refAndPath []string,
) (language string, err error) {
	made.Project.Repository = Part{Name: repository.String(), Address: repository.Address()}
	if refAndPath[0] == "refs" && len(refAndPath) > 3 { // refs/heads/REF
		refAndPath = refAndPath[2:]
	}
	for length := 1; length < min(len(refAndPath), refElements+1); length++ { // the shortest ref that there is
		ref := strings.Join(refAndPath[:length], "/")
		refused := error(nil)
		if ref == "HEAD" {
			ref = ""
		} else if asked.Ref == "" {
			refused = r.checkRef(ctx, *made, ref)
		}
		if refused == nil {
			made.Source.Ref, made.Source.File = ref, cmp.Or(made.Source.File, strings.Join(refAndPath[length:], "/"))
			return r.hostedLanguage(ctx, asked, address), nil
		}
		err = cmp.Or(err, refused)
	}
	return "", err
}

// hostedLanguage returns the language of a notebook, if it can be read soon. A notebook that is missing doesn't hinder a
// session of its repository.
func (r *Resolver) hostedLanguage(ctx context.Context, asked StartRequest, address string) string {
	if asked.File != "" || asked.Ref != "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, sourceTime)
	defer cancel()
	language, _ := r.languageOf(ctx, address)
	return language
}

// addRef adds a branch, tag or commit of the session's repository; RefNotFound if it surely has none of that name.
func (r *Resolver) addRef(ctx context.Context, made *Session, ref string) error {
	if ref == "" {
		return nil
	}
	if made.Project.Repository.Address == "" {
		return fault.InvalidField("body.ref", "Only repositories have branches, tags and commits.")
	}
	made.Source.Ref = ref
	return r.checkRef(ctx, *made, ref)
}

// sourceTime limits the questions that a start asks a code host. Without an answer the launch finds out.
const sourceTime = 3 * time.Second

var commitPattern = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// checkRef returns a RefNotFound fault if the session's repository surely has no such branch, tag or commit.
func (r *Resolver) checkRef(ctx context.Context, made Session, ref string) error {
	if err := engine.CheckRef(ref); err != nil {
		return err
	}
	repository, err := codehost.Parse(made.Project.Repository.Address)
	if err != nil || r.Hosts == nil || !r.Hosts.Knows(repository) || commitPattern.MatchString(ref) {
		return nil
	}
	ctx, cancel := context.WithTimeout(made.reading(ctx), sourceTime)
	defer cancel()
	if there, names, err := r.Hosts.HasRef(ctx, repository, ref); err == nil && !there {
		return engine.RefNotFound(ref, names)
	}
	return nil
}

// Readable returns which of the entries that a launch of a session uses its owner may read now.
func (r *Resolver) Readable(ctx context.Context, session Session) (map[string]bool, error) {
	who, account := session.UserID, session.AccountID
	if session.Workshop != "" { // its seats read what its host may; once it is over, each session what its owner may
		who = cmp.Or(session.Source.Host, who)
	}
	return r.Projects.Readable(ctx, account, who, session.ids())
}

// Unavailable returns why a session can't be launched with what its owner may read, as a sentence; "" if it can.
func Unavailable(session Session, readable map[string]bool) string {
	needed := session.needed()
	if readable[needed.ID] {
		return ""
	}
	what := "repository"
	if session.Resource != nil {
		what = strings.ToLower(string(session.Resource.Type))
	}
	if session.Project.Repository.Private { // operators read this
		return fmt.Sprintf("The private repository isn't available: %s. The session's work is kept and can be downloaded.", errNotShown)
	}
	return fmt.Sprintf("The %s %q isn't available: %s. The session's work is kept and can be downloaded.", what, needed.Name, errNotShown)
}

// Spec returns what an engine is asked to start for a session whose owner may read these entries. Other datasets are
// unavailable. The notebook of a session is a part of it until the session has run: from then on the notebook is its user's.
func (r *Resolver) Spec(ctx context.Context, session Session, readable map[string]bool) (engine.Spec, error) {
	return r.specWith(ctx, session, readable, r.Notebooks.Source)
}

// LatestSpec is Spec with the notebook as its source has it now, not as it was a few minutes ago.
func (r *Resolver) LatestSpec(ctx context.Context, session Session, readable map[string]bool) (engine.Spec, error) {
	return r.specWith(ctx, session, readable, r.Notebooks.Latest)
}

func (r *Resolver) specWith(
	ctx context.Context, session Session, readable map[string]bool, notebook func(ctx context.Context, path string) ([]byte, error),
) (spec engine.Spec, err error) {
	spec = session.spec(ctx, r.Sources, readable)
	r.addRecords(ctx, spec.Datasets)
	if _, isKept := catalog.ParseKept(spec.Repository.URL); isKept {
		spec.Clone = copier(spec.Repository)
	} else if spec.Repository.Private {
		spec.Clone = r.cloner(session)
	}
	switch {
	case spec.Notebook.Name == "" || session.Opens != "":
	case session.Source.Notebook != "":
		spec.Notebook.Content, err = notebook(ctx, session.Source.Notebook)
	default:
		spec.Notebook.Content = exploreNotebook
	}
	return spec, err
}

// PublicContents is what a session of an entry or a project holds for everybody.
type PublicContents struct {
	Session   Session // without an owner
	Hash      string  // of everything that it holds and opens; Session.ContentsHash
	ChangedAt time.Time
}

// PublicContents returns what a session of an entry or a project holds if somebody without an account could start it.
func (r *Resolver) PublicContents(ctx context.Context, id string) (found PublicContents, err error) {
	entry, err := r.Entries.Get(ctx, id)
	switch {
	case err == nil:
		found.ChangedAt = entry.UpdatedAt
		if entry.RunCode == fault.NoProfileFits {
			return PublicContents{}, fault.New(entry.RunCode, "%s", entry.RunNote)
		}
		_, err = r.addEntry(ctx, &found.Session, StartRequest{ResourceID: id})
	case fault.KindOf(err) == fault.NotFound:
		err = r.addProject(ctx, &found.Session, id)
	}
	if err != nil {
		return PublicContents{}, err
	}
	found.Hash = found.Session.ContentsHash()
	return found, nil
}

// asksFor returns what an entry or a project asks for, nil if nothing, and the language of a notebook, "" if it isn't known;
// NotFound if the caller doesn't see it.
func (r *Resolver) asksFor(ctx context.Context, resourceID, projectID string) (needs *catalog.Needs, language string, err error) {
	switch {
	case resourceID != "":
		entry, err := r.Entries.Get(ctx, resourceID)
		if err == nil && entry.Type == catalog.Notebook {
			language, _ = r.languageOf(ctx, entry.NotebookPath) // a start says what is wrong with it
		}
		return entry.Needs, language, err
	case projectID != "":
		project, err := r.Projects.Get(ctx, projectID)
		return project.RepositoryResource.Needs, "", err
	}
	return nil, "", nil
}

// spec returns what the engine is asked to start. Datasets that the owner may no longer read are unavailable.
func (s Session) spec(ctx context.Context, sources Sources, readable map[string]bool) engine.Spec {
	spec := engine.Spec{ID: s.ID, Owner: s.UserID, From: s.Source.Version, NoNetwork: s.Source.NoNetwork}
	if address := s.Project.Repository.Address; address != "" {
		spec.Open = s.Source.File
		spec.Repository = engine.Repository{
			URL: address, LocalPath: sources.RepositoryPath(address), Folder: catalog.RepositoryFolder(address), Ref: s.Source.Ref, Private: s.Project.Repository.Private,
		}
	}
	switch {
	case s.Source.Notebook != "":
		spec.Notebook.Name = catalog.NotebookFile(s.Source.Notebook)
	case s.Resource != nil && s.Resource.Type == catalog.Dataset:
		spec.Notebook.Name = exploreName
	}
	_, isKept := catalog.ParseKept(spec.Repository.URL) // it is on this machine, but others wrote it
	spec.Trusted = spec.From == nil && (spec.Repository.LocalPath != "" && !isKept || strings.HasPrefix(s.Source.Notebook, "bundled:"))
	folders := s.Project.Folders()
	for i, part := range s.Project.Datasets {
		if part.Skipped {
			continue // the others keep their folders
		}
		dataset := engine.Dataset{ID: part.ID, Name: part.Name, Folder: folders[i]}
		var err error
		switch {
		case !readable[part.ID]:
			err = errNotShown
		case strings.HasPrefix(part.Address, "https://"):
			dataset.URL = part.Address
		default:
			if doi, archived := catalog.ParseDOIAddress(part.Address); archived {
				dataset.Key = doiKey + doi
				break
			}
			if dataset.Path, err = sources.DatasetPath(part.Address); err != nil {
				break
			}
			if key, packed, ok := sources.PackedDataset(ctx, part.Address, s.ID); ok {
				dataset.Key, dataset.Files = key, []engine.RemoteFile{packed}
			}
		}
		if err != nil {
			dataset.Unavailable = fmt.Sprintf("The dataset %q isn't available: %s.", part.Name, err)
		}
		spec.Datasets = append(spec.Datasets, dataset)
	}
	return spec
}

// RepositoryOf returns the repository of a session; the zero value without one.
func (r *Resolver) RepositoryOf(session Session) engine.Repository {
	return session.spec(context.Background(), r.Sources, nil).Repository // which needs no dataset
}

var errNotShown = errors.New("it is gone or no longer visible to you")

// ContentsHash identifies everything that a session holds and opens. Its size doesn't count: sessions that are kept ready have
// the one that everybody gets.
func (s Session) ContentsHash() string {
	from := s.Source
	from.Profile = ""
	text, _ := json.Marshal([]any{s.Project, from, s.Workshop}) // of texts alone
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// exploreName is the name in the work folder of the notebook that opens in the session of a dataset.
const exploreName = "explore.ipynb"

//go:embed explore.ipynb
var exploreNotebook []byte

// StartRequest says what a session is started from, and how.
type StartRequest struct {
	ResourceID string    // an entry, or
	ProjectID  string    // a project
	Name       string    // "": that of the entry or project
	File       string    // the file of the repository that opens; "": the first that fits
	Ref        string    // a branch, tag or commit of the repository; "": its default branch
	Version    int       // of the entry; 0: the latest
	Engine     string    // "": the first that can start it
	Profile    string    // a size that its engine offers; "": the smallest that has what the entry asks for, or the first
	Interface  Interface // in which it is opened; "": the default
	Key        string    // the same one returns the same session; "": none

	Workshop  string // the workshop of whose seats it is one; "": none
	NoNetwork bool   // it reaches nothing

	Job      string // the job that it is for, which runs when nobody waits who wants to work; "": somebody works in it
	JobLimit int    // how many sessions of jobs the account may have at once

	FromShare   string              // the id of a share of somebody else's session, instead of all others; "": none
	FromVersion *engine.FromVersion // a version of one of the caller's sessions, instead of an entry or a project; nil: none
}

// Environment reports what a session of an entry would install and leave out of what its repository declares at the
// default branch; nothing for entries without a repository at a known host, and while that can't be read: it is a help,
// and a start says it too. NotFound if the caller doesn't see the entry.
func (s *Service) Environment(ctx context.Context, entryID string) (engine.Environment, error) {
	nothing := engine.Environment{Files: []string{}, Packages: []string{}, LeftOut: []engine.LeftOut{}}
	entry, err := s.Resolver.Entries.Get(ctx, entryID)
	if err != nil || s.Resolver.Hosts == nil || len(s.Engines.All) == 0 {
		return nothing, err
	}
	repository, err := codehost.Parse(entry.RepositoryURL)
	known := entry.Type == catalog.Repository && err == nil
	if entry.Type == catalog.Notebook {
		repository, _, known = codehost.ParseFile(entry.NotebookPath)
	}
	planner, ok := s.Engines.All[0].Engine.(engine.EnvironmentPlanner)
	if !ok || !known || !s.Resolver.Hosts.Knows(repository) {
		return nothing, nil
	}
	ctx, cancel := context.WithTimeout(ctx, sourceTime)
	defer cancel()
	if caller, ok := identity.From(ctx); ok && entry.Entry().ForHost() {
		ctx = codehost.ReadAs(ctx, caller.AccountID)
	}
	planned, err := planner.PlanEnvironment(s.Resolver.reader(ctx, repository))
	if err != nil {
		s.Logger.DebugContext(ctx, "what a repository declares cannot be read", "repository", repository.String(), "error", err)
		return nothing, nil
	}
	return planned, nil
}

// declaredLimit is the maximum length of a file that declares what a repository needs, in bytes.
const declaredLimit = 256 << 10

// reader returns a function that reads the files of a repository. It asks only for files that are in the list of their
// folder: most of those that are looked for aren't there.
func (r *Resolver) reader(ctx context.Context, repository codehost.Repository) func(name string) (string, error) {
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
		listing, err := r.Hosts.List(ctx, repository, strings.TrimPrefix(folder, "."))
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
		file, err := r.Hosts.File(ctx, repository, name, declaredLimit)
		if fault.KindOf(err) == fault.NotFound {
			return "", nil // a folder of that name
		}
		return string(file.Content), err
	}
}
