package localjupyter_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
)

// rRepository is a repository of R's packages on this machine's loopback, as CRAN is one.
type rRepository struct {
	*httptest.Server

	folder string
	asked  atomic.Int32
}

func serveR(t testing.TB) *rRepository {
	t.Helper()
	served := &rRepository{folder: t.TempDir()}
	served.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.asked.Add(1)
		http.FileServerFS(os.DirFS(served.folder)).ServeHTTP(w, r)
	}))
	t.Cleanup(served.Close)
	return served
}

// add adds a package with a script, in the list of current packages or beside it. imports are others that it needs.
func (s *rRepository) add(t testing.TB, name, version, imports, script string, current bool) {
	t.Helper()
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, name, "R"), 0o755); err != nil {
		t.Fatal(err)
	}
	about := fmt.Sprintf("Package: %s\nVersion: %s\nImports: %s\nLicense: Apache-2.0\nNeedsCompilation: no\n", name, version, imports)
	writeFile(t, filepath.Join(folder, name, "DESCRIPTION"), about+"Title: T\nDescription: D.\nAuthor: A\nMaintainer: A <a@example.org>\n")
	writeFile(t, filepath.Join(folder, name, "NAMESPACE"), "export(answer)\n")
	writeFile(t, filepath.Join(folder, name, "R", "answer.R"), script)
	place := filepath.Join(s.folder, "src/contrib")
	if !current {
		place = filepath.Join(place, "Archive", name)
	}
	if err := os.MkdirAll(place, 0o755); err != nil {
		t.Fatal(err)
	}
	tarGz(t, folder, filepath.Join(place, name+"_"+version+".tar.gz"))
	if current {
		list := filepath.Join(place, "PACKAGES")
		before, _ := os.ReadFile(list)
		writeFile(t, list, string(before)+about+"\n")
	}
}

// hasR reports whether this machine has R, as it must where nothing is skipped.
func hasR(t testing.TB, opened engine.KernelLister) bool {
	t.Helper()
	there := slices.ContainsFunc(opened.Kernels(t.Context()), func(one engine.Kernel) bool { return one.Language == "R" })
	if !there && os.Getenv("CI") == "true" {
		t.Error("R isn't installed.")
	}
	return there
}

// runR runs R in a session's box.
func (b *bench) runR(id, code string) string {
	b.Helper()
	return b.cell(id, fmt.Sprintf("import subprocess\nprint(subprocess.run(['Rscript', '-e', %q], capture_output=True, text=True))", code))
}

// TestRProfilesStayInTheBox has R run what a work folder's .Rprofile says: as the session, and nowhere else.
func TestRProfilesStayInTheBox(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.open()
	if !hasR(t, b.engine) || !b.engine.Isolation().Level.Mounts() {
		return
	}
	spec := b.running(b.url("working.git"))
	outside := []string{"/tmp/cairn-profile-" + spec.ID, "/usr/cairn-profile-" + spec.ID}
	b.put(spec.ID, "profile.R", fmt.Sprintf("cat(Sys.info()[['nodename']], file = '/session/work/ran')\nfor (one in c('%s')) suppressWarnings(try(file.create(one), silent = TRUE))\n", strings.Join(outside, "', '")))
	said := b.cell(spec.ID, "import os, subprocess\nos.chdir('/session/work')\nos.rename('profile.R', '.Rprofile')\nprint(subprocess.run(['Rscript', '-e', 'cat(6 * 7)'], capture_output=True, text=True).stdout)")
	if ran, err := os.ReadFile(b.work(spec.ID, "ran")); err != nil || string(ran) != "session" || !strings.Contains(said, "42") {
		t.Errorf("the profile left %q %v, and R said %q", ran, err, said)
	}
	for _, one := range outside {
		if _, err := os.Lstat(one); !os.IsNotExist(err) {
			t.Errorf("%s: %v", one, err)
		}
	}
}

// TestPackagesOfRAreBuiltAndFound builds packages of R, one of them hostile, from a repository in a private network.
func TestPackagesOfRAreBuiltAndFound(t *testing.T) {
	t.Parallel()
	served := serveR(t)
	b := newBench(t, func(options *localjupyter.Options) {
		options.Web, options.R.Repository = strictWeb(), served.URL
	})
	b.open()
	if !hasR(t, b.engine) {
		return
	}
	served.add(t, "cairnbase", "1.2", "", "answer <- function() 42\n", true)
	served.add(t, "cairnr", "1.2", "cairnbase", "answer <- function() cairnbase::answer()\n", true)
	served.add(t, "cairnold", "2.0", "", "answer <- function() 2\n", true)
	served.add(t, "cairnold", "0.9", "", "answer <- function() 0.9\n", false)
	served.add(t, "cairnbroken", "1.0", "", "answer <- stop('broken')\n", true)
	tries := ""
	for _, address := range forbidden(t) {
		host, port, _ := strings.Cut(address, ":")
		tries += fmt.Sprintf("found <- c(found, tryCatch({ close(socketConnection(%q, %s, timeout = 2)); 'REACHED' }, error = function(e) 'refused', warning = function(e) 'refused'))\n", host, port)
	}
	served.add(t, "CairnProbe", "1.0", "", "found <- c()\n"+tries+"found <- c(found, file.exists('/etc/shadow'))\nresult <- paste(found, collapse = ' ')\nanswer <- function() result\n", true)
	b.repository("r.git", func(folder string) {
		writeFile(t, folder+"/DESCRIPTION", "Package: study\nDepends: R (>= 99), methods\nImports: cairnr (>= 1.0), cairnold (== 0.9), cairnbroken, cairnabsent, cairnr, glue, cli (== 0.1)\n")
		writeFile(t, folder+"/install.R", "install.packages('CairnProbe')\n")
	})
	repository := b.localRepository("r.git")
	spec := b.running(repository)
	status := b.await(spec.ID, engine.Running)
	if !b.engine.Isolation().Level.Mounts() {
		if len(status.LeftOut) != 7 || served.asked.Load() > 0 {
			t.Errorf("Left out without boxes: %+v", status.LeftOut)
		}
		return
	}
	var left []string
	for _, one := range status.LeftOut {
		left = append(left, one.What)
	}
	if want := []string{"R >= 99", "cairnabsent (R)", "cli == 0.1 (R)", "cairnbroken (R)"}; !slices.Equal(left, want) {
		t.Errorf("Left out: %+v; the log: %s", status.LeftOut, status.Log)
	}
	note := b.read(filepath.Join(b.options.Dir, spec.ID, "work/Environment.txt"))
	for _, want := range []string{
		"Packages of R, installed from " + served.URL + ":\n  CairnProbe 1.0\n  cairnbase 1.2\n  cairnold 0.9\n  cairnr 1.2\n", "On this server anyway:\n  glue 1.", " (R)\n",
	} {
		if !strings.Contains(note, want) {
			t.Errorf("Environment.txt lacks %q: %s", want, note)
		}
	}
	b.wants("packages", b.runR(spec.ID, "cat(cairnr::answer(), cairnold::answer(), as.character(packageVersion('IRkernel')))"), "42 0.9 1.")
	b.wants("a library of one's own", b.runR(spec.ID, "cat(.libPaths()[2] == Sys.getenv('R_LIBS_USER'), file.access(.libPaths()[2], 2))"), "TRUE 0")
	probed := b.runR(spec.ID, "cat(CairnProbe::answer())")
	if strings.Contains(probed, "REACHED") || strings.Contains(probed, "TRUE") || !strings.Contains(probed, "refused") {
		t.Errorf("The code of a package got through: %s", probed)
	}
	found, err := b.engine.Environment(b.Context(), spec.ID, "r")
	if err != nil || !strings.HasPrefix(found.Version, "4.") || found.Digest == "" || !slices.Contains(found.Packages, "cairnr==1.2") ||
		!slices.ContainsFunc(found.Packages, func(one string) bool { return strings.HasPrefix(one, "IRkernel==") }) || slices.Contains(found.Packages, "stats=="+found.Version) {
		t.Errorf("The environment is %+v %v", found, err)
	}
	if other, err := b.engine.Environment(b.Context(), spec.ID, "octave"); err != nil || other.Digest != "" {
		t.Errorf("A language whose packages can't be listed has the environment %+v %v", other, err)
	}

	before := served.asked.Load()
	b.running(repository)
	if served.asked.Load() != before {
		t.Error("Packages that were built are asked for again")
	}
	served.Close()
	b.repository("other.git", func(folder string) { writeFile(t, folder+"/install.R", "install.packages('cairnnew')\n") })
	other := b.spec(b.localRepository("other.git"))
	b.start(other)
	if status := b.awaitFailed(other.ID); status.Code != diagnosis.IndexUnreachable {
		t.Errorf("Without the repository of packages it ended with %q: %s", status.Code, status.Log)
	}
}
