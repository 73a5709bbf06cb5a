package environments

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/requirements"
	"cairn/internal/sessions/files/folders"
)

func TestAnswersOfPipBecomeAListToInstall(t *testing.T) {
	t.Parallel()
	opened := openTestInstaller(t, Options{})
	packages := []requirements.Package{
		{Name: "six", Line: "six>1"},
		{Name: "numpy", Line: "numpy"},
		{Name: "torch", Conda: "pytorch", Line: "torch"},
		{Name: "winonly", Line: "winonly ; os_name == 'nt'"},
		{Name: "gone", Conda: "gone=1", Line: "gone==1.*"},
		{Name: "python", Line: "python==2.7.*"},
		{Name: "unasked", Line: "unasked"},
	}
	found := opened.sum(packages, map[int]checkAnswer{
		0: {0, "found", ""}, 1: {1, "there", "1.24"}, 2: {2, "found", ""}, 3: {3, "elsewhere", ""}, 4: {4, "lacking", ""}, 5: {5, "lacking", ""},
	}, nil)
	if want := []string{"--only-binary=torch", "six>1", "torch", "unasked", "numpy"}; !slices.Equal(found.Lines, want) {
		t.Errorf("pip gets %q", found.Lines)
	}
	if !slices.Equal(found.There, []string{"numpy 1.24"}) || !slices.Equal(found.Instead, []string{"pytorch (conda): torch"}) {
		t.Errorf("It has %q, and %q instead", found.There, found.Instead)
	}
	if len(found.Left) != 2 || found.Left[0].What != "gone=1 (conda)" || !strings.HasPrefix(found.Left[1].Why, "Sessions of this server have Python 3.") {
		t.Errorf("Left out: %+v", found.Left)
	}
	if !found.without(&lackingError{root: "Torch", needs: "nvidia-x==1"}) || len(found.Lines) != 4 || found.Left[2].Why != "It needs nvidia-x==1, which the package index doesn't have." {
		t.Errorf("Without torch it is %+v", found)
	}
	if found.without(&lackingError{root: "nvidia-x", needs: "y"}) {
		t.Error("A package that nobody asked for was left out")
	}
	if nothing := opened.sum(packages[1:2], map[int]checkAnswer{0: {0, "there", "1.24"}}, nil); len(nothing.Lines) != 0 {
		t.Errorf("What the server has is installed: %q", nothing.Lines)
	}
}

func TestWhatExcludesEachOtherIsNotInstalled(t *testing.T) {
	t.Parallel()
	opened := openTestInstaller(t, Options{})
	wanted, err := requirements.Read(requirements.FromTexts(map[string]string{"requirements.txt": "six==1.15.0\nsix==1.16.0\n"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = (&installation{Installer: opened}).fulfill(t.Context(), wanted, func(string) {})
	if diagnosis.CodeOf(err) != diagnosis.VersionConflict {
		t.Errorf("It ends with %v", err)
	}
}

// The operators' builder gets no file that it couldn't use, so it can't say what it leaves out of them.
func TestABuilderLeavesOutWhatItNeverGets(t *testing.T) {
	t.Parallel()
	opened := openTestInstaller(t, Options{Builder: Builder{Command: "/usr/bin/true"}})
	if !opened.builds() {
		t.Skip("this machine has no boxes in which a builder runs")
	}
	wanted, err := requirements.Read(requirements.FromTexts(map[string]string{"environment.yml": "dependencies: [mpfr]", "requirements.txt": "six", "setup.py": "x"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, left, build := opened.plan(wanted); !build || len(left) != 2 || left[0].What != "requirements.txt" || left[1].What != "setup.py" {
		t.Errorf("It builds: %v, without %+v", build, left)
	}
}

func TestWhatPipLacksIsTheFaultOfOnePackage(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"ERROR: Could not find a version that satisfies the requirement cairndemo==7 (from versions: 1.0)":                       "cairndemo==7 cairndemo==7",
		"ERROR: Could not find a version that satisfies the requirement cairnmissing>=2 (from cairnneedy) (from versions: none)": "cairnneedy cairnmissing>=2",
		"ERROR: Cannot install a==1 and b==2 because these package versions have conflicting dependencies.":                      "",
		"ERROR: No matching distribution found for cairndemo==7":                                                                 "",
	} {
		said := pipOutput{tell: func(string) {}, log: func(string) {}, plain: func(line string) string { return line }}
		if err := said.read(strings.NewReader(line + "\n")); err != nil {
			t.Fatal(err)
		}
		got := ""
		if said.lacking != nil {
			got = said.lacking.root + " " + said.lacking.needs
		}
		if got != want {
			t.Errorf("%s: %q", line, got)
		}
	}
}

// The work folder belongs to its user, who may have a file of that name, or put a link in its place.
func TestTheNoteReplacesNothingOfTheUsers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, folders.Work), 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	name := filepath.Join(folder, folders.Work, noteName)
	installer := &Installer{}
	about := Environment{asked: true, LeftOut: []engine.LeftOut{{What: "x", Why: "First."}}}
	write := func() string {
		t.Helper()
		if err := installer.writeNote(root, about, 0); err != nil {
			t.Fatal(err)
		}
		return readText(t, name)
	}
	if text := write(); text != noteHead+"\nNothing was installed: notebooks run on what this server has.\n\nLeft out:\n  x: First.\n" {
		t.Errorf("It says %q", text)
	}
	about.LeftOut[0].Why = "Second."
	if text := write(); !strings.Contains(text, "x: Second.") {
		t.Errorf("It still says %q", text)
	}
	if err := os.WriteFile(name, []byte("My notes"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text := write(); text != "My notes" {
		t.Errorf("The notes are %q", text)
	}
	other := filepath.Join(folder, "other")
	if err := os.WriteFile(other, []byte(noteHead), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../other", name); err != nil {
		t.Fatal(err)
	}
	if text := write(); text != noteHead {
		t.Errorf("What a link leads to is now %q", text)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(content)
}
