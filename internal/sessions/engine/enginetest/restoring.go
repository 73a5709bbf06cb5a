package enginetest

import (
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

func restoreBeside(b *bench, versioner engine.Versioner) {
	spec := b.running()
	b.write(spec.ID, "folder/a.txt", "old")
	first := b.write(spec.ID, "mine.txt", "one")
	b.write(spec.ID, "mine.txt", "two")
	names := map[string]string{}
	for _, path := range []string{"mine.txt", "mine.txt", "folder", "folder/a.txt", ""} {
		written, err := versioner.RestoreVersion(b.Context(), spec.ID, engine.Restore{Version: first.ID, Path: path})
		if err != nil || written == path || names[written] != "" {
			b.Fatalf("RestoreVersion of %q: %q %v", path, written, err)
		}
		names[written] = path
		switch path {
		case "mine.txt":
			if !strings.HasSuffix(written, ".txt") {
				b.Errorf("The copy of %s is %s", path, written)
			}
			b.present(spec.ID, map[string]string{written: "one"})
		case "folder/a.txt":
			b.present(spec.ID, map[string]string{written: "old"})
		case "folder":
			b.present(spec.ID, map[string]string{written + "/a.txt": "old"})
		case "":
			b.present(spec.ID, map[string]string{written + "/mine.txt": "one", written + "/folder/a.txt": "old"})
		}
	}
	b.present(spec.ID, map[string]string{"mine.txt": "two", "folder/a.txt": "old"})
	for _, absent := range []string{"absent", "../work", "/etc/passwd", "mine.txt/x"} {
		_, err := versioner.RestoreVersion(b.Context(), spec.ID, engine.Restore{Version: first.ID, Path: absent})
		b.wants(fault.NotFound, "RestoreVersion of "+absent, err)
	}
	if len(b.status(spec.ID).Saving.Restored) != 0 {
		b.Errorf("What is restored beside changes nothing that is open")
	}
}

func restoreInPlace(b *bench, versioner engine.Versioner) {
	spec := b.running()
	b.write(spec.ID, "folder/kept.txt", "kept")
	first := b.write(spec.ID, "folder/mine.txt", "one")
	b.Put(spec.ID, "folder/new.txt", "new")
	b.Put(spec.ID, "other.txt", "other")
	b.write(spec.ID, "folder/mine.txt", "two")
	b.Put(spec.ID, "folder/mine.txt", "three") // no version has it yet
	written, err := versioner.RestoreVersion(b.Context(), spec.ID, engine.Restore{Version: first.ID, Path: "folder/mine.txt", InPlace: true})
	if err != nil || written != "folder/mine.txt" {
		b.Fatalf("RestoreVersion: %q %v", written, err)
	}
	b.present(spec.ID, map[string]string{"folder/mine.txt": "one", "folder/new.txt": "new", "folder/kept.txt": "kept"})
	if !slices.ContainsFunc(b.versions(spec.ID), func(one engine.Version) bool { return b.textIn(spec.ID, one.ID, "folder/mine.txt") == "three" }) {
		b.Errorf("The state before isn't in a version")
	}
	restored := b.status(spec.ID).Saving.Restored
	if len(restored) != 1 || restored[0].Path != "folder/mine.txt" || restored[0].At.IsZero() {
		b.Errorf("Restored: %+v", restored)
	}
	b.stop(spec.ID)
	if _, err := versioner.RestoreVersion(b.Context(), spec.ID, engine.Restore{Version: first.ID, Path: "folder", InPlace: true}); err != nil {
		b.Fatalf("RestoreVersion: %v", err)
	}
	b.present(spec.ID, map[string]string{"folder/mine.txt": "one", "folder/new.txt": "", "folder/kept.txt": "kept", "other.txt": "other"})
	if !slices.ContainsFunc(b.versions(spec.ID), func(one engine.Version) bool { return b.textIn(spec.ID, one.ID, "folder/new.txt") == "new" }) {
		b.Errorf("What was deleted isn't in a version")
	}
	b.start(spec)
	b.await(spec.ID, engine.Running)
	b.present(spec.ID, map[string]string{"folder/mine.txt": "one", "folder/new.txt": ""})
}

func restoreAll(b *bench, versioner engine.Versioner) {
	spec := b.running()
	b.Put(spec.ID, ".ipynb_checkpoints/x.ipynb", "checkpoint")
	first := b.write(spec.ID, "mine.txt", "one")
	b.Put(spec.ID, "new.txt", "new")
	b.write(spec.ID, "mine.txt", "two")
	for _, running := range []bool{true, false} {
		if !running {
			b.write(spec.ID, "mine.txt", "three")
			b.stop(spec.ID)
		}
		if _, err := versioner.RestoreVersion(b.Context(), spec.ID, engine.Restore{Version: first.ID, InPlace: true}); err != nil {
			b.Fatalf("RestoreVersion: %v", err)
		}
		b.present(spec.ID, map[string]string{"mine.txt": "one", "new.txt": "", ".ipynb_checkpoints/x.ipynb": "checkpoint"})
		if b.textIn(spec.ID, "", spec.Repository.Folder+"/README.md") == "" {
			b.Errorf("The repository is gone")
		}
	}
	b.start(spec)
	b.await(spec.ID, engine.Running)
	if len(b.status(spec.ID).Saving.Restored) != 0 {
		b.Errorf("What was restored before the start is still told")
	}
}

func restoreKinds(b *bench, versioner engine.Versioner) {
	spec := b.running()
	b.stop(spec.ID)
	b.Put(spec.ID, "thing", "file")
	b.Put(spec.ID, "other/inner.txt", "inner")
	first, err := versioner.SaveVersion(b.Context(), spec.ID, "First")
	if err != nil {
		b.Fatal(err)
	}
	b.Delete(spec.ID, "thing")
	b.Delete(spec.ID, "other/inner.txt")
	b.Delete(spec.ID, "other")
	b.Put(spec.ID, "thing/deep.txt", "deep")
	b.Link(spec.ID, "other", "/etc")
	for _, path := range []string{"thing", "other/inner.txt"} {
		if _, err := versioner.RestoreVersion(b.Context(), spec.ID, engine.Restore{Version: first.ID, Path: path, InPlace: true}); err != nil {
			b.Fatalf("RestoreVersion of %s: %v", path, err)
		}
	}
	b.present(spec.ID, map[string]string{"thing": "file", "other/inner.txt": "inner"})
}
