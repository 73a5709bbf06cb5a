package enginetest

import (
	"regexp"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

var (
	fullCommit = regexp.MustCompile(`^[0-9a-f]{40}$`)
	digest     = regexp.MustCompile(`^[0-9a-f]{64}$`)
	pinned     = regexp.MustCompile(`^[a-z0-9-]+==[^\s=]+$`)
)

// batch checks what a Runner promises about the sessions in which programs run notebooks, and that other engines refuse
// them.
func batch(b *bench) {
	spec := b.spec(b.Working)
	spec.Owner, spec.Batch = "", &engine.Batch{}
	runner, ok := b.engine.(engine.Runner)
	if some, asks := b.engine.(interface{ RunsBatches() bool }); asks {
		ok = some.RunsBatches()
	}
	if !ok {
		if err := b.engine.Start(b.Context(), spec); fault.CodeOf(err) != fault.NotRunnable || fault.MessageOf(err) != engine.NoBatch {
			b.Errorf("Start: %v", err)
		}
		return
	}
	owned := spec
	owned.Owner = "ann@example.org"
	b.wants(fault.Invalid, "Start with an owner", b.engine.Start(b.Context(), owned))
	_, err := runner.Head(b.Context(), engine.Repository{URL: "ext::sh -c id", Folder: "x"})
	b.wants(fault.Invalid, "Head of a bad address", err)
	commit, err := runner.Head(b.Context(), b.Working)
	if err != nil || !fullCommit.MatchString(commit) {
		b.Fatalf("Head: %q %v", commit, err)
	}
	_, err = runner.Environment(b.Context(), spec.ID, engine.Python.Language)
	b.wants(fault.Conflict, "Environment before the start", err)
	_, err = runner.ReadFile(b.Context(), spec.ID, "x", 1)
	b.wants(fault.NotFound, "ReadFile before the start", err)

	b.start(spec)
	if status := b.await(spec.ID, engine.Running); !status.Batch || status.Commit != commit {
		b.Errorf("Batch: %v, commit %q, want %q", status.Batch, status.Commit, commit)
	}
	if status := b.status(b.running().ID); status.Batch || status.Commit != commit {
		b.Errorf("The session of a person is one of a program: %v, its commit is %q", status.Batch, status.Commit)
	}
	before, err := runner.Environment(b.Context(), spec.ID, engine.Python.Language)
	if err != nil || !digest.MatchString(before.Digest) || !strings.HasPrefix(before.Version, "3.") || len(before.Packages) == 0 ||
		!slices.IsSorted(before.Packages) || slices.ContainsFunc(before.Packages, func(one string) bool { return !pinned.MatchString(one) }) {
		b.Errorf("Environment: %+v %v", before, err)
	}
	b.reopen()
	runner, _ = b.engine.(engine.Runner)
	if status := b.await(spec.ID, engine.Running); !status.Batch || status.Commit != commit {
		b.Errorf("After kill -9 batch: %v, commit %q", status.Batch, status.Commit)
	}
	if after, err := runner.Environment(b.Context(), spec.ID, engine.Python.Language); err != nil || after.Digest != before.Digest {
		b.Errorf("Environment after kill -9: %+v %v", after, err)
	}
	b.stop(spec.ID)
	_, err = runner.Environment(b.Context(), spec.ID, engine.Python.Language)
	b.wants(fault.Conflict, "Environment after the stop", err)
	b.readFiles(runner, spec)
}

// readFiles reads files of a session that doesn't run.
func (b *bench) readFiles(runner engine.Runner, spec engine.Spec) {
	b.Helper()
	b.Put(spec.ID, "mine.txt", "precious")
	b.Link(spec.ID, "passwords", "/etc/passwd")
	b.Link(spec.ID, "up", "../..")
	readme, err := runner.ReadFile(b.Context(), spec.ID, spec.Repository.Folder+"/README.md", 1<<20)
	if err != nil || len(readme) == 0 {
		b.Errorf("ReadFile: %q %v", readme, err)
	}
	if text, err := runner.ReadFile(b.Context(), spec.ID, "mine.txt", 8); err != nil || string(text) != "precious" {
		b.Errorf("ReadFile: %q %v", text, err)
	}
	_, err = runner.ReadFile(b.Context(), spec.ID, "mine.txt", 7)
	b.wants(fault.TooLarge, "ReadFile of a file that is too large", err)
	for _, path := range []string{
		"", ".", "absent.txt", spec.Repository.Folder, "passwords", "up", "up/etc/passwd", "../record.json", "/etc/passwd", "mine.txt/", "./mine.txt",
	} {
		content, err := runner.ReadFile(b.Context(), spec.ID, path, 1<<20)
		b.wants(fault.NotFound, "ReadFile of "+path, err)
		if len(content) > 0 {
			b.Errorf("ReadFile of %q: %q", path, content)
		}
	}
}
