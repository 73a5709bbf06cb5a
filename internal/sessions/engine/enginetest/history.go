package enginetest

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// histories are the tests of engines that keep versions.
var histories = map[string]func(*bench, engine.Versioner){
	"a version after a change":                      versionAfterChange,
	"a version at every stop":                       versionAtStop,
	"a version with a name":                         namedVersion,
	"what is in a version":                          inVersion,
	"restoring beside what is there":                restoreBeside,
	"restoring in place":                            restoreInPlace,
	"restoring everything":                          restoreAll,
	"restoring what became a folder, and reverse":   restoreKinds,
	"retire deletes the work, start brings it back": retire,
	"a retired session that is brought back":        unretire,
	"remove deletes the versions":                   removeVersions,
	"a session from a version of another":           fromVersion,
	"a session from a version that was sent":        sentVersion,
	"names of any bytes in versions":                anyNames,
	"sessions that nobody owns":                     unowned,
	"versions after kill -9":                        versionsReopened,
}

func historical(test func(*bench, engine.Versioner)) func(*bench) {
	return func(b *bench) {
		if versioner, ok := b.engine.(engine.Versioner); ok { // others promise nothing about versions
			test(b, versioner)
		}
	}
}

// versions returns all versions of a session, newest first.
func (b *bench) versions(id string) []engine.Version {
	b.Helper()
	versioner, _ := b.engine.(engine.Versioner)
	list, total, err := versioner.Versions(b.Context(), id, engine.VersionFilter{Most: 1000})
	if err != nil || total != len(list) {
		b.Fatalf("Versions: %d of %d, %v", len(list), total, err)
	}
	if !slices.IsSortedFunc(list, func(one, other engine.Version) int { return strings.Compare(other.ID, one.ID) }) {
		b.Errorf("The versions aren't sorted, newest first: %v", list)
	}
	return list
}

// awaitVersion waits for a version in which a file has this text; "" for one that hasn't got it.
func (b *bench) awaitVersion(id, name, text string) engine.Version {
	b.Helper()
	late := time.After(waitTimeout)
	for {
		if list := b.versions(id); len(list) > 0 && b.textIn(id, list[0].ID, name) == text {
			return list[0]
		}
		select {
		case <-b.engine.Changed():
		case <-time.After(time.Second):
		case <-late:
			b.Fatalf("There is no version with %q in %s after %v: %+v", text, name, waitTimeout, b.status(id))
		}
	}
}

// write changes a file of a session that runs, and waits for the version.
func (b *bench) write(id, name, text string) engine.Version {
	b.Helper()
	b.Put(id, name, text)
	b.Save(id)
	return b.awaitVersion(id, name, text)
}

// textIn returns the text of a file in a version, or as it is now for an empty version; "" if it isn't there.
func (b *bench) textIn(id, version, name string) string {
	b.Helper()
	versioner, _ := b.engine.(engine.Versioner)
	opened, err := versioner.OpenVersion(b.Context(), id, version, name)
	if fault.KindOf(err) == fault.NotFound {
		return ""
	}
	if err != nil {
		b.Fatalf("OpenVersion: %v", err)
	}
	defer opened.Close()
	text, err := io.ReadAll(opened)
	if err != nil || int64(len(text)) != opened.Bytes {
		b.Fatalf("OpenVersion: %d bytes of %d, %v", len(text), opened.Bytes, err)
	}
	return string(text)
}

func (b *bench) present(id string, wanted map[string]string) {
	b.Helper()
	for name, text := range wanted {
		if found := b.textIn(id, "", name); found != text {
			b.Errorf("%s is now %q, want %q", name, found, text)
		}
	}
}

func versionAfterChange(b *bench, versioner engine.Versioner) {
	spec := b.running()
	asked := time.Now()
	first := b.write(spec.ID, "mine.txt", "one")
	second := b.write(spec.ID, "mine.txt", "two")
	if first.Cause != engine.VersionTimer || first.At.Before(asked.Add(-time.Minute)) || first.Files < 2 || first.Bytes < 3 {
		b.Errorf("The version is %+v", first)
	}
	if second.Added != 0 || second.Modified != 1 || second.Deleted != 0 || second.ID <= first.ID {
		b.Errorf("The second version is %+v", second)
	}
	if text := b.textIn(spec.ID, first.ID, "mine.txt"); text != "one" {
		b.Errorf("The first version has %q", text)
	}
	list, total, err := versioner.Versions(b.Context(), spec.ID, engine.VersionFilter{Path: "mine.txt", Most: 1})
	if err != nil || total != 2 || len(list) != 1 || list[0].ID != second.ID {
		b.Errorf("The history of the file is %v of %d, %v", list, total, err)
	}
	list, total, err = versioner.Versions(b.Context(), spec.ID, engine.VersionFilter{Path: "mine.txt", Offset: 1, Most: 5})
	if err != nil || total != 2 || len(list) != 1 || list[0].ID != first.ID {
		b.Errorf("The rest of it is %v of %d, %v", list, total, err)
	}
	saving := b.status(spec.ID).Saving
	if saving.At.Before(second.At) || saving.Versions < 2 || saving.Stopped != "" || saving.Retired {
		b.Errorf("Saving is %+v", saving)
	}
	history, err := versioner.History(b.Context(), spec.Owner)
	if err != nil || history.StoredBytes <= 0 {
		b.Errorf("The owner's versions take %+v, %v", history, err)
	}
	if history, err = versioner.History(b.Context(), "eve@example.org"); err != nil || history.StoredBytes != 0 {
		b.Errorf("The versions of somebody else take %+v, %v", history, err)
	}
	_, _, err = versioner.Versions(b.Context(), "0195a000-0000-7000-8000-000000000000", engine.VersionFilter{Most: 1})
	b.wants(fault.NotFound, "Versions of an unknown session", err)
}

func versionAtStop(b *bench, versioner engine.Versioner) {
	spec := b.running()
	last := func(cause engine.VersionCause, text string) {
		b.Helper()
		version := b.awaitVersion(spec.ID, "mine.txt", text)
		if version.Cause != cause && version.Cause != engine.VersionTimer { // which may have been faster
			b.Errorf("The cause is %s, want %s", version.Cause, cause)
		}
	}
	b.Put(spec.ID, "mine.txt", "stopped")
	b.stop(spec.ID)
	last(engine.VersionStop, "stopped")
	b.start(spec)
	b.await(spec.ID, engine.Running)
	b.Put(spec.ID, "mine.txt", "idle")
	if err := versioner.StopBecause(b.Context(), spec.ID, engine.VersionIdle); err != nil {
		b.Fatalf("StopBecause: %v", err)
	}
	last(engine.VersionIdle, "idle")
	b.start(spec)
	b.await(spec.ID, engine.Running)
	b.Put(spec.ID, "mine.txt", "ended")
	b.End(spec.ID, true)
	b.await(spec.ID, engine.Ended)
	last(engine.VersionStop, "ended")
	b.start(spec)
	b.await(spec.ID, engine.Running)
	b.Put(spec.ID, "mine.txt", "limit")
	b.Exceed(spec.ID)
	for b.status(spec.ID).Phase == engine.Running {
		<-b.engine.Changed()
	}
	last(engine.VersionLimit, "limit")
	before := len(b.versions(spec.ID))
	b.stop(spec.ID)
	if after := len(b.versions(spec.ID)); after != before {
		b.Errorf("A stop without a change made %d versions", after-before)
	}
}

func namedVersion(b *bench, versioner engine.Versioner) {
	spec := b.running()
	b.write(spec.ID, "mine.txt", "one")
	for _, name := range []string{"", strings.Repeat("x", 201), "two\nlines", " "} {
		_, err := versioner.SaveVersion(b.Context(), spec.ID, name)
		b.wants(fault.Invalid, "SaveVersion with the name "+name, err)
	}
	named, err := versioner.SaveVersion(b.Context(), spec.ID, "Figure 3 as sent")
	if err != nil || named.Cause != engine.VersionNamed || named.Name != "Figure 3 as sent" {
		b.Fatalf("SaveVersion: %+v %v", named, err)
	}
	b.stop(spec.ID)
	again, err := versioner.SaveVersion(b.Context(), spec.ID, "Once more")
	if err != nil || again.ID <= named.ID {
		b.Errorf("SaveVersion without a change: %+v %v", again, err)
	}
	found, err := versioner.Version(b.Context(), spec.ID, named.ID)
	if err != nil || found.Name != named.Name || found.Files != named.Files {
		b.Errorf("Version: %+v %v", found, err)
	}
	other := b.running()
	_, err = versioner.Version(b.Context(), other.ID, named.ID)
	b.wants(fault.NotFound, "a version of another session", err)
	_, err = versioner.VersionFiles(b.Context(), other.ID, named.ID, "")
	b.wants(fault.NotFound, "files of a version of another session", err)
	_, err = versioner.OpenVersion(b.Context(), other.ID, named.ID, "mine.txt")
	b.wants(fault.NotFound, "a file of a version of another session", err)
	_, err = versioner.RestoreVersion(b.Context(), other.ID, engine.Restore{Version: named.ID, Path: "mine.txt"})
	b.wants(fault.NotFound, "restoring a version of another session", err)
}

func inVersion(b *bench, versioner engine.Versioner) {
	spec := b.running()
	b.stop(spec.ID)
	b.Put(spec.ID, "b.txt", "beta")
	b.Put(spec.ID, "folder/deep/a.txt", "alpha")
	b.Put(spec.ID, ".ipynb_checkpoints/b-checkpoint.ipynb", "old")
	b.Link(spec.ID, "passwords", "/etc/passwd")
	version, err := versioner.SaveVersion(b.Context(), spec.ID, "All")
	if err != nil {
		b.Fatal(err)
	}
	list, err := versioner.VersionFiles(b.Context(), spec.ID, version.ID, "")
	if err != nil || !slices.IsSortedFunc(list, engine.CompareVersionFiles) {
		b.Errorf("VersionFiles: %+v %v", list, err)
	}
	kinds := map[string]engine.VersionFile{}
	for _, one := range list {
		kinds[one.Name] = one
	}
	if !kinds["folder"].Folder || !kinds["passwords"].Link || kinds["b.txt"].Folder || kinds["b.txt"].Bytes != 4 || !kinds[spec.Repository.Folder].Folder {
		b.Errorf("VersionFiles: %+v", list)
	}
	for _, absent := range []string{engine.DataFolder, ".ipynb_checkpoints"} {
		if _, there := kinds[absent]; there {
			b.Errorf("%s is in the version", absent)
		}
	}
	found, err := versioner.Version(b.Context(), spec.ID, version.ID)
	if err != nil || !slices.ContainsFunc(found.LeftOut, func(one engine.LeftOut) bool {
		return strings.HasPrefix(one.What, ".ipynb_checkpoints") && one.Why != ""
	}) {
		b.Errorf("It says that %+v is left out, %v", found.LeftOut, err)
	}
	deep, err := versioner.VersionFiles(b.Context(), spec.ID, version.ID, "folder/deep")
	if err != nil || len(deep) != 1 || deep[0].Name != "a.txt" {
		b.Errorf("VersionFiles of a folder: %+v %v", deep, err)
	}
	for _, absent := range []string{"absent", "../work", "folder/../..", "data"} {
		_, err = versioner.VersionFiles(b.Context(), spec.ID, version.ID, absent)
		b.wants(fault.NotFound, "VersionFiles of "+absent, err)
	}
	for _, absent := range []string{"", "absent", "folder", "passwords", "../record.json"} {
		for _, id := range []string{version.ID, ""} {
			_, err = versioner.OpenVersion(b.Context(), spec.ID, id, absent)
			b.wants(fault.NotFound, "OpenVersion of "+absent, err)
		}
	}
	one, err := versioner.OpenVersion(b.Context(), spec.ID, version.ID, "b.txt")
	if err != nil {
		b.Fatal(err)
	}
	defer one.Close()
	if _, err := one.Seek(2, io.SeekStart); err != nil {
		b.Error(err)
	}
	if rest, err := io.ReadAll(one); err != nil || string(rest) != "ta" || len(one.Digest) != 64 {
		b.Errorf("The rest of the file is %q, %v, digest %q", rest, err, one.Digest)
	}
	var packed bytes.Buffer
	if err := versioner.ArchiveVersion(b.Context(), spec.ID, version.ID, &packed); err != nil {
		b.Fatalf("ArchiveVersion: %v", err)
	}
	files := b.unpack(packed.Bytes())
	if files["b.txt"] != "beta" || files["folder/deep/a.txt"] != "alpha" || files["passwords"] != "" {
		b.Errorf("The archive of the version has %v", files)
	}
	b.wants(fault.NotFound, "ArchiveVersion", versioner.ArchiveVersion(b.Context(), spec.ID, "0195a000-0000-7000-8000-000000000000", io.Discard))
}

func retire(b *bench, versioner engine.Versioner) {
	spec := b.running()
	b.write(spec.ID, "folder/mine.txt", "one")
	b.Put(spec.ID, "folder/mine.txt", "precious")
	for range 2 {
		if err := versioner.Retire(b.Context(), spec.ID); err != nil {
			b.Fatalf("Retire: %v", err)
		}
	}
	status := b.status(spec.ID)
	if status.Phase != engine.Ended || !status.Saving.Retired {
		b.Errorf("The retired session is %+v", status)
	}
	last := b.versions(spec.ID)[0]
	if text := b.textIn(spec.ID, last.ID, "folder/mine.txt"); text != "precious" {
		b.Errorf("Its last version has %q", text)
	}
	b.present(spec.ID, map[string]string{"folder/mine.txt": "precious"})
	if files := b.archive(spec.ID); files["folder/mine.txt"] != "precious" {
		b.Errorf("Its archive has %v", files)
	}
	_, err := versioner.RestoreVersion(b.Context(), spec.ID, engine.Restore{Version: last.ID, Path: "folder/mine.txt"})
	b.wants(fault.Unavailable, "RestoreVersion", err)
	b.stop(spec.ID)
	b.reopen()
	if status := b.status(spec.ID); status.Phase != engine.Ended || !status.Saving.Retired {
		b.Errorf("After kill -9 the retired session is %+v", status)
	}
	b.start(spec)
	if status := b.await(spec.ID, engine.Running); status.Saving.Retired {
		b.Errorf("It is still retired")
	}
	b.present(spec.ID, map[string]string{"folder/mine.txt": "precious"})
	b.write(spec.ID, "folder/mine.txt", "more")
	versioner, _ = b.engine.(engine.Versioner)
	if err := versioner.Retire(b.Context(), "0195a000-0000-7000-8000-000000000000"); err != nil {
		b.Errorf("Retire of an unknown session: %v", err)
	}
}

func unretire(b *bench, versioner engine.Versioner) {
	spec := b.running()
	first := b.write(spec.ID, "mine.txt", "one")
	b.write(spec.ID, "mine.txt", "precious")
	if err := versioner.Retire(b.Context(), spec.ID); err != nil {
		b.Fatalf("Retire: %v", err)
	}
	for range 2 {
		if err := versioner.Unretire(b.Context(), spec.ID); err != nil {
			b.Fatalf("Unretire: %v", err)
		}
	}
	if status := b.status(spec.ID); status.Saving.Retired || status.Phase != engine.Ended {
		b.Errorf("The session is %+v", status)
	}
	late := time.After(waitTimeout)
	for {
		_, err := versioner.RestoreVersion(b.Context(), spec.ID, engine.Restore{Version: first.ID, Path: "mine.txt", InPlace: true})
		if err == nil {
			break
		}
		b.wants(fault.Unavailable, "RestoreVersion before the work is back", err)
		select {
		case <-b.engine.Changed():
		case <-late:
			b.Fatal("The work doesn't come back")
		}
	}
	b.present(spec.ID, map[string]string{"mine.txt": "one"})
	b.start(spec)
	b.await(spec.ID, engine.Running)
	b.present(spec.ID, map[string]string{"mine.txt": "one"})
}

func removeVersions(b *bench, versioner engine.Versioner) {
	spec := b.running()
	version := b.write(spec.ID, "mine.txt", "one")
	if err := versioner.Retire(b.Context(), spec.ID); err != nil {
		b.Fatalf("Retire: %v", err)
	}
	if err := b.engine.Remove(b.Context(), spec.ID); err != nil {
		b.Fatalf("Remove: %v", err)
	}
	_, err := versioner.Version(b.Context(), spec.ID, version.ID)
	b.wants(fault.NotFound, "Version", err)
	b.start(spec)
	b.await(spec.ID, engine.Running)
	_, err = versioner.Version(b.Context(), spec.ID, version.ID)
	b.wants(fault.NotFound, "Version after a start with the same id", err)
}

func fromVersion(b *bench, _ engine.Versioner) {
	first := b.running()
	version := b.write(first.ID, "mine.txt", "one")
	b.write(first.ID, "mine.txt", "two")
	second := b.spec(first.Repository)
	second.From = &engine.FromVersion{Session: first.ID, Version: version.ID}
	b.start(second)
	b.await(second.ID, engine.Running)
	b.present(second.ID, map[string]string{"mine.txt": "one"})
	b.write(second.ID, "mine.txt", "changed")
	b.stop(second.ID)
	b.start(second)
	b.await(second.ID, engine.Running)
	b.present(second.ID, map[string]string{"mine.txt": "changed"})
	b.present(first.ID, map[string]string{"mine.txt": "two"})
	foreign := b.spec(first.Repository)
	foreign.Owner, foreign.From = "eve@example.org", second.From
	b.start(foreign)
	b.await(foreign.ID, engine.Failed)
	unknown := b.spec(first.Repository)
	unknown.From = &engine.FromVersion{Session: first.ID, Version: "0195a000-0000-7000-8000-000000000000"}
	b.start(unknown)
	if status := b.await(unknown.ID, engine.Failed); status.Reason == "" {
		b.Errorf("The launch failed with %+v", status)
	}
}

func anyNames(b *bench, versioner engine.Versioner) {
	spec := b.running()
	b.stop(spec.ID)
	names := []string{"new\nline.txt", "caf\xe9.txt", "\u241b.txt", "-rf", "a b'\"$.txt", strings.Repeat("x", 250) + ".txt", "folder \xff/inner\x01"}
	for _, name := range names {
		b.Put(spec.ID, name, "text of "+name)
	}
	version, err := versioner.SaveVersion(b.Context(), spec.ID, "Names")
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range names {
		if text := b.textIn(spec.ID, version.ID, name); text != "text of "+name {
			b.Errorf("%q has %q", name, text)
		}
		b.Put(spec.ID, name, "changed")
		if _, err := versioner.RestoreVersion(b.Context(), spec.ID, engine.Restore{Version: version.ID, Path: name, InPlace: true}); err != nil {
			b.Errorf("RestoreVersion of %q: %v", name, err)
		}
		written, err := versioner.RestoreVersion(b.Context(), spec.ID, engine.Restore{Version: version.ID, Path: name})
		if err != nil {
			b.Errorf("RestoreVersion of %q: %v", name, err)
		}
		b.present(spec.ID, map[string]string{name: "text of " + name, written: "text of " + name})
	}
}

func unowned(b *bench, versioner engine.Versioner) {
	spec := b.spec(b.Working)
	spec.Owner = ""
	b.start(spec)
	if status := b.await(spec.ID, engine.Running); !status.Unowned {
		b.Errorf("A session that nobody owns is %+v", status)
	}
	b.Put(spec.ID, "mine.txt", "one")
	b.Save(spec.ID)
	_, err := versioner.SaveVersion(b.Context(), spec.ID, "Nobody's")
	b.wants(fault.Unavailable, "SaveVersion", err)
	if list := b.versions(spec.ID); len(list) != 0 {
		b.Errorf("It has versions: %+v", list)
	}
	for range 2 {
		if err := versioner.AssignOwner(b.Context(), spec.ID, "ann@example.org"); err != nil {
			b.Fatalf("Own: %v", err)
		}
	}
	b.Save(spec.ID)
	b.awaitVersion(spec.ID, "mine.txt", "one")
	if b.status(spec.ID).Unowned {
		b.Errorf("It is still nobody's")
	}
	b.reopen()
	if b.status(spec.ID).Unowned {
		b.Errorf("After kill -9 it is nobody's again")
	}
}

func versionsReopened(b *bench, _ engine.Versioner) {
	spec := b.running()
	version := b.write(spec.ID, "mine.txt", "one")
	b.reopen()
	b.Put(spec.ID, "mine.txt", "two")
	b.Save(spec.ID)
	b.awaitVersion(spec.ID, "mine.txt", "two")
	if text := b.textIn(spec.ID, version.ID, "mine.txt"); text != "one" {
		b.Errorf("The version before has %q", text)
	}
	if b.status(spec.ID).Saving.Versions < 2 {
		b.Errorf("Saving is %+v", b.status(spec.ID).Saving)
	}
}
