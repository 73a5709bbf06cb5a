package localjupyter_test

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
)

// seldom makes versions at stops and starts alone, in the time of a test.
func seldom(options *localjupyter.Options) {
	options.WatchEvery, options.Versions.Every = 50*time.Millisecond, time.Hour
}

func (b *bench) versions(id string) []engine.Version {
	b.Helper()
	list, _, err := b.engine.Versions(b.Context(), id, engine.VersionFilter{Most: 1000})
	if err != nil {
		b.Fatal(err)
	}
	return list
}

func (b *bench) awaitVersions(id string, count int) []engine.Version {
	b.Helper()
	b.awaitThat(id, func(engine.Status) bool { return len(b.versions(id)) >= count })
	return b.versions(id)
}

// TestWorkOfACrashIsSavedAsLost: what changed while the server was down is in a version of the next one.
func TestWorkOfACrashIsSavedAsLost(t *testing.T) {
	t.Parallel()
	b := newBench(t, seldom)
	b.open()
	running, killed := b.running(b.url("working.git")), b.running(b.url("working.git"))
	b.awaitVersions(running.ID, 1)
	b.awaitVersions(killed.ID, 1)
	b.put(running.ID, "mine.txt", "nearly lost")
	b.put(killed.ID, "mine.txt", "nearly lost")
	b.engine.Abandon()
	b.end(killed.ID, false)
	b.engine = nil
	b.open()
	for _, id := range []string{running.ID, killed.ID} {
		if last := b.awaitVersions(id, 2)[0]; last.Cause != engine.VersionLost || last.Added != 1 {
			t.Errorf("The last version is %+v", last)
		}
	}
	if err := b.engine.Close(); err != nil {
		t.Fatal(err)
	}
	b.put(running.ID, "mine.txt", "changed while the server was closed")
	b.engine = nil
	b.open()
	if last := b.awaitVersions(running.ID, 3)[0]; last.Cause != engine.VersionTimer {
		t.Errorf("After an orderly restart, the last version is %+v", last)
	}
}

// TestSettingsAreRestoredBetweenLaunches: while a session runs, programs have databases open in its home.
func TestSettingsAreRestoredBetweenLaunches(t *testing.T) {
	t.Parallel()
	b := newBench(t, seldom)
	b.open()
	spec := b.running(b.url("working.git"))
	settings := filepath.Join(b.engine.Dir(), spec.ID, "home", "settings.json")
	set := func(text string) {
		t.Helper()
		if err := os.WriteFile(settings, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	set("before")
	made, err := b.engine.SaveVersion(t.Context(), spec.ID, "before")
	if err != nil {
		t.Fatal(err)
	}
	set("after")
	for _, want := range []string{"after", "before"} { // while it runs, and when it has stopped
		if _, err := b.engine.RestoreVersion(t.Context(), spec.ID, engine.Restore{Version: made.ID, InPlace: true}); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(settings); err != nil || string(text) != want {
			t.Errorf("the settings are %q (%v), want %q", text, err, want)
		}
		b.stop(spec.ID)
	}
}

// TestARetiredSessionHasNoFolder but its record.
func TestARetiredSessionHasNoFolder(t *testing.T) {
	t.Parallel()
	b := newBench(t, seldom)
	b.open()
	spec := b.running(b.url("working.git"))
	b.put(spec.ID, "mine.txt", "precious")
	if err := b.engine.Retire(t.Context(), spec.ID); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"work", "home"} {
		if _, err := os.Lstat(filepath.Join(b.engine.Dir(), spec.ID, name)); err == nil {
			t.Errorf("The folder %s is still there", name)
		}
	}
	files, trees, err := localjupyter.Portable(filepath.Join(b.engine.Dir(), spec.ID))
	if err != nil || len(trees) != 0 || len(files) != 1 {
		t.Errorf("A backup copies %v and %d files, %v", trees, len(files), err)
	}
	history, err := b.engine.History(t.Context(), spec.Owner)
	if err != nil || history.StoredBytes == 0 {
		t.Errorf("The versions take %+v, %v", history, err)
	}
	owners, err := os.ReadDir(filepath.Join(b.options.Dir, "versions"))
	if err != nil || len(owners) != 1 || strings.Contains(owners[0].Name(), "ann") {
		t.Errorf("The folders of versions are %v, %v", owners, err)
	}
	if about, err := owners[0].Info(); err != nil || about.Mode().Perm() != 0o700 {
		t.Errorf("It is open to others: %v %v", about.Mode(), err)
	}
}

// TestAFullQuota ends the versions of deleted sessions before it ends saving, and the work goes on.
func TestAFullQuota(t *testing.T) {
	t.Parallel()
	const quota = 3 << 20
	b := newBench(t, seldom, func(options *localjupyter.Options) { options.Versions.Quota = quota })
	b.open()
	fill := func(spec engine.Spec, name string, length int) {
		content := make([]byte, length)
		_, _ = rand.Read(content)
		b.put(spec.ID, name, string(content))
	}
	var deleted []engine.Spec
	for range 2 {
		spec := b.running(b.url("working.git"))
		fill(spec, "big", 1<<20)
		if err := b.engine.Retire(t.Context(), spec.ID); err != nil {
			t.Fatal(err)
		}
		deleted = append(deleted, spec)
	}
	spec := b.running(b.url("working.git"))
	fill(spec, "big", 1<<20)
	if _, err := b.engine.SaveVersion(t.Context(), spec.ID, "Kept"); err != nil {
		t.Fatalf("The versions of deleted sessions make no room: %v", err)
	}
	if _, err := b.engine.Status(t.Context(), deleted[0].ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("The session that was deleted first is still there: %v", err)
	}
	fill(spec, "huge", quota)
	_, err := b.engine.SaveVersion(t.Context(), spec.ID, "Too much")
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "as much as they may") {
		t.Errorf("Beyond the quota: %v", err)
	}
	status, err := b.engine.Status(t.Context(), spec.ID)
	if err != nil || status.Phase != engine.Running || !strings.Contains(status.Saving.Stopped, "as much as they may") {
		t.Errorf("The session is %+v, %v", status, err)
	}
	if !slices.ContainsFunc(b.versions(spec.ID), func(one engine.Version) bool { return one.Name == "Kept" }) {
		t.Errorf("A version with a name is gone")
	}
	if err := os.Remove(b.work(spec.ID, "huge")); err != nil {
		t.Fatal(err)
	}
	b.stop(spec.ID)
	if status, err := b.engine.Status(t.Context(), spec.ID); err != nil || status.Saving.Stopped != "" {
		t.Errorf("With less to save, the session is %+v, %v", status, err)
	}
}

// TestANearlyFullDiskStopsSavingAlone: the session goes on, and what was saved stays.
func TestANearlyFullDiskStopsSavingAlone(t *testing.T) {
	t.Parallel()
	disk := make(chan bool, 1)
	disk <- false
	b := newBench(t, seldom, func(options *localjupyter.Options) {
		options.Statfs = func(_ string, about *unix.Statfs_t) error {
			full := <-disk
			disk <- full
			*about = unix.Statfs_t{Bsize: 4096, Blocks: 1 << 30, Bavail: 1 << 29, Files: 2_000_000, Ffree: 1_000_000}
			if full {
				about.Bavail = 1000
			}
			return nil
		}
	})
	b.open()
	spec := b.running(b.url("working.git"))
	before := b.awaitVersions(spec.ID, 1)
	<-disk
	disk <- true
	b.engine.CheckReserve()
	_, err := b.engine.SaveVersion(t.Context(), spec.ID, "On a full disk")
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "nearly full") {
		t.Errorf("SaveVersion: %v", err)
	}
	status, err := b.engine.Status(t.Context(), spec.ID)
	if err != nil || status.Phase != engine.Running || !strings.Contains(status.Saving.Stopped, "nearly full") {
		t.Errorf("The session is %+v, %v", status, err)
	}
	if after := b.versions(spec.ID); len(after) < len(before) {
		t.Errorf("Versions are lost: %v", after)
	}
	<-disk
	disk <- false
	b.engine.CheckReserve()
	if _, err := b.engine.SaveVersion(t.Context(), spec.ID, "Room again"); err != nil {
		t.Errorf("SaveVersion: %v", err)
	}
}

// TestARunningSessionIsRestoredFromItsLastVersion: a backup of it copies its versions instead of its folders.
func TestARunningSessionIsRestoredFromItsLastVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t, seldom)
	b.open()
	spec := b.running(b.url("working.git"))
	b.awaitVersions(spec.ID, 1)
	b.put(spec.ID, "folder/mine.txt", "precious")
	if _, err := b.engine.SaveVersion(t.Context(), spec.ID, "Before the backup"); err != nil {
		t.Fatal(err)
	}
	files, trees, err := localjupyter.Portable(filepath.Join(b.engine.Dir(), spec.ID))
	if err != nil || len(trees) != 0 {
		t.Fatalf("A backup copies %v, %v", trees, err)
	}
	data := filepath.Join(t.TempDir(), "sessions")
	if err := os.MkdirAll(filepath.Join(data, spec.ID), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		writeFile(t, filepath.Join(data, spec.ID, name), string(content))
	}
	owners, err := os.ReadDir(filepath.Join(b.options.Dir, "versions"))
	if err != nil || len(owners) != 1 {
		t.Fatal(owners, err)
	}
	to := filepath.Join(data, "versions", owners[0].Name())
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	err = versions.CopyForeign(t.Context(), filepath.Join(b.options.Dir, "versions", owners[0].Name()), func(name string, content io.Reader) error {
		text, err := io.ReadAll(content)
		return errors.Join(err, os.WriteFile(filepath.Join(to, name), text, 0o600))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.engine.Remove(t.Context(), spec.ID); err != nil { // the original is gone
		t.Fatal(err)
	}
	_ = b.engine.Close()
	b.options.Dir, b.options.OpenDir, b.engine = data, "", nil
	b.open()
	status, err := b.engine.Status(t.Context(), spec.ID)
	if err != nil || status.Phase != engine.Ended || status.Saving.Retired {
		t.Errorf("The restored session is %+v, %v", status, err)
	}
	if list := b.versions(spec.ID); len(list) != 2 {
		t.Errorf("It has the versions %+v", list)
	}
	b.start(spec)
	b.await(spec.ID, engine.Running)
	if text, err := os.ReadFile(b.work(spec.ID, "folder/mine.txt")); err != nil || string(text) != "precious" {
		t.Errorf("The restored work has %q, %v", text, err)
	}
}

// TestAReadOnlyDiskStopsSavingAlone: the session goes on, and what was saved can be read.
func TestAReadOnlyDiskStopsSavingAlone(t *testing.T) {
	t.Parallel()
	disk := filepath.Join(openFolder(t), "disk")
	if err := os.Mkdir(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=64m,mode=700"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(disk, unix.MNT_DETACH) })
	b := newBench(t, seldom, func(options *localjupyter.Options) { options.Versions.Dir = disk })
	b.open()
	spec := b.running(b.url("working.git"))
	b.put(spec.ID, "mine.txt", "saved")
	saved, err := b.engine.SaveVersion(t.Context(), spec.ID, "Before")
	if err != nil {
		t.Fatal(err)
	}
	remount := func(flags uintptr) {
		t.Helper()
		late, ticks := time.After(time.Minute), time.NewTicker(5*time.Millisecond)
		defer ticks.Stop()
		for {
			err := unix.Mount("", disk, "", unix.MS_REMOUNT|flags, "size=64m")
			if err == nil {
				return
			}
			// A process that another test is starting has our files until its program is loaded.
			if !errors.Is(err, unix.EBUSY) {
				t.Fatal(err)
			}
			select {
			case <-late:
				t.Fatal(err)
			case <-ticks.C:
			}
		}
	}
	if err := b.engine.Close(); err != nil { // no disk becomes read-only while its files are open for writing
		t.Fatal(err)
	}
	remount(unix.MS_RDONLY)
	b.engine = nil
	b.open()
	b.put(spec.ID, "mine.txt", "changed")
	_, err = b.engine.SaveVersion(t.Context(), spec.ID, "While it can't be written")
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "can't be written") {
		t.Errorf("SaveVersion: %v", err)
	}
	status := b.awaitThat(spec.ID, func(status engine.Status) bool { return status.Phase == engine.Running })
	if !strings.Contains(status.Saving.Stopped, "can't be written") {
		t.Errorf("The session is %+v", status)
	}
	content, err := b.engine.OpenVersion(t.Context(), spec.ID, saved.ID, "mine.txt")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(content); err != nil || string(text) != "saved" {
		t.Errorf("The file was %q, %v", text, err)
	}
	_ = content.Close()
	remount(0)
	if _, err := b.engine.SaveVersion(t.Context(), spec.ID, "After"); err != nil {
		t.Errorf("SaveVersion: %v", err)
	}
	if status, err := b.engine.Status(t.Context(), spec.ID); err != nil || status.Saving.Stopped != "" {
		t.Errorf("The session is %+v, %v", status, err)
	}
}

// savesAndRestores makes a version of a running session, and brings a file back that the session deletes.
func (b *bench) savesAndRestores(id string) {
	b.Helper()
	b.cell(id, `open("kept.txt", "w").write("kept")`)
	saved, err := b.engine.SaveVersion(b.Context(), id, "Kept")
	if err != nil {
		b.Fatal(err)
	}
	b.cell(id, `import os; os.remove("kept.txt")`)
	if _, err := b.engine.RestoreVersion(b.Context(), id, engine.Restore{Version: saved.ID, Path: "kept.txt", InPlace: true}); err != nil {
		b.Fatal(err)
	}
	b.wants("writing what was restored", b.cell(id, `open("kept.txt", "a").write(" and changed"); print(open("kept.txt").read())`), "kept and changed")
}
