package kept_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/content/kept"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// begin asks for an entry, or for a version of one, that a task makes.
func (w *world) begin(email, id string, ids ...string) kept.UploadTask {
	w.T.Helper()
	name := "Work"
	var answer any
	var err error
	if id == "" {
		_, answer, err = w.kept.Add(w.as(email), catalog.Repository, contribute.Edit{Name: &name}, contribute.NewContent{Upload: ids})
	} else {
		_, answer, err = w.kept.Renew(w.as(email), id, contribute.NewContent{Upload: ids})
	}
	task, ok := answer.(kept.UploadTask)
	if err != nil || !ok {
		w.T.Fatalf("no task: %T %v", answer, err)
	}
	return task
}

// work carries out tasks until there are none.
func (w *world) work(by *kept.Service) {
	w.T.Helper()
	for {
		if ok, err := by.Work(w.T.Context()); err != nil {
			w.T.Fatal(err)
		} else if !ok {
			return
		}
	}
}

// isMadeOnce asserts that a task has made one version, and that nothing else is left of it.
func (w *world) isMadeOnce(what string, task kept.UploadTask, count int) {
	w.T.Helper()
	done := w.task(ada, task.ID)
	if done.State != kept.Done || done.VersionNumber != count {
		w.T.Fatalf("%s: the task is %s", what, jsonOf(w.T, done))
	}
	listed := w.versions(ada, task.ResourceID)
	if len(listed) != count {
		w.T.Errorf("%s: %d versions, want %d", what, len(listed), count)
	}
	if left := w.left(ada); len(left) > 0 {
		w.T.Errorf("%s: uploads are left: %v", what, left)
	}
	w.clock.add(2 * time.Hour)
	if err := w.kept.Sweep(w.T.Context()); err != nil {
		w.T.Errorf("%s: sweep: %v", what, err)
	}
	stored, _, err := w.files.StoredVersions(w.T.Context(), task.ResourceID)
	if err != nil || len(stored) != count {
		w.T.Errorf("%s: %d versions are stored, want %d: %v", what, len(stored), count, err)
	}
	w.dropTrees()
	for i := range count {
		if found := contents(w.T, w.tree(task.ResourceID, i+1)); found["a.py"] == "" || found["cairn.yml"] == "" {
			w.T.Errorf("%s: version %d has %v", what, i+1, found)
		}
	}
	entry, err := w.Readable(w.as(ada), task.ResourceID)
	if at, ok := entry.Kept(); err != nil || !ok || at.Number != count {
		w.T.Errorf("%s: the entry is at %s: %v", what, entry.RepositoryURL, err)
	}
}

// A server ends at any moment of a task; another one goes on.
func TestTaskGoesOnAfterItsServerEnds(t *testing.T) {
	w := newWorld(t)
	random := rand.New(rand.NewPCG(28, 28))
	pack := func() string {
		return w.send(ada, zipOf(t, member{name: "x/a.py", text: "print()"}, member{name: "x/b/c.bin", text: strings.Repeat("x", 100_000)}), "filename", "x.zip")
	}
	// How long a task takes is where it can end.
	began := time.Now()
	first := w.begin(ada, "", pack())
	w.work(w.kept)
	takes := time.Since(began)
	w.isMadeOnce("undisturbed", first, 1)
	for i := range 30 {
		id, count := "", 1
		if i%2 == 1 {
			id, count = first.ResourceID, len(w.versions(ada, first.ResourceID))+1
		}
		task := w.begin(ada, id, pack())
		for range 4 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.Int64N(int64(takes))))
			_, _ = w.kept.Work(ctx)
			cancel()
			w.open() // another server
		}
		w.clock.add(2 * time.Minute) // if the one before couldn't even say that it ends
		w.work(w.kept)
		w.isMadeOnce(fmt.Sprint("run ", i), task, count)
	}
}

// A server is killed after its version was written, and before it could say so.
func TestVersionIsWrittenButNotNoted(t *testing.T) {
	w := newWorld(t)
	id := w.add(ada, catalog.Repository, "Work", w.file(ada, "a.py", "1"))
	task := w.begin(ada, id, w.send(ada, tarOf(t, member{name: "a.py", text: "2"}), "filename", "x", "packed", "tar"))
	if err := w.DB.Write(t.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE entry_version SET task = $1 WHERE resource_id = $2`, task.ID, id)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	w.work(w.kept)
	w.isMadeOnce("written before", task, 1)
}

// Stored files that no version of an entry has, because a server was killed before it could write one, go after a while.
func TestSweepRemovesStoredOrphans(t *testing.T) {
	w := newWorld(t)
	id := w.add(ada, catalog.Dataset, "Work", w.file(ada, "a.csv", "1"))
	never := sqldb.NewID()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "b.csv"), []byte("2"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, one := range []string{id, never} {
		if err := w.files.Orphan(t.Context(), one, folder, 1); err != nil {
			t.Fatal(err)
		}
	}
	count := func(want int, entries ...string) {
		t.Helper()
		if err := w.kept.Sweep(t.Context()); err != nil {
			t.Error(err)
		}
		stored, _, err := w.files.StoredVersions(t.Context(), id)
		if err != nil || len(stored) != want {
			t.Errorf("%d versions are stored, want %d: %v", len(stored), want, err)
		}
		found, err := w.files.Entries()
		if err != nil || len(found) != len(entries) {
			t.Errorf("stores of %v, want of %v: %v", found, entries, err)
		}
	}
	count(2, id, never) // they may be on their way
	w.clock.add(2 * time.Hour)
	count(1, id)
	w.dropTrees()
	w.has(id, 1, map[string]string{"a.csv": "1"})
}

// Two servers work on tasks at once.
func TestTwoServersAtOnce(t *testing.T) {
	w := newWorld(t)
	var tasks []kept.UploadTask
	for i := range 8 {
		tasks = append(tasks, w.begin(ada, "", w.send(ada, zipOf(t, member{name: "a.py", text: fmt.Sprint(i)}), "filename", "x.zip")))
	}
	_, _, _, other := w.another(w.cache)
	var all sync.WaitGroup
	for _, by := range []*kept.Service{w.kept, other} {
		all.Go(func() {
			for ok := true; ok; {
				var err error
				if ok, err = by.Work(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for i, task := range tasks {
		w.isMadeOnce(fmt.Sprint("task ", i), task, 1)
	}
}

// A server that hung for so long that another one has its task by now doesn't do it a second time, whichever is first.
func TestTwoServersWithOneTask(t *testing.T) {
	for i := range 12 {
		w := newWorld(t)
		id, count := "", 1
		if i%2 == 1 {
			id, count = w.add(ada, catalog.Repository, "Work", w.file(ada, "a.py", "1")), 2
		}
		task := w.begin(ada, id, w.send(ada, zipOf(t, member{name: "a.py", text: "2"}), "filename", "x.zip"))
		_, _, _, other := w.another(w.cache)
		var works []func()
		for _, by := range []*kept.Service{w.kept, other} {
			work, ok, err := by.Claim(t.Context())
			if err != nil || !ok {
				t.Fatalf("the task can't be claimed: %v %v", ok, err)
			}
			works = append(works, work)
			w.clock.add(2 * time.Minute)
		}
		switch i / 2 % 3 {
		case 0:
			works[0]()
			works[1]()
		case 1:
			works[1]()
			works[0]()
		default:
			var all sync.WaitGroup
			all.Go(works[0])
			all.Go(works[1])
			all.Wait()
		}
		w.isMadeOnce(fmt.Sprint("run ", i), task, count)
	}
}

// Versions that two authors add at once get a number each, and the files that belong to it.
func TestTwoRenewalsAtOnce(t *testing.T) {
	w := newWorld(t)
	id := w.add(ada, catalog.Dataset, "Work", w.file(ada, "a.csv", "0"))
	const count = 6
	uploads := make([]string, count)
	for i := range uploads {
		uploads[i] = w.file(ada, "a.csv", fmt.Sprint("text ", i))
	}
	ctx := w.as(ada)
	var all sync.WaitGroup
	for i, upload := range uploads {
		all.Go(func() {
			if _, _, err := w.kept.Renew(ctx, id, contribute.NewContent{Upload: []string{upload}, Note: fmt.Sprint("text ", i)}); err != nil {
				t.Errorf("%v", err)
			}
		})
	}
	all.Wait()
	listed := w.versions(ada, id)
	if len(listed) != count+1 {
		t.Fatalf("%d versions", len(listed))
	}
	for range 2 {
		for i, one := range listed[1:] {
			if one.Number != i+2 {
				t.Errorf("version %d is at %d", one.Number, i+2)
			}
			w.has(id, one.Number, map[string]string{"a.csv": one.Note})
		}
		w.dropTrees()
	}
	entry, err := w.Readable(w.as(ada), id)
	if at, ok := entry.Kept(); err != nil || !ok || at.Number != count+1 {
		t.Errorf("the entry is at %s: %v", entry.DatasetURL, err)
	}
}

// A server that has lost a task doesn't say how it ended.
func TestOnlyItsServerEndsATask(t *testing.T) {
	w := newWorld(t)
	task := w.begin(ada, "", w.send(ada, zipOf(t, member{name: "a.py", text: "2"}), "filename", "x.zip"))
	_, _, _, other := w.another(w.cache)
	lost, _, err := w.kept.Claim(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.clock.add(2 * time.Minute)
	work, ok, err := other.Claim(t.Context())
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	known := w.callers
	w.callers = map[string]string{} // so that it fails
	lost()
	w.callers = known
	if found := w.task(ada, task.ID); found.State != kept.Working {
		t.Errorf("the task is %s", jsonOf(t, found))
	}
	work()
	w.isMadeOnce("by the other one", task, 1)
}

func TestTaskIsCanceled(t *testing.T) {
	w := newWorld(t)
	pack := func() string {
		return w.send(ada, zipOf(t, member{name: "a.py", text: "1"}), "filename", "x.zip")
	}
	waits := w.begin(ada, "", pack())
	if waits.State != kept.Waiting || waits.TotalBytes == 0 {
		t.Errorf("%+v", waits)
	}
	if err := w.kept.Cancel(w.as(bob), waits.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("somebody else's: %v", err)
	}
	if _, err := w.kept.Task(w.as(bob), waits.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("somebody else's: %v", err)
	}
	if err := w.kept.Cancel(w.as(ada), waits.ID); err != nil {
		t.Fatal(err)
	}
	if ok, err := w.kept.Work(t.Context()); ok || err != nil {
		t.Errorf("it is carried out: %v %v", ok, err)
	}
	works := w.begin(ada, "", w.left(ada)...)
	work, _, err := w.kept.Claim(t.Context())
	if err != nil || w.task(ada, works.ID).State != kept.Working {
		t.Fatal(err)
	}
	if err := w.kept.Cancel(w.as(ada), works.ID); err != nil {
		t.Fatal(err)
	}
	work()
	if _, err := w.Readable(w.as(ada), works.ResourceID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("there is an entry of a task that was canceled: %v", err)
	}
	if left := w.left(ada); len(left) != 1 {
		t.Errorf("uploads: %v", left)
	}
	if found, _, err := w.files.StoredVersions(t.Context(), works.ResourceID); err != nil || len(found) > 0 {
		t.Errorf("stored: %v %v", found, err)
	}
	done := w.begin(ada, "", w.left(ada)...)
	w.work(w.kept)
	if err := w.kept.Cancel(w.as(ada), done.ID); fault.KindOf(err) != fault.Conflict {
		t.Errorf("one that ended: %v", err)
	}
	if found := w.task(ada, done.ID); found.Files != 2 || found.Bytes == 0 || found.State != kept.Done {
		t.Errorf("its progress: %s", jsonOf(t, found))
	}
	w.clock.add(25 * time.Hour)
	if err := w.kept.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.kept.Task(w.as(ada), done.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("after a day: %v", err)
	}
}

// Trees that nobody asked for lately are removed, but for those of sessions; those of an erased entry go with its store.
func TestSweepRemovesTrees(t *testing.T) {
	w := newWorld(t)
	used := w.add(ada, catalog.Dataset, "Used", w.file(ada, "a.csv", "1"))
	asked := w.add(ada, catalog.Dataset, "Asked", w.file(ada, "a.csv", "1"))
	left := w.add(ada, catalog.Dataset, "Left", w.file(ada, "a.csv", "1"))
	erased := w.add(ada, catalog.Dataset, "Erased", w.file(ada, "a.csv", "1"))
	w.inUse[catalog.Kept{ID: used, Number: 1}] = true
	if err := w.DB.Write(t.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE resource SET hidden = TRUE WHERE id = $1`, erased)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Store.Erase(t.Context(), erased); err != nil {
		t.Fatal(err)
	}
	trees := func() (names []string) {
		t.Helper()
		if err := w.kept.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		found, err := os.ReadDir(w.cache)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range found {
			names = append(names, strings.TrimSuffix(one.Name(), "-v1"))
		}
		return names
	}
	if found := trees(); len(found) != 4 {
		t.Errorf("at once: %v", found)
	}
	w.clock.add(2 * time.Hour)
	found := trees()
	if slices.Contains(found, erased) || len(found) != 3 {
		t.Errorf("of an erased entry: %v", found)
	}
	if stores, err := w.files.Entries(); err != nil || slices.Contains(stores, erased) || len(stores) != 3 {
		t.Errorf("stores: %v %v", stores, err)
	}
	w.clock.add(13 * 24 * time.Hour)
	w.tree(asked, 1)
	w.clock.add(2 * 24 * time.Hour)
	if found := trees(); slices.Contains(found, left) || !slices.Contains(found, used) || !slices.Contains(found, asked) {
		t.Errorf("after a while: %v, want those of %s and %s", found, used, asked)
	}
	w.has(left, 1, map[string]string{"a.csv": "1"})
}
