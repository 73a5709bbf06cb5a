package broker_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/sessions/machine/broker"
)

// looking is a server of Jupyter's whose root folder is there too.
type looking struct {
	*jupyter

	folder string
	ahead  atomic.Int64 // of the clock, in nanoseconds
}

func newLooking(t *testing.T) *looking {
	t.Helper()
	l := &looking{folder: t.TempDir()}
	l.jupyter = newJupyter(t, broker.Options{
		Folder: l.folder, Datasets: "data", Now: func() time.Time { return time.Now().Add(time.Duration(l.ahead.Load())) },
	})
	return l
}

// pass has so much time pass.
func (l *looking) pass(time time.Duration) { l.ahead.Add(int64(time)) }

// store writes what the server has of a notebook into the folder.
func (l *looking) store() {
	l.Helper()
	l.mu.Lock()
	text := l.files[file]
	l.mu.Unlock()
	l.write(file, text)
}

func (l *looking) write(name, text string) {
	l.Helper()
	at := filepath.Join(l.folder, name)
	check(l.T, os.MkdirAll(filepath.Dir(at), 0o755))
	check(l.T, os.WriteFile(at, []byte(text), 0o644))
}

func (l *looking) look(name string) *broker.Look {
	l.Helper()
	look, err := l.broker.Look(l.Context(), name, "")
	check(l.T, err)
	return look
}

// isSame reports whether nothing has changed since a look at the notebook.
func (l *looking) isSame(look *broker.Look) bool {
	l.Helper()
	later, err := l.broker.Look(l.Context(), file, look.Revision)
	check(l.T, err)
	return later == nil
}

// shown writes what the cells of a notebook show: code, number, state and outputs.
func shown(look *broker.Look) string {
	if look.Notebook == nil {
		return "nothing"
	}
	var parts []string
	for _, one := range look.Notebook.Cells {
		text, _ := json.Marshal(one)
		var read cell
		_ = json.Unmarshal(text, &read)
		count := "-"
		if one.Count != nil {
			count = fmt.Sprint(*one.Count)
		}
		parts = append(parts, strings.TrimSuffix(fmt.Sprintf("%s %s %s:%s", one.Source, count, one.State, read.text()), ":"))
	}
	return strings.Join(parts, " | ")
}

func (l *looking) shows(want string) {
	l.Helper()
	var got string
	defer func() {
		if got != want {
			l.Logf("it shows %q", got)
		}
	}()
	eventually(l.T, fmt.Sprintf("it shows %q", want), func() bool { got = shown(l.look(file)); return got == want })
}

func TestALookShowsWhatIsExecutedBeforeAnythingIsSaved(t *testing.T) {
	t.Parallel()
	l := newLooking(t)
	l.put("one", "two", "three")
	l.store()
	l.shows("one -  | two -  | three - ")
	tab := l.open("tab-1")
	tab.run("r1", "two", 1)
	tab.run("r2", "three, changed", 2)
	l.shows("one -  | two - waiting | three, changed - waiting")
	x := l.take()
	x.print("a")
	l.shows("one -  | two 1 running:a | three, changed - waiting")
	before := l.look(file)
	if got := before.Notebooks; len(got) != 1 || got[0].Path != file || !got[0].Busy || !before.Notebook.IsBusy || !l.isSame(before) {
		t.Errorf("while it works: %+v", before)
	}
	x.say("stdin", "input_request", fields{"prompt": "Password?", "password": true})
	l.shows("one -  | two 1 input:a | three, changed - waiting")
	if l.isSame(before) {
		t.Error("what changes has the same revision")
	}
	tab.send("input_reply", "i", nil, fields{"value": "secret"})
	l.shows("one -  | two 1 running:a | three, changed - waiting")
	if text, _ := json.Marshal(l.look(file)); strings.Contains(string(text), "secret") || strings.Contains(string(text), "Password?") {
		t.Errorf("it shows %s", text)
	}
	x.say("iopub", "error", fields{"ename": "E", "evalue": "v", "traceback": []string{"t"}})
	x.end("error")
	y := l.take()
	y.say("shell", "execute_reply", fields{"status": "aborted"})
	y.say("iopub", "status", fields{"execution_state": "idle"})
	l.shows("one -  | two 1 error:aE | three, changed 2 aborted")
	tab.send("execute_request", "r3", nil, fields{"code": "new"})
	tab.send("cairn_cell", "x", nil, fields{"request": "r3", "cell": fields{"index": 1}})
	tab.send("execute_request", "r4", nil, fields{"code": "of a console"})
	z := l.take()
	z.say("iopub", "execute_result", fields{"data": fields{"text/plain": "4"}, "metadata": fields{}, "execution_count": 3})
	z.end("ok")
	l.take().print("hidden")
	l.say("server", fields{}, "iopub", "status", fields{"execution_state": "restarting"})
	l.shows("one -  | new 3 ok:[4] | two 1 error:aE | three, changed 2 aborted")
	copies := l.copies()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.modified[file] != 1 || len(copies) > 0 {
		t.Error("a file was written")
	}
}

// The file that gets the outputs later has them in the same cells.
func TestALookIsAsTheFileWillBe(t *testing.T) {
	t.Parallel()
	l := newLooking(t)
	l.put("one", "same", "two", "same", "three")
	l.store()
	tab := l.open("tab-1")
	for at, place := range []fields{{"index": 3}, {"index": 0}, {"index": 9}, {"id": "cell-4", "index": -1}, {"id": "unknown", "index": 2}, {"id": "unknown too", "index": -1}} {
		id := fmt.Sprint("r", at)
		code := []string{"same", "same", "new at the end", "three", "new", "new too"}[at]
		tab.send("execute_request", id, nil, fields{"code": code})
		tab.send("cairn_cell", "x", nil, fields{"request": id, "cell": place})
		x := l.take()
		x.print(fmt.Sprint("printed by ", at))
		x.end("ok")
	}
	tab.await("the replies", func() bool { return tab.countOf("execute_reply") == 6 })
	before := strings.ReplaceAll(shown(l.look(file)), " ok:", " :")
	tab.leave()
	eventually(t, "it's in the file", func() bool {
		_ = l.broker.Write(t.Context(), file)
		l.mu.Lock()
		defer l.mu.Unlock()
		return strings.Contains(l.files[file], "printed by 5")
	})
	l.store()
	check(t, os.Chtimes(filepath.Join(l.folder, file), time.Time{}, time.Now().Add(time.Hour)))
	if after := shown(l.look(file)); after != before || strings.Count(after, "printed by") != 6 {
		t.Errorf("it showed\n%s\nand the file has\n%s", before, after)
	}
}

// A program executes a notebook without a page. Looking keeps no connection to its kernel.
func TestALookShowsWhatIsFinishedWithoutAPage(t *testing.T) {
	t.Parallel()
	l := newLooking(t)
	l.put(codes(2)...)
	l.store()
	if _, err := l.broker.Finish(t.Context(), asked("f", nil)); err != nil {
		t.Fatal(err)
	}
	x := l.take()
	x.print("a")
	l.shows("code 0 1 running:a | code 1 - ")
	x.end("ok")
	y := l.take()
	l.shows("code 0 1 ok:a | code 1 2 running")
	y.end("ok")
	l.finished("f")
	eventually(t, "the connection ends", func() bool {
		l.shows("code 0 1 ok:a | code 1 2 ok")
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.conn == nil
	})
	if look := l.look(file); look.Notebook.IsBusy || len(look.Notebooks) != 1 || look.Notebooks[0].Busy {
		t.Errorf("in the end: %+v", look)
	}
}

// An unchanged session costs no reading: only the date and size of the file are looked at, and its server is asked once in three seconds.
func TestAnUnchangedSessionIsNotRead(t *testing.T) {
	t.Parallel()
	l := newLooking(t)
	l.put("one")
	l.store()
	look := l.look(file)
	about, err := os.Stat(filepath.Join(l.folder, file))
	check(t, err)
	l.write(file, strings.Repeat("x", int(about.Size())))
	check(t, os.Chtimes(filepath.Join(l.folder, file), about.ModTime(), about.ModTime()))
	l.write("new.txt", "new")
	for range 10 {
		if !l.isSame(look) {
			t.Fatal("it has changed")
		}
	}
	if shown(l.look(file)) != "one - " || l.listed.Load() != 1 {
		t.Errorf("it shows %s, and the server was asked %d times", shown(l.look(file)), l.listed.Load())
	}
	l.pass(3 * time.Second)
	if l.isSame(look) || l.listed.Load() != 2 {
		t.Errorf("later, the server was asked %d times", l.listed.Load())
	}
	check(t, os.Chtimes(filepath.Join(l.folder, file), time.Time{}, about.ModTime().Add(time.Second)))
	if got := l.look(file).Notebook; len(got.Cells) != 0 || !got.Cut {
		t.Errorf("of a file that isn't a notebook it shows %+v", got)
	}
	if len(l.broker.Known()) > 0 || l.tabs.Load() > 0 || l.conn != nil {
		t.Errorf("kernels are connected: %v", l.broker.Known())
	}
}

// Editors that don't save through Jupyter's server are noticed by the file's date.
func TestWhatAnEditorHasSavedSinceIsShown(t *testing.T) {
	t.Parallel()
	l := newLooking(t)
	began := time.Now()
	l.put("one")
	l.store()
	tab := l.open("tab-1")
	tab.run("r1", "one", 0)
	x := l.take()
	x.print("a")
	x.end("ok")
	l.shows("one 1 ok:a")
	l.put("one, changed")
	l.store()
	check(t, os.Chtimes(filepath.Join(l.folder, file), time.Time{}, began.Add(time.Millisecond)))
	l.shows("one 1 ok:a") // the page may have got less when the editor saved
	check(t, os.Chtimes(filepath.Join(l.folder, file), time.Time{}, time.Now().Add(time.Minute)))
	l.shows("one, changed - ")
	tab.run("r2", "one, changed", 0)
	l.shows("one, changed - waiting")
}

func TestTheNotebookThatWasWorkedInLast(t *testing.T) {
	t.Parallel()
	l := newLooking(t)
	l.put("one")
	at := func() string {
		look := l.look("")
		if look.Notebook == nil {
			return ""
		}
		return look.Notebook.Path
	}
	expect := func(what, want string) {
		t.Helper()
		if got := at(); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	expect("without any", "")
	l.write("old.ipynb", `{"cells": []}`)
	l.write("new.ipynb", `{"cells": [], "metadata": {"kernelspec": {"language": "R"}}}`)
	check(t, os.Chtimes(filepath.Join(l.folder, "old.ipynb"), time.Time{}, time.Now().Add(-time.Hour)))
	l.pass(3 * time.Second)
	expect("where nobody has worked", "new.ipynb")
	if got := l.look("").Notebook.Language; got != "R" {
		t.Errorf("its language is %q", got)
	}
	l.broker.Saved("old.ipynb", time.Now())
	expect("saved", "old.ipynb")
	l.store()
	tab := l.open("tab-1")
	eventually(t, "it was opened", func() bool { return at() == file })
	l.broker.Saved("old.ipynb", time.Now())
	expect("saved again", "old.ipynb")
	tab.run("r1", "one", 0)
	eventually(t, "it was executed", func() bool { return at() == file })
	check(t, os.Remove(filepath.Join(l.folder, file)))
	expect("removed", "old.ipynb")
}

func TestWhatPeopleWhoLookMustNotSee(t *testing.T) {
	t.Parallel()
	l := newLooking(t)
	book := `{"cells": [{"cell_type": "markdown", "id": "m", "source": ["a\n", "b"]}]}`
	for _, name := range []string{"seen/x.ipynb", ".hidden/x.ipynb", "seen/.x.ipynb", "data/spikes/x.ipynb", "seen/data/x.ipynb", "x.txt"} {
		l.write(name, book)
	}
	outside := filepath.Join(t.TempDir(), "x.ipynb")
	check(t, os.WriteFile(outside, []byte(book), 0o644))
	check(t, os.Symlink(outside, filepath.Join(l.folder, "out.ipynb")))
	check(t, os.Symlink(filepath.Dir(outside), filepath.Join(l.folder, "out")))
	check(t, os.Symlink("data/spikes", filepath.Join(l.folder, "spikes")))
	for _, name := range []string{
		"none.ipynb", "x.txt", "seen", ".hidden/x.ipynb", "seen/.x.ipynb", "data/spikes/x.ipynb", "./data/spikes/x.ipynb", "seen/../data/spikes/x.ipynb",
		"spikes/x.ipynb", "out.ipynb", "out/x.ipynb", "../x.ipynb", outside, "/x.ipynb",
	} {
		if look := l.look(name); look.Notebook != nil {
			t.Errorf("%s shows %+v", name, look.Notebook)
		}
	}
	if got := shown(l.look("seen/x.ipynb")); got != "a\nb - " {
		t.Errorf("it shows %q", got)
	}
	var names []string
	look := l.look("")
	for _, one := range look.Files {
		names = append(names, one.Path)
		if one.IsFolder != (one.Bytes == 0) || one.ModifiedAt.IsZero() {
			t.Errorf("a file is %+v", one)
		}
	}
	if want := []string{"data", "seen", "seen/data", "seen/data/x.ipynb", "seen/x.ipynb", "x.txt"}; !reflect.DeepEqual(names, want) || look.MoreFiles {
		t.Errorf("the files are %q", names)
	}
	for at := range 1001 {
		l.write(fmt.Sprintf("a/%04d", at), "")
	}
	l.pass(3 * time.Second)
	look = l.look("")
	if last := look.Files[len(look.Files)-1]; len(look.Files) != 1000 || !look.MoreFiles || last.Path != "x.txt" {
		t.Errorf("%d files, the last is %s", len(look.Files), last.Path)
	}
}
