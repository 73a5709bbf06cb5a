package kept

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"time"

	"cairn/internal/content/nbformat"
	"cairn/internal/content/uploads"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/people/identity"
)

// promptBytes is how many bytes uploads may have that become an entry while the caller waits.
const promptBytes = 64 << 20

// commitTries is how often a version is numbered again because another one came first.
const commitTries = 10

// Options configure a Service.
type Options struct {
	Uploads *uploads.Service
	// Work opens a version of the work of one of the caller's sessions.
	Work func(ctx context.Context, session, version string) (Work, error)
	// Records finds the records of archives; nil: none. Web fetches their files.
	Records    contribute.Archives
	Web        *safehttp.Client
	Contribute *contribute.Service
	Versions   catalog.Versions
	Public     string // the address of this server
	Most       int64  // bytes that the files of an entry may have
	// Callers returns the account of somebody who isn't here now.
	Callers func(ctx context.Context, accountID string) (identity.Caller, error)
	// InUse returns the addresses of kept files that sessions have now.
	InUse  func(ctx context.Context) (map[catalog.Kept]bool, error)
	Now    func() time.Time
	Logger *slog.Logger
}

// Service makes uploads, and files of sessions, the content of entries.
type Service struct {
	options Options
	files   *Files
	store   *Store
	worker  string
	wake    chan struct{}
}

// New returns a service. Run works on what can't be done at once.
func New(files *Files, options Options) *Service {
	return &Service{options: options, files: files, store: files.store, worker: newID(), wake: make(chan struct{}, 1)}
}

// request is what somebody asked for.
type request struct {
	Kind    catalog.Type    `json:"kind"`
	Edit    contribute.Edit `json:"edit"`
	Uploads []string        `json:"uploads,omitempty"`
	Work    *WorkOf         `json:"work,omitempty"`   // instead of uploads; or
	Record  string          `json:"record,omitempty"` // an archive's, by its DOI
	Note    string          `json:"note"`
}

// Add implements contribute.ContentKeeper.
func (s *Service) Add(ctx context.Context, kind catalog.Type, edit contribute.Edit, content contribute.NewContent) (status int, answer any, err error) {
	done, task, err := s.add(ctx, request{Kind: kind, Edit: edit, Uploads: content.Upload, Note: content.Note}, content.Digests, nil)
	if task != nil {
		return http.StatusAccepted, *task, err
	}
	return http.StatusCreated, done.resource, cmp.Or(err, done.unread)
}

// AddWork makes files of a session an entry: it returns its first version, or else a task that makes it.
func (s *Service) AddWork(ctx context.Context, kind catalog.Type, edit contribute.Edit, work NewWork) (MadeVersion, *UploadTask, error) {
	done, task, err := s.add(ctx, request{Kind: kind, Edit: edit, Work: &work.Of, Note: work.Note}, nil, work.Complete)
	return done.MadeVersion, task, err
}

// AddRecord implements contribute.ContentKeeper.
func (s *Service) AddRecord(ctx context.Context, kind catalog.Type, edit contribute.Edit, doi string) (status int, answer any, err error) {
	done, task, err := s.add(ctx, request{Kind: kind, Edit: edit, Record: doi}, nil, nil)
	if task != nil {
		return http.StatusAccepted, *task, err
	}
	return http.StatusCreated, done.resource, cmp.Or(err, done.unread)
}

// add begins to add an entry. What files say about it fills what the request doesn't say, and complete, if there is one, goes last.
func (s *Service) add(ctx context.Context, asked request, digests map[string]string, complete func(*contribute.Edit)) (done made, task *UploadTask, err error) {
	caller, of, err := s.prepare(ctx, asked, digests)
	if err != nil {
		return done, nil, err
	}
	found, err := s.describe(ctx, of)
	if err != nil {
		return done, nil, err
	}
	if asked.Kind == catalog.Notebook && !slices.Contains(found.Types, asked.Kind) {
		return done, nil, fault.InvalidField("body.upload", "A notebook is one file whose name ends in .ipynb. Add several files as a dataset or a repository.")
	}
	found.Draft.Fill(&asked.Edit)
	if complete != nil {
		complete(&asked.Edit)
	}
	one := UploadTask{
		ID: newID(), State: Waiting, ResourceID: newID(), account: caller.AccountID, isNew: true,
		request: asked, UploadProgress: UploadProgress{TotalBytes: of.total()},
	}
	entry := contribute.KeptEntry{ID: one.ResourceID, Kind: asked.Kind, Edit: asked.Edit, Found: found.Draft, Number: 1, File: "notebook.ipynb", Public: s.options.Public}
	if err := s.options.Contribute.CheckKept(ctx, entry); err != nil {
		return done, nil, err
	}
	if err := s.options.Contribute.CountKept(ctx); err != nil {
		return done, nil, err
	}
	return s.begin(ctx, one, of)
}

// Renew makes uploads a new version of an entry.
func (s *Service) Renew(ctx context.Context, id string, content contribute.NewContent) (status int, answer any, err error) {
	done, task, err := s.renew(ctx, id, request{Uploads: content.Upload, Note: content.Note}, content.Digests)
	if task != nil {
		return http.StatusAccepted, *task, err
	}
	return http.StatusCreated, done.MadeVersion, err
}

// RenewWork makes files of a session a new version of an entry: it returns that, or else a task that makes it.
func (s *Service) RenewWork(ctx context.Context, id string, work NewWork) (MadeVersion, *UploadTask, error) {
	done, task, err := s.renew(ctx, id, request{Work: &work.Of, Note: work.Note}, nil)
	return done.MadeVersion, task, err
}

func (s *Service) renew(ctx context.Context, id string, asked request, digests map[string]string) (done made, task *UploadTask, err error) {
	caller, of, err := s.prepare(ctx, asked, digests)
	if err != nil {
		return done, nil, err
	}
	before, err := s.options.Contribute.CheckRenewal(ctx, id)
	if err != nil {
		return done, nil, err
	}
	asked.Kind = before.Type
	return s.begin(ctx, UploadTask{
		ID: newID(), State: Waiting, ResourceID: id, account: caller.AccountID, request: asked, UploadProgress: UploadProgress{TotalBytes: of.total()},
	}, of)
}

// prepare returns the caller and the files that a request names, all of which can be had.
func (s *Service) prepare(ctx context.Context, asked request, digests map[string]string) (caller identity.Caller, of material, err error) {
	if caller, err = s.options.Uploads.Available(ctx); err != nil {
		return caller, nil, err
	}
	if err := catalog.CheckNote("body.note", asked.Note); err != nil {
		return caller, nil, err
	}
	if of, err = s.material(ctx, caller.AccountID, asked, digests); err != nil {
		return caller, nil, err
	}
	if asked.Uploads == nil { // uploads were counted when they came
		err = s.options.Uploads.CheckRoom(ctx, of.total())
	}
	return caller, of, err
}

// begin carries out what was asked for, or stores it as a task where that takes long.
func (s *Service) begin(ctx context.Context, one UploadTask, of material) (done made, task *UploadTask, err error) {
	if !of.isSlow(one.request.Kind) {
		done, err = s.make(ctx, one, func(int, int64) {})
		return done, nil, err
	}
	if err := s.store.addTask(ctx, one); err != nil {
		return done, nil, err
	}
	select {
	case s.wake <- struct{}{}:
	default: // it is awake
	}
	return done, &one, nil
}

// MadeVersion is a version that was made.
type MadeVersion struct {
	ResourceID string `json:"resourceId" format:"uuid"`
	Number     int    `json:"versionNumber"`
	Digest     string `json:"digest"`
	Files      int    `json:"files"`
	Bytes      int64  `json:"bytes"`
}

// made is the same with the entry.
type made struct {
	MadeVersion

	resource catalog.Resource
	unread   error // why there is no resource, although it was written
}

// make makes the files of a task the content of its entry. The version is committed before uploads go: whatever ends this server between
// two lines, the task can be carried out again.
func (s *Service) make(ctx context.Context, one UploadTask, tell func(files int, bytes int64)) (done made, err error) {
	of, err := s.material(ctx, one.account, one.request, nil)
	if err != nil {
		return done, err
	}
	folder, root, err := s.files.trees.stage()
	if err != nil {
		return done, explainDisk(err)
	}
	defer func() { _ = s.files.trees.remove(folder) }()
	most, full, err := s.room(ctx, one, of)
	if err != nil {
		return done, err
	}
	g := &gatherer{folder: folder, most: most, full: full, tell: tell}
	err = g.gather(ctx, root, one.request.Kind, of)
	defer func() { _ = errors.Join(root.Close(), closeRoot(g.root)) }()
	if err != nil {
		return done, err
	}
	entry, err := s.entryFor(ctx, one, g)
	if err != nil {
		return done, err
	}
	stored, err := s.files.vault.save(ctx, one.ResourceID, g.root, len(g.files))
	if err != nil {
		return done, err
	}
	version := catalog.NewVersion{Note: one.request.Note, Digest: digestOf(g.files), Files: len(g.files), Bytes: g.bytes, Stored: stored, Task: one.ID}
	if done, err = s.commit(ctx, one, entry, version); err != nil {
		return made{}, err
	}
	// From here on, everything that fails is put right by a sweep, or when it is needed.
	if err := s.files.trees.put(one.ResourceID, done.Number, folder); err != nil {
		s.options.Logger.WarnContext(ctx, "the files of a version can't be put in their place; they are written again when they are needed", "error", err)
	}
	if err := of.release(context.WithoutCancel(ctx)); err != nil {
		s.options.Logger.WarnContext(ctx, "uploads that were used can't be deleted; a sweep does it", "error", err)
	}
	return done, nil
}

// room returns how many bytes the files of a task may have, and what is said of more: what its account may have besides what it has, with
// what it gives for these files, and the version before that shares what is equal.
func (s *Service) room(ctx context.Context, one UploadTask, of material) (most int64, full, err error) {
	limits, err := s.options.Uploads.Limits(ctx)
	if err != nil {
		return 0, nil, err
	}
	most = limits.Bytes - limits.Used + of.held()
	if !one.isNew {
		before, err := s.options.Versions.Latest(ctx, one.ResourceID)
		if err != nil {
			return 0, nil, err
		}
		most += before.Bytes
	}
	if most >= s.options.Most {
		return s.options.Most, fault.New(fault.TooLarge, "These files have more than %s together.", humanize.Bytes(s.options.Most)), nil
	}
	return most, fault.New(fault.QuotaReached, "These files have more than the %s that you have left here. Delete uploads or entries of yours that you don't need.", humanize.Bytes(max(most, 0))), nil
}

// commit writes the version of a task, whose files are stored, into the catalog. The files go again if it isn't written; where that isn't
// known, a sweep does it.
func (s *Service) commit(ctx context.Context, one UploadTask, entry contribute.KeptEntry, version catalog.NewVersion) (done made, err error) {
	for range commitTries {
		if !one.isNew {
			var latest catalog.EntryVersion
			if latest, err = s.options.Versions.Latest(ctx, one.ResourceID); err != nil {
				break
			}
			entry.Number = latest.Number + 1
		}
		if one.State == Working {
			progress := UploadProgress{Files: version.Files, Bytes: version.Bytes, TotalBytes: one.TotalBytes}
			mine, unknown := s.store.hold(ctx, one.ID, s.worker, progress, s.options.Now().Add(holdTime))
			if unknown != nil || !mine {
				err = cmp.Or(unknown, errCanceled)
				break
			}
		}
		// Another server may have taken the task over and done it: if it does after this question, the number isn't free any more.
		if number, _, unknown := s.store.ofTask(ctx, one.ResourceID, one.ID); number > 0 || unknown != nil {
			err = unknown
			break
		}
		if one.isNew {
			done.resource, err = s.options.Contribute.CreateKept(ctx, entry, version)
		} else {
			done.resource, err = s.options.Contribute.RenewKept(ctx, entry, version)
		}
		if one.isNew || fault.CodeOf(err) != fault.EntryChanged {
			break
		}
	}
	if err != nil || done.resource.ID == "" { // it may be written all the same
		number, stored, unknown := s.store.ofTask(context.WithoutCancel(ctx), one.ResourceID, one.ID)
		if unknown != nil {
			return made{}, errors.Join(err, unknown)
		}
		if stored != version.Stored {
			err = errors.Join(err, s.files.vault.drop(context.WithoutCancel(ctx), one.ResourceID, version.Stored))
		}
		if number == 0 {
			return made{}, err
		}
		done.unread, entry.Number = err, number
	}
	done.MadeVersion = MadeVersion{one.ResourceID, entry.Number, version.Digest, version.Files, version.Bytes}
	return done, nil
}

func closeRoot(root *os.Root) error {
	if root == nil {
		return nil
	}
	return root.Close()
}

// entryFor returns the entry that gets the gathered files.
func (s *Service) entryFor(ctx context.Context, one UploadTask, g *gatherer) (contribute.KeptEntry, error) {
	entry := contribute.KeptEntry{ID: one.ResourceID, Kind: one.request.Kind, Edit: one.request.Edit, Number: 1, Public: s.options.Public}
	if entry.Kind == catalog.Notebook {
		only, err := single(g.files)
		if err != nil {
			return entry, err
		}
		entry.File = only.path
		content, err := g.root.ReadFile(only.path)
		if err == nil {
			_, err = nbformat.Read(content)
		}
		return entry, err
	}
	if entry.Kind != catalog.Repository {
		return entry, nil
	}
	found, err := s.options.Contribute.DescribeFiles(ctx, g.root.FS(), "", "")
	if err != nil {
		return entry, err
	}
	entry.Found = found
	return entry, s.addDescriptor(ctx, entry, one.isNew, g)
}

// addDescriptor writes a descriptor into a repository that has none, from what the entry says.
func (s *Service) addDescriptor(ctx context.Context, entry contribute.KeptEntry, isNew bool, g *gatherer) error {
	names := s.options.Contribute.DescriptorNames
	if len(names) == 0 || slices.ContainsFunc(g.files, func(one file) bool { return slices.Contains(names, one.path) }) {
		return nil
	}
	text, err := s.options.Contribute.DescriptorOf(ctx, entry, isNew)
	if err != nil {
		return err
	}
	if err := g.root.WriteFile(names[0], text, 0o444); err != nil {
		return explainDisk(err)
	}
	if err := g.root.Chmod(names[0], 0o444); err != nil {
		return err
	}
	return g.digest(ctx)
}

// Sweep removes what nobody needs: trees that weren't used lately, stored files of entries that were erased or never made, and what is
// known of tasks that ended a day ago.
func (s *Service) Sweep(ctx context.Context) error {
	inUse, err := s.options.InUse(ctx)
	if err != nil {
		return err
	}
	faults := []error{s.files.trees.sweep(func(kept catalog.Kept) bool { return inUse[kept] }), s.store.forgetTasks(ctx, s.options.Now().Add(-tasksKeep))}
	ids, err := s.files.vault.entries()
	if err != nil {
		return errors.Join(append(faults, err)...)
	}
	working, err := s.store.working(ctx)
	if err != nil {
		return errors.Join(append(faults, err)...)
	}
	known, err := s.store.stores(ctx, ids)
	if err != nil {
		return errors.Join(append(faults, err)...)
	}
	for _, id := range ids {
		about, err := os.Stat(s.files.vault.path(id))
		if err != nil || working[id] {
			continue // what is being made isn't in the database yet
		}
		if len(known[id]) > 0 {
			faults = append(faults, s.files.vault.prune(ctx, id, known[id], s.options.Now().Add(-sweepEvery)))
			continue
		}
		if s.options.Now().Sub(about.ModTime()) < sweepEvery {
			continue
		}
		faults = append(faults, s.files.vault.forget(id), s.files.trees.forget(id))
	}
	return errors.Join(faults...)
}
