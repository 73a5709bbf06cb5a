package localjupyter_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"cairn/internal/sessions/engine"
)

// objectHost stands before the repositories and has the objects of Git LFS.
type objectHost struct {
	url string

	mu      sync.Mutex
	objects map[string]string // what is sent, by SHA-256
}

// keep returns the pointer to a content, for which sent is sent; "" means that the host lacks it.
func (h *objectHost) keep(content, sent string) (pointer string) {
	digest := sha256.Sum256([]byte(content))
	oid := hex.EncodeToString(digest[:])
	h.mu.Lock()
	defer h.mu.Unlock()
	if sent != "" {
		h.objects[oid] = sent
	}
	return fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n", oid, len(content))
}

func (h *objectHost) has(oid string) (content string, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	content, ok = h.objects[oid]
	return content, ok
}

func (b *bench) objectHost() *objectHost {
	b.Helper()
	to, err := url.Parse(b.repositories.URL)
	if err != nil {
		b.Fatal(err)
	}
	host := &objectHost{objects: map[string]string{}}
	repositories := httputil.NewSingleHostReverseProxy(to)
	host.url = serve(b, func(w http.ResponseWriter, r *http.Request) {
		if oid, asked := strings.CutPrefix(r.URL.Path, "/objects/"); asked {
			content, _ := host.has(oid)
			if r.Header.Get("X-Pass") != "once" {
				w.WriteHeader(http.StatusForbidden)
			}
			_, _ = w.Write([]byte(content))
			return
		}
		if r.URL.Path != "/data.git/info/lfs/objects/batch" {
			repositories.ServeHTTP(w, r)
			return
		}
		type object map[string]any
		var asked struct {
			Operation string
			Objects   []struct {
				OID  string
				Size int64
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.Operation != "download" || r.Method != http.MethodPost {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		var objects []object
		for _, one := range asked.Objects {
			answer := object{"oid": one.OID, "size": one.Size, "error": object{"code": 404, "message": "Object does not exist"}}
			if _, there := host.has(one.OID); there {
				answer = object{"oid": one.OID, "size": one.Size, "actions": object{"download": object{"href": host.url + "/objects/" + one.OID, "header": object{"X-Pass": "once"}}}}
			}
			objects = append(objects, answer)
		}
		_ = json.NewEncoder(w).Encode(object{"transfer": "basic", "objects": objects})
	})
	return host
}

// What a repository has only names of comes with it: files in Git LFS and submodules. What can't be had is named.
func TestAClonesFilesFromElsewhere(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	host := b.objectHost()
	huge := strings.Repeat("x", 100)
	pointers := map[string]string{
		"data/my table.csv": host.keep("1,2\n", "1,2\n"), "start.ipynb": host.keep(`{"cells":[]}`, `{"cells":[]}`), "copy.csv": host.keep("1,2\n", "1,2\n"),
		"absent.csv": host.keep("never uploaded", ""), "forged.csv": host.keep("what the author made", "what someone else sends"), "short.csv": host.keep("all of it", "all"),
		"huge.csv": strings.Replace(host.keep(huge, huge), "size 100\n", "size 99999999999999999\n", 1),
	}
	b.repository("data.git", func(folder string) {
		b.write("data.git.tree/.gitattributes", "*.csv filter=lfs diff=lfs merge=lfs -text\n*.ipynb filter=lfs -text\n")
		for path, pointer := range pointers {
			b.write("data.git.tree/"+path, pointer)
		}
	})
	tree := filepath.Join(b.folder, "data.git.tree")
	for path, address := range map[string]string{"lib": "../working.git", "gone": "../nowhere.git", "key": "git@example.org:lab/private.git"} {
		b.git("-C", tree, "config", "-f", ".gitmodules", "submodule."+path+".path", path)
		b.git("-C", tree, "config", "-f", ".gitmodules", "submodule."+path+".url", address)
	}
	commit := strings.TrimSpace(b.read(filepath.Join(b.folder, "working.git.tree/.git/refs/heads/main")))
	for _, path := range []string{"lib", "gone", "key"} {
		b.git("-C", tree, "update-index", "--add", "--cacheinfo", "160000,"+commit+","+path)
	}
	b.git("-C", tree, "add", ".gitmodules")
	b.git("-C", tree, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "-m", "Modules")
	b.git("-C", tree, "push", "--quiet", filepath.Join(b.folder, "data.git"), "main")
	b.open()
	spec := b.running(engine.Repository{URL: host.url + "/data.git", Folder: "study"})
	for path, want := range map[string]string{
		"data/my table.csv": "1,2\n", "start.ipynb": `{"cells":[]}`, "copy.csv": "1,2\n", "lib/README.md": "# working.git\n",
		"absent.csv": pointers["absent.csv"], "forged.csv": pointers["forged.csv"], "short.csv": pointers["short.csv"], "huge.csv": pointers["huge.csv"],
	} {
		if content, err := os.ReadFile(b.work(spec.ID, "study/"+path)); err != nil || string(content) != want {
			t.Errorf("%s: %q %v", path, content, err)
		}
	}
	for _, path := range []string{"study/gone", "study/key"} {
		if found, err := os.ReadDir(b.work(spec.ID, path)); err != nil || len(found) != 0 {
			t.Errorf("%s has %v, %v", path, found, err)
		}
	}
	const lacks = `The files of submodules aren't copied: "gone", "key". ` +
		`Files in Git LFS aren't copied; there are only pointers to them: "absent.csv", "forged.csv", "huge.csv" and 1 more.`
	if step := stepOf(b.await(spec.ID, engine.Running), engine.StepRepository); step.Detail != lacks {
		t.Errorf("the launch says %q", step.Detail)
	}
	// Its files belong to the session, and git calls none of them changed.
	if said := b.cell(spec.ID, `import os, subprocess
os.chdir("/session/work/study") if os.path.isdir("/session/work/study") else os.chdir("study")
print(os.stat("copy.csv").st_uid == os.getuid(), os.access("lib/README.md", os.W_OK), repr(subprocess.run(["git", "status", "--porcelain"], capture_output=True, text=True).stdout))`); strings.TrimSpace(said) != `True True ''` {
		t.Errorf("inside the session: %s", said)
	}
}
