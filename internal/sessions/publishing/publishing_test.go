package publishing_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/content/kept"
	"cairn/internal/content/uploads"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/publishing"
	"cairn/internal/sessions/sessionstest"
)

// world is a server whose sessions can be published from.
type world struct {
	*sessionstest.World

	quota   int64
	files   *kept.Files
	kept    *kept.Service
	service *publishing.Service
}

func newWorld(t *testing.T, quota int64) *world {
	t.Helper()
	w := &world{World: sessionstest.New(t), quota: quota}
	folder := t.TempDir()
	w.Run(w.Server)
	sent, err := uploads.New(uploads.NewStore(w.Database), uploads.Options{
		Folder: filepath.Join(folder, "uploads"), File: quota, Quota: quota, Path: httpapi.Base + "/uploads", Now: w.Clock.Now, Logger: slog.New(slog.DiscardHandler),
	})
	sessionstest.Check(t, err)
	w.files = kept.OpenFiles(kept.NewStore(w.Database), filepath.Join(folder, "stores"), filepath.Join(folder, "trees"), w.Clock.Now)
	w.files.MayRead = w.Found.CheckReadable
	adding := contribute.NewService(contribute.Dependencies{
		Entries: w.Found, DescriptorNames: []string{"cairn.yml"},
		Hosts: codehost.NewHosts(map[string]codehost.Host{"cairn.example": kept.NewHost(w.files, nil)}, nil),
	})
	works := publishing.Works{Sessions: w.Server.Service, Engines: w.Options.Engines}
	w.kept = kept.New(w.files, kept.Options{
		Uploads: sent, Work: works.Open, Contribute: adding, Versions: w.Found.Versions(), Public: "https://cairn.example", Most: quota,
		Callers: func(ctx context.Context, accountID string) (identity.Caller, error) {
			found, err := w.People.Callers(ctx, []string{accountID})
			return found[accountID], err
		},
		InUse: func(context.Context) (map[catalog.Kept]bool, error) { return nil, nil }, Now: w.Clock.Now, Logger: slog.New(slog.DiscardHandler),
	})
	w.service = publishing.New(publishing.Options{
		Works: works, Keeper: w.kept, Entries: w.Found, Record: w.Store.RecordAction, Public: "https://cairn.example", Now: w.Clock.Now,
	})
	return w
}

// session is a session of ann's, of a project of bob's repository and datasets, with these files.
func (w *world) session(files map[string]string) sessions.Session {
	w.T.Helper()
	made := w.Running("notes")
	for name, content := range files {
		w.Machine.Put(made.ID, name, content)
	}
	w.Clock.Advance(time.Minute)
	return made
}

func (w *world) publish(id string, asked publishing.Publication) publishing.Published {
	w.T.Helper()
	done, task, err := w.service.Publish(w.As(w.Ann), id, asked)
	if err != nil || task != nil {
		w.T.Fatalf("publishing: %+v %v", task, err)
	}
	return done
}

func (w *world) entry(id string) catalog.Entry {
	w.T.Helper()
	entry, err := w.Found.Readable(w.As(w.Ann), id)
	sessionstest.Check(w.T, err)
	return entry
}

// content returns a file of a version of an entry.
func (w *world) content(address, file string) string {
	w.T.Helper()
	root, _, err := w.files.Path(address)
	sessionstest.Check(w.T, err)
	content, err := os.ReadFile(filepath.Join(root, file))
	sessionstest.Check(w.T, err)
	return string(content)
}

func asNew(kind catalog.Type, name string) publishing.PublishAs {
	return publishing.PublishAs{New: &publishing.NewPublic{Type: kind, Edit: contribute.Edit{Name: &name}}}
}

var results = map[string]string{
	"results/table.csv": "a,b\n1,2\n", "results/deep/plot.svg": "<svg/>", "notes.md": "# Mine", ".env": "PASSWORD=correcthorsebatterystaple\n",
	"analysis.ipynb": sessionstest.ValuesNotebook,
}

func TestFilesOfASessionBecomeAPrivateEntry(t *testing.T) {
	w := newWorld(t, 1<<30)
	session := w.session(results)
	found, err := w.service.Contents(w.As(w.Ann), session.ID, "", nil)
	sessionstest.Check(t, err)
	var paths []string
	for _, one := range found.Files {
		paths = append(paths, one.Path)
	}
	if want := []string{".env", "analysis.ipynb", "notes.md", "results/deep/plot.svg", "results/table.csv", "tools/README.md"}; !slices.Equal(paths, want) {
		t.Errorf("the files are %q, want %q", paths, want)
	}
	if len(found.Warnings) != 1 || found.Warnings[0].Path != ".env" {
		t.Errorf("warnings: %+v", found.Warnings)
	}
	if len(found.Sources) != 3 {
		t.Errorf("sources: %+v", found.Sources)
	}

	w.Machine.Put(session.ID, "results/table.csv", "changed since")
	public := string(catalog.PrivacyPublic)
	as := asNew(catalog.Dataset, "Rates of firing")
	as.New.Privacy = &public
	done := w.publish(session.ID, publishing.Publication{Version: found.Version, Paths: []string{"results"}, As: as, Note: "First"})
	entry := w.entry(done.ResourceID)
	if entry.Privacy != catalog.PrivacyPrivate || done.VersionNumber != 1 || entry.Type != catalog.Dataset {
		t.Errorf("the entry is %+v", entry)
	}
	if got := w.content(entry.DatasetURL, "table.csv"); got != results["results/table.csv"] {
		t.Errorf("the table is %q: what was chosen is what is published", got)
	}
	if w.content(entry.DatasetURL, "deep/plot.svg") != "<svg/>" {
		t.Error("a file in a folder is missing")
	}
	versions, err := w.Found.Versions().List(w.As(w.Ann), entry.ID)
	if err != nil || len(versions) != 1 || versions[0].Note != "First" {
		t.Errorf("versions: %+v %v", versions, err)
	}

	var derived []string
	for _, one := range entry.RelatedIdentifiers {
		if one.Relation == "IsDerivedFrom" {
			derived = append(derived, one.Identifier)
		}
	}
	for _, source := range []string{"tools", "spikes", "more"} { // bob's
		if !slices.Contains(derived, "https://cairn.example/id/"+w.ID(source)) {
			t.Errorf("it isn't related to %s: %q", source, derived)
		}
	}
	if len(entry.People) < 2 || entry.People[0].Role != "" || entry.People[0].Email != "ann@example.org" || entry.People[1].Role != "Other" || entry.People[1].Email != "" {
		t.Errorf("people: %+v", entry.People)
	}
}

func TestSecretsStopPublishingOnce(t *testing.T) {
	w := newWorld(t, 1<<30)
	session := w.session(results)
	asked, before := publishing.Publication{Paths: []string{".env", "notes.md"}, As: asNew(catalog.Dataset, "Settings")}, w.entries()
	_, _, err := w.service.Publish(w.As(w.Ann), session.ID, asked)
	refused := fault.CodeOf(err)
	if refused != fault.LooksSecret || !strings.Contains(err.Error(), "secret") {
		t.Fatalf("it was published: %v", err)
	}
	if made := w.entries() - before; made != 0 {
		t.Errorf("%d entries were made", made)
	}
	asked.Confirm = true
	done := w.publish(session.ID, asked)
	if len(done.Warnings) != 1 || done.Warnings[0].Path != ".env" {
		t.Errorf("warnings: %+v", done.Warnings)
	}
	asked.Paths, asked.Confirm = []string{"notes.md"}, false
	w.publish(session.ID, asked)
}

// What a session came from is its source although its owner doesn't see it any more, so what its files say about themselves isn't taken over.
func TestSourcesThatAreHiddenNow(t *testing.T) {
	w := newWorld(t, 1<<30)
	session := w.session(map[string]string{"CITATION.cff": "cff-version: 1.2.0\nmessage: Cite it.\ntitle: Bob's work\ndoi: 10.5281/zenodo.77\nauthors: [{name: Bob}]\n", "a.csv": "a,b\n"})
	w.Publish("tools", catalog.Repository, "https://github.com/example/tools.git", catalog.PrivacyPrivate)
	sessionstest.Eventually(t, "the source is hidden", func() bool {
		_, err := w.Found.Readable(w.As(w.Ann), w.ID("tools"))
		return err != nil
	})
	done := w.publish(session.ID, publishing.Publication{Paths: []string{"CITATION.cff", "a.csv"}, As: asNew(catalog.Dataset, "Mine")})
	entry := w.entry(done.ResourceID)
	if entry.DOI != "" || !slices.ContainsFunc(entry.RelatedIdentifiers, func(one catalog.RelatedIdentifier) bool {
		return one.Identifier == "https://cairn.example/id/"+w.ID("tools") && one.Relation == "IsDerivedFrom"
	}) {
		t.Errorf("the entry has the DOI %q and %+v", entry.DOI, entry.RelatedIdentifiers)
	}
}

func TestNewVersionOfAnOwnEntry(t *testing.T) {
	w := newWorld(t, 1<<30)
	session := w.session(results)
	first := w.publish(session.ID, publishing.Publication{Paths: []string{"analysis.ipynb"}, As: asNew(catalog.Notebook, "Values")})
	if got := w.entry(first.ResourceID).NotebookPath; got != "kept:"+first.ResourceID+"/v1/analysis.ipynb" {
		t.Errorf("the notebook is at %q", got)
	}
	w.Clock.Advance(time.Minute)
	w.Machine.Put(session.ID, "analysis.ipynb", strings.Replace(sessionstest.ValuesNotebook, "0.5", "0.6", 1))
	second := w.publish(session.ID, publishing.Publication{Paths: []string{"analysis.ipynb"}, As: publishing.PublishAs{Entry: first.ResourceID}, Note: "Faster"})
	if second.ResourceID != first.ResourceID || second.VersionNumber != 2 {
		t.Errorf("the second version is %+v", second)
	}
	if got := w.content("kept:"+first.ResourceID+"/v2", "analysis.ipynb"); !strings.Contains(got, "0.6") {
		t.Errorf("version 2 is %s", got)
	}
	bobs := w.ID("spikes")
	_, _, err := w.service.Publish(w.As(w.Ann), session.ID, publishing.Publication{Paths: []string{"notes.md"}, As: publishing.PublishAs{Entry: bobs}})
	if fault.CodeOf(err) != fault.NotAuthor {
		t.Errorf("a version of somebody else's entry: %v", err)
	}
}

func TestASessionOfAnEarlierVersion(t *testing.T) {
	w := newWorld(t, 1<<30)
	session := w.session(results)
	first := w.publish(session.ID, publishing.Publication{Paths: []string{"results"}, As: asNew(catalog.Dataset, "Rates")})
	w.publish(session.ID, publishing.Publication{Paths: []string{"notes.md"}, As: publishing.PublishAs{Entry: first.ResourceID}})
	for version, want := range map[int]string{0: "/v2", 1: "/v1", 2: "/v2"} {
		started, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{ResourceID: first.ResourceID, Version: version})
		sessionstest.Check(t, err)
		if got := started.Project.Datasets[0].Address; got != "kept:"+first.ResourceID+want {
			t.Errorf("a session of version %d has %s", version, got)
		}
		sessionstest.Check(t, w.Server.Delete(w.As(w.Ann), []string{started.ID}, true))
	}
	if _, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{ResourceID: first.ResourceID, Version: 3}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a version that isn't there: %v", err)
	}
	if _, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{ProjectID: w.Projects["notes"], Version: 1}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a version of a project: %v", err)
	}
	sessionstest.Check(t, w.Found.Versions().Withdraw(w.As(w.Ann), first.ResourceID, 1, "Wrong units."))
	if _, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{ResourceID: first.ResourceID, Version: 1}); fault.CodeOf(err) != fault.VersionWithdrawn {
		t.Errorf("a version that was withdrawn: %v", err)
	}
}

func TestWhatCannotBePublished(t *testing.T) {
	w := newWorld(t, 1000)
	session := w.session(results)
	w.Machine.Put(session.ID, "large.bin", strings.Repeat("x", 2000))
	w.Machine.Put(session.ID, "bad\xff.txt", "x")
	w.Machine.Put(session.ID, "results/.ipynb_checkpoints/old.ipynb", "x")
	w.Clock.Advance(time.Minute)
	found, err := w.service.Contents(w.As(w.Ann), session.ID, "", nil)
	sessionstest.Check(t, err)
	if len(found.LeftOut) != 1 || found.LeftOut[0].Reason != "name" {
		t.Errorf("left out: %+v", found.LeftOut)
	}
	const old = "results/.ipynb_checkpoints/old.ipynb"
	if len(found.NotSaved) != 1 || found.NotSaved[0].What != old {
		t.Errorf("what the version doesn't have: %+v", found.NotSaved)
	}
	for path, want := range map[string]int{"results": 1, "notes.md": 0} {
		chosen, err := w.service.Contents(w.As(w.Ann), session.ID, found.Version, []string{path})
		if err != nil || len(chosen.NotSaved) != want {
			t.Errorf("%s: %+v, %v", path, chosen.NotSaved, err)
		}
	}
	as, before := asNew(catalog.Dataset, "Some"), w.entries()
	for name, one := range map[string]struct {
		caller identity.Caller
		asked  publishing.Publication
		code   fault.Code
	}{
		"somebody else's session": {w.Bob, publishing.Publication{Paths: []string{"notes.md"}, As: as}, fault.CodeOf(fault.New(fault.NotFound, ""))},
		"an account that waits":   {w.Newbie, publishing.Publication{Paths: []string{"notes.md"}, As: as}, fault.CodeOf(fault.New(fault.NotFound, ""))},
		"a file that isn't there": {w.Ann, publishing.Publication{Paths: []string{"notes.md", "gone.csv"}, As: as}, fault.CodeOf(fault.New(fault.NotFound, ""))},
		"a path that leads out":   {w.Ann, publishing.Publication{Paths: []string{"../notes.md"}, As: as}, fault.CodeOf(fault.New(fault.NotFound, ""))},
		"nothing":                 {w.Ann, publishing.Publication{As: as}, fault.CodeOf(fault.New(fault.Invalid, ""))},
		"neither old nor new":     {w.Ann, publishing.Publication{Paths: []string{"notes.md"}}, fault.CodeOf(fault.New(fault.Invalid, ""))},
		"both":                    {w.Ann, publishing.Publication{Paths: []string{"notes.md"}, As: publishing.PublishAs{Entry: w.ID("spikes"), New: as.New}}, fault.CodeOf(fault.New(fault.Invalid, ""))},
		"a folder as a notebook":  {w.Ann, publishing.Publication{Paths: []string{"results"}, As: asNew(catalog.Notebook, "No")}, fault.CodeOf(fault.New(fault.Invalid, ""))},
		"more than the quota":     {w.Ann, publishing.Publication{Paths: []string{"large.bin"}, As: as}, fault.QuotaReached},
		"another version":         {w.Ann, publishing.Publication{Version: sessionstest.SomeID, Paths: []string{"notes.md"}, As: as}, fault.CodeOf(fault.New(fault.NotFound, ""))},
	} {
		done, task, err := w.service.Publish(w.As(one.caller), session.ID, one.asked)
		if err == nil || fault.CodeOf(err) != one.code {
			t.Errorf("%s: %+v %+v %v, want %s", name, done, task, err, one.code)
		}
	}
	if made := w.entries() - before; made != 0 {
		t.Errorf("%d entries were made", made)
	}
}

// entries returns how many entries the catalog has.
func (w *world) entries() (count int) {
	w.T.Helper()
	sessionstest.Check(w.T, w.Database.QueryRowContext(w.T.Context(), `SELECT COUNT(*) FROM resource`).Scan(&count))
	return count
}

func TestManyFilesAreATaskThatAnotherServerGoesOnWith(t *testing.T) {
	w := newWorld(t, 1<<30)
	files := map[string]string{}
	for i := range 150 {
		files["many/"+strings.Repeat("f", i+1)] = "content"
	}
	session := w.session(files)
	_, task, err := w.service.Publish(w.As(w.Ann), session.ID, publishing.Publication{Paths: []string{"many"}, As: asNew(catalog.Repository, "Many")})
	if err != nil || task == nil {
		t.Fatalf("%+v %v", task, err)
	}
	// The work changes, and goes on to: the task has its version.
	w.Machine.Put(session.ID, "many/f", "changed")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.kept.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	sessionstest.Eventually(t, "the task is done", func() bool {
		now, err := w.kept.Task(w.As(w.Ann), task.ID)
		if err != nil || now.State == kept.Failed {
			t.Fatalf("the task failed: %+v %v", now.Problem, err)
		}
		return now.State == kept.Done
	})
	entry := w.entry(task.ResourceID)
	if got := w.content("kept:"+entry.ID+"/v1", "f"); got != "content" || entry.Privacy != catalog.PrivacyPrivate || len(entry.RelatedIdentifiers) != 3 {
		t.Errorf("%q %+v", got, entry)
	}
}
