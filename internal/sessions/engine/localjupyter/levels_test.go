package localjupyter_test

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/machine/sandbox"
)

// levelVariable tells TestLevelHere which level it has to find; it is run again as another user with it.
const levelVariable = "CAIRN_TEST_LEVEL"

func withInternet(options *localjupyter.Options) { options.Network = sandbox.Internet }

// TestLevelHere runs a whole session at the level that this account gets. Without the variable that is A: tests run as
// root with bubblewrap.
func TestLevelHere(t *testing.T) {
	t.Parallel()
	level := sandbox.Level(os.Getenv(levelVariable))
	if level == "" {
		level = sandbox.LevelA
	}
	served := serveIndex(t, wheels(t))
	b := representativeBench(t, withInternet, func(options *localjupyter.Options) {
		options.Pip.IndexURL = served.address()
		if level == sandbox.LevelC || level == sandbox.LevelD {
			options.Bubblewrap = "/nonexistent"
		}
		if level == sandbox.LevelC {
			options.OpenDir = filepath.Join(openFolder(t), "sessions", "local")
		}
	})
	b.repository("working.git", func(folder string) { writeFile(t, folder+"/requirements.txt", "cairndemo==1.0") })
	database := filepath.Join(filepath.Dir(b.options.Dir), "cairn.db") // in the data folder
	writeFile(t, database, "secret")
	if os.Getenv(levelVariable) != "" { // nothing else runs in this process
		syscall.Umask(0o077) // as the server has it
	}
	if got := b.open().Isolation(); got.Level != level || got.Sentence == "" || got.Open != "" {
		t.Fatalf("The level is %+v, want %s", got, level)
	}
	var told []string
	err := b.engine.Diagnose(t.Context(), func(text string) { told = append(told, text) })
	if lines := strings.Join(told, "\n"); err != nil || !strings.HasPrefix(lines, "Jupyter: ") || !strings.Contains(lines, "\nIsolation "+string(level)+": ") {
		t.Errorf("It is described as %q %v", told, err)
	}
	reach := b.engine.Isolation().Network
	_, denied := os.OpenFile("/dev/net/tun", os.O_RDWR, 0)
	switch {
	case level == sandbox.LevelC || level == sandbox.LevelD:
		if reach.Network != "all" || !strings.Contains(reach.Sentence, "install bubblewrap") {
			t.Errorf("The network is %+v", reach)
		}
	case denied != nil: // an ordinary user's machine may keep it for root
		if reach.Network != sandbox.None || !strings.Contains(reach.Sentence, "/dev/net/tun") {
			t.Errorf("The network is %+v", reach)
		}
	case reach.Network != sandbox.Internet:
		t.Errorf("The network is %+v", reach)
	}
	b.installsFromAnIndex(level, served)
	b.runsBatch()
	repository := b.url("working.git")
	if level.OwnAccount() {
		repository.LocalPath = filepath.Join(b.folder, "working.git") // below a closed folder
	}
	spec := b.running(repository)
	kernel := b.kernel(spec.ID)
	defer kernel.Close()

	b.wants("reading the dataset", kernel.Run(`
import os
print(open(os.environ["CAIRN_DATASETS"] + "/spikes/values.csv").read(), os.getcwd() + "|", os.listdir("working"))`),
		"1,2,3")
	b.wants("writing to the dataset", kernel.Run(
		`import os; open(os.environ["CAIRN_DATASETS"] + "/spikes/values.csv", "w")`), "Error: [Errno")
	b.wants("adding to the dataset", kernel.Run(
		`import os; open(os.environ["CAIRN_DATASETS"] + "/spikes/new.csv", "w")`), "Error: [Errno")
	temporary := "/tmp/"
	if level == sandbox.LevelC || level == sandbox.LevelD {
		temporary = filepath.Join(b.engine.Dir(), spec.ID, "tmp") + "/"
	}
	b.wants("a place of its own for what is temporary", kernel.Run(`import tempfile; print(tempfile.mkdtemp())`), temporary)
	b.wants("the packages", kernel.Run(`import cairndemo, tornado; print(cairndemo.answer())`), "demo 1.0")
	b.wants("git's origin", kernel.Run(
		`import subprocess; print(subprocess.run(["git", "-C", "working", "remote", "get-url", "origin"],
			capture_output=True, text=True))`), repository.URL)
	b.wants("ordinary permissions", kernel.Run(`
import os
open("new.txt", "w").close(); os.mkdir("new")
print(*(oct(os.stat(name).st_mode & 0o777) for name in ("new.txt", "new", "working", "working/README.md")))`), "0o644 0o755 0o755 0o644")
	if level != sandbox.LevelD {
		b.wants("reading the database", kernel.Run(`open("`+database+`").read()`), "Error: [Errno")
		b.closedToOthers(spec.ID)
	}
	b.savesAndRestores(spec.ID)
	seconds := itoa(100000 + rand.IntN(100000))
	b.wants("leaving a process behind", kernel.Run(`
import subprocess
subprocess.Popen(["/usr/bin/setsid", "/usr/bin/sleep", "`+seconds+`"], env={})
open("mine.txt", "w").write("precious"); print("left")`), "left")

	b.awaitProcess("sleep\x00"+seconds, 0)
	b.stop(spec.ID)
	b.nothingLeft(spec.ID)
	// Without an account or a namespace of its own, a process without the session's tag is not found.
	if left := processesNaming("sleep\x00" + seconds); len(left) > 0 && level != sandbox.LevelD {
		t.Errorf("Processes %v survived the stop", left)
	} else if level == sandbox.LevelD {
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	if text, err := os.ReadFile(b.work(spec.ID, "mine.txt")); err != nil || string(text) != "precious" {
		t.Errorf("The work is %q %v", text, err)
	}
	b.start(spec)
	b.await(spec.ID, engine.Running)
	b.wants("reading again", b.cell(spec.ID,
		`import os; print(open("mine.txt").read(), open(os.environ["CAIRN_DATASETS"] + "/spikes/values.csv").read())`),
		"precious 1,2,3")
	if err := b.engine.Remove(t.Context(), spec.ID); err != nil {
		t.Error(err)
	}
	if entries, _ := filepath.Glob(b.engine.Dir() + "/*" + spec.ID + "*"); len(entries) != 0 {
		t.Errorf("Something is left: %v", entries)
	}
}

// installsFromAnIndex builds a package where its code reaches nothing but the index, and elsewhere refuses to.
func (b *bench) installsFromAnIndex(level sandbox.Level, served *index) {
	b.Helper()
	addresses := forbidden(b)
	probe(b, served.folder, addresses)
	b.repository("hostile.git", func(folder string) { writeFile(b, folder+"/requirements.txt", "cairnprobe") })
	switch level {
	case sandbox.LevelA: // TestPackagesAreBuiltWithoutANetwork
	case sandbox.LevelB:
		b.builtWithoutANetwork(b.url("hostile.git"), addresses)
	default:
		spec := b.running(b.url("hostile.git"))
		status := b.await(spec.ID, engine.Running)
		if len(status.LeftOut) != 1 || status.LeftOut[0].What != "cairnprobe" || !strings.Contains(status.LeftOut[0].Why, "as a wheel") {
			b.Errorf("Left out is %+v\n%s", status.LeftOut, status.Log)
		}
	}
}

// shared are what sessions' accounts see of the folder of an engine, as patterns; and what lies below the last ones.
var (
	shared      = []string{"hosts", "resolv.conf", "gitconfig", "cache/environments", "cache/repositories"}
	sharedTrees = []string{"cache/environments/*", "cache/repositories/*", "cache/datasets/*/content", "*/datasets", "*/work", "*/home"}
)

// closedToOthers checks that the data folder, in which the database lies too, is closed but for what sessions see. Where
// they see it by themselves, nothing of theirs lies there.
func (b *bench) closedToOthers(id string) {
	b.Helper()
	data, seen := filepath.Dir(b.options.Dir), 0
	matches := func(patterns []string, name string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool { found, _ := path.Match(pattern, name); return found })
	}
	err := filepath.WalkDir(b.options.Dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, _ := filepath.Rel(b.options.Dir, name)
		if matches(sharedTrees, inside) {
			return fs.SkipDir
		}
		about, err := entry.Info()
		if err == nil && about.Mode().Perm()&0o077 != 0 && !matches(shared, inside) {
			b.Errorf("%s has the permissions %s", name, about.Mode())
		}
		seen++
		return err
	})
	if about, statErr := os.Stat(data); err != nil || statErr != nil || about.Mode().Perm() != 0o700 || seen == 0 {
		b.Errorf("The data folder has %v, %d in it, %v %v", about.Mode(), seen, err, statErr)
	}
	if _, err := os.Stat(filepath.Join(b.options.Dir, id)); (err == nil) != b.engine.Isolation().Level.Mounts() {
		b.Errorf("The session's folder in the data folder: %v", err)
	}
}

// TestLevelsOfOthers runs TestLevelHere as this server has its umask, where there is no bubblewrap, and as an ordinary user.
func TestLevelsOfOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs TestLevelHere four times more")
	}
	t.Parallel()
	folder := openFolder(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(folder, "levels.test")
	if err := os.WriteFile(program, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	root, ordinary := [2]string{"0", "0"}, [2]string{"65534", "65533"} // a user and a group; those of a system account often differ
	for level, account := range map[string][2]string{"A": root, "B": ordinary, "C": root, "D": ordinary} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			temporary := filepath.Join(folder, level)
			if err := os.Mkdir(temporary, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(temporary, 0o777); err != nil {
				t.Fatal(err)
			}
			command := exec.Command("/usr/bin/setpriv", "--reuid", account[0], "--regid", account[1], "--clear-groups", "--",
				program, "-test.run", "^TestLevelHere$", "-test.v")
			command.Dir = temporary
			command.Env = []string{"PATH=/usr/bin:/bin", "TMPDIR=" + temporary, levelVariable + "=" + level, realVariable + "=" + os.Getenv(realVariable)}
			if output, err := command.CombinedOutput(); err != nil || !strings.Contains(string(output), "--- PASS") {
				t.Errorf("Level %s: %v\n%s", level, err, output)
			}
		})
	}
}

// Operators are told why sessions do not have the network that was asked for.
func TestWithoutTheMeansSessionsHaveNoNetwork(t *testing.T) {
	t.Parallel()
	b := newBench(t, withInternet, func(options *localjupyter.Options) { options.Slirp = "/nonexistent/slirp4netns" })
	reach := b.open().Isolation().Network
	if reach.Network != sandbox.None || !strings.Contains(reach.Sentence, "slirp4netns") {
		t.Errorf("The network is %+v", reach)
	}
}

func TestCheckTellsWhatIsMissing(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*localjupyter.Options)
		want   string
	}{
		"jupyter": {
			func(o *localjupyter.Options) { o.Jupyter = "/nonexistent/jupyter-notebook" },
			"/nonexistent/jupyter-notebook isn't on this server",
		},
		"git": {func(o *localjupyter.Options) { o.Git = "/nonexistent/git" }, "apt-get install git"},
		// Without bubblewrap the sessions' accounts would have to walk through the closed folder themselves.
		"closed folder": {func(o *localjupyter.Options) { o.Bubblewrap = "/nonexistent" }, "apt-get install bubblewrap"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := representativeBench(t, test.change)
			b.open()
			err := b.engine.Check(t.Context())
			if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), test.want) {
				t.Errorf("Check: %v", err)
			}
			spec := b.spec(b.url("working.git"))
			if err := b.engine.Start(t.Context(), spec); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("Start: %v", err)
			}
			if all, _ := b.engine.List(t.Context()); len(all) != 0 {
				t.Errorf("A session that cannot start is known: %v", all)
			}
		})
	}
}

// openFolder is a temporary folder that every account can reach.
func openFolder(t testing.TB) string {
	t.Helper()
	folder := t.TempDir()
	for _, closed := range []string{folder, filepath.Dir(folder)} {
		if err := os.Chmod(closed, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
