package environments

import (
	"errors"
	"os"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/files/folders"
)

func newUnboxed(t *testing.T) Unboxed {
	t.Helper()
	return Unboxed{Folder: t.TempDir(), Tell: func(string) {}, Log: func(line string) { t.Log(line) }}
}

func TestAnotherPythonIsLeftOutWithoutAnIndex(t *testing.T) {
	t.Parallel()
	made := newUnboxed(t)
	left, err := made.Make(t.Context(), []string{"python>=3", "python==2.7.*", "python=>oops"})
	if err != nil || len(left) != 2 || left[0].What != "Python==2.7.*" || !strings.HasPrefix(left[0].Why, "Sessions of this server have Python 3.") || left[1].What != "Python=>oops" {
		t.Errorf("Left out: %+v, %v", left, err)
	}
	if _, err := os.Stat(PythonOf(made.Folder)); err != nil {
		t.Error(err)
	}
}

// pip says that it lacks a package also if it can't reach its index.
func TestAnIndexThatIsAwayLacksNothing(t *testing.T) {
	t.Parallel()
	made := newUnboxed(t)
	made.Index = "http://127.0.0.1:1/simple/"
	left, err := made.Make(t.Context(), []string{"firefly"})
	if diagnosis.CodeOf(err) != diagnosis.IndexUnreachable {
		t.Errorf("It ends with %v, without %+v", err, left)
	}
}

func TestAnImageWithoutPythonIsTheOperatorsBusiness(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := newUnboxed(t).Make(t.Context(), []string{"firefly"}); diagnosis.CodeOf(err) != diagnosis.ServerFault || !strings.Contains(fault.MessageOf(err), "lacks Python") {
		t.Errorf("It ends with %v", err)
	}
}

func TestWhatPipPrintsSaysWhyItFailed(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device": folders.DiskFull,
		"OSError: [Errno 122] Disk quota exceeded: '/session/environments/x'":                     folders.DiskFull,
		"ERROR: It hurts.": "This repository's packages couldn't be installed: It hurts.",
		"Traceback":        "This repository's packages couldn't be installed. See the log.",
	} {
		said := pipOutput{tell: func(string) {}, log: func(string) {}, plain: func(line string) string { return line }}
		if err := said.read(strings.NewReader(line + "\n")); err != nil {
			t.Fatal(err)
		}
		err := said.failure(errors.New("exit status 1"))
		if got := fault.MessageOf(err); got != want || (diagnosis.CodeOf(err) == diagnosis.DiskFull) != (want == folders.DiskFull) {
			t.Errorf("%s: %q, %s", line, got, diagnosis.CodeOf(err))
		}
	}
}

func TestOnlyThePackageThatLacksSomethingIsLeftOut(t *testing.T) {
	t.Parallel()
	said := pipOutput{tell: func(string) {}, log: func(string) {}, plain: func(line string) string { return line }}
	if err := said.read(strings.NewReader("ERROR: Could not find a version that satisfies the requirement b>1 (from a-b) (from versions: none)\n")); err != nil {
		t.Fatal(err)
	}
	lacking, ok := errors.AsType[*lackingError](said.failure(errors.New("exit status 1")))
	if !ok {
		t.Fatal("pip lacks nothing")
	}
	found := checked{Lines: []string{"z", "A.B[x]>=1 --hash=sha256:00"}}
	if !found.without(lacking) || len(found.Lines) != 1 || found.Left[0].What != "A.B[x]>=1" || found.Left[0].Why != "It needs b>1, which the package index doesn't have." {
		t.Errorf("It is %+v", found)
	}
	if found.without(lacking) {
		t.Error("A package that nobody asked for was left out")
	}
}
