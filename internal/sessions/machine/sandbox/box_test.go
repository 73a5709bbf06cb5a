package sandbox_test

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"testing"

	"cairn/internal/sessions/machine/sandbox"
)

func TestRunTellsWhatACommandSaysAndHowItEnds(t *testing.T) {
	t.Parallel()
	b := open(t)
	box := b.box(`import sys; print("out", flush=True); print("err", file=sys.stderr, flush=True); sys.exit(3)`)
	said, err := b.try(box)
	var exit *exec.ExitError
	if said != "out\nerr\n" || !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("It said %q and ended with %v", said, err)
	}
	box.Command = []string{"/nonexistent/program"}
	if said, err := b.try(box); !errors.As(err, &exit) || said == "" {
		t.Errorf("A program that is not there: %q %v", said, err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	b := open(t)
	box := b.box(`print("begun", flush=True); import time; time.sleep(600)`)
	ctx, giveUp := context.WithCancelCause(t.Context())
	cause := errors.New("given up")
	err := b.Run(ctx, box, func(from io.Reader) error {
		_, err := from.Read(make([]byte, 10))
		giveUp(cause)
		_, _ = io.Copy(io.Discard, from)
		return err
	})
	if !errors.Is(err, cause) {
		t.Errorf("It ended with %v", err)
	}
	b.sweep(sandbox.Record{Name: box.Name, Account: box.Account})
}

func TestABoxThatEndsAtOnceHasAnExitCode(t *testing.T) {
	t.Parallel()
	b := open(t)
	box := b.box("")
	box.Command, box.Report = []string{"/bin/sh", "-c", "exit 7"}, filepath.Join(b.folder, "report")
	b.await(b.start(box))
	if code, err := sandbox.ExitCode(box.Report); code != 7 || err != nil {
		t.Errorf("The exit code is %d %v", code, err)
	}
	box.Name = ""
	if _, err := b.Start(t.Context(), box); err == nil {
		t.Error("A box without a name, which could never be found again, is started")
	}
}

// Mounting something inaccessible leaves the folders above it accessible, and what a mount provides isn't changed.
func TestMountsBelowMounts(t *testing.T) {
	t.Parallel()
	b := open(t)
	box := b.box(`
import os
print(sorted(os.listdir("/box")), os.listdir("/box/work/inner"), open("/box/a/b/file").read())
try:
    open("/box/a/b/file", "w")
except OSError as error:
    print("refused", error.errno)`)
	inner, file := filepath.Join(b.folder, "inner"), filepath.Join(b.folder, "file")
	if output, err := exec.Command("/usr/bin/install", "-d", "-m", "755", inner, filepath.Join(box.Mounts[0].From, "inner")).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, output)
	}
	b.write(filepath.Join(inner, "there"), "")
	b.write(file, "content")
	box.Mounts = append(box.Mounts, sandbox.Mount{From: inner, To: "/box/work/inner"}, sandbox.Mount{From: file, To: "/box/a/b/file"})
	if said := b.run(box); said != "['a', 'work'] ['there'] content\nrefused 30\n" {
		t.Errorf("The box printed %q", said)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]sandbox.Options{
		"relative folder": {Dir: "boxes", Name: "x"},
		"no name":         {Dir: t.TempDir()},
		"all":             {Dir: t.TempDir(), Name: "x", Network: sandbox.All},
		"PATH":            {Dir: t.TempDir(), Name: "x", Programs: sandbox.Programs{Bubblewrap: "bwrap"}},
	} {
		if _, err := sandbox.Open(options); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
