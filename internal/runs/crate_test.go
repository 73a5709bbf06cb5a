package runs

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/rocrate"
	"cairn/internal/runs/executor"
)

// unpacked is a crate as a reader finds it.
type unpacked struct {
	text  string // of its description
	files map[string]string
	nodes map[string]map[string]any // by id
}

// crateOf returns the crate of a run of "rivers", which has the shape that RO-Crate and its profile ask for.
func (w *world) crateOf(run Run) unpacked {
	w.t.Helper()
	pack := func(account string) []byte {
		made, err := w.service.Crate(w.As(account), run.ResourceID, run.ID)
		check(w.t, err)
		defer made.Close()
		var packed bytes.Buffer
		check(w.t, made.Zip(&packed))
		return packed.Bytes()
	}
	packed := pack("")
	if again := pack(ann); !bytes.Equal(packed, again) {
		w.t.Error("a second crate of the same run has other bytes")
	}
	archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	check(w.t, err)
	crate := unpacked{files: map[string]string{}, nodes: map[string]map[string]any{}}
	for _, one := range archive.File {
		file, err := one.Open()
		check(w.t, err)
		content, err := io.ReadAll(file)
		check(w.t, err)
		crate.files[one.Name] = string(content)
	}
	crate.text = crate.files[rocrate.MetadataName]
	delete(crate.files, rocrate.MetadataName)
	crate.read(w.t)
	crate.checkShape(w.t)
	return crate
}

func (u *unpacked) read(t *testing.T) {
	t.Helper()
	var document struct {
		Context []string         `json:"@context"`
		Graph   []map[string]any `json:"@graph"`
	}
	check(t, json.Unmarshal([]byte(u.text), &document))
	if !slices.Equal(document.Context, []string{"https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/terms/workflow-run/context"}) {
		t.Errorf("its contexts are %v", document.Context)
	}
	for _, node := range document.Graph {
		id, _ := node["@id"].(string)
		if id == "" || node["@type"] == nil || u.nodes[id] != nil {
			t.Errorf("a node without an id or a type, or a second one with its id: %v", node)
		}
		u.nodes[id] = node
	}
}

// checkShape checks what holds for all crates.
func (u *unpacked) checkShape(t *testing.T) {
	t.Helper()
	descriptor, root := u.nodes[rocrate.MetadataName], u.nodes["./"]
	if referred(descriptor["about"])[0] != "./" || referred(descriptor["conformsTo"])[0] != "https://w3id.org/ro/crate/1.1" || descriptor["@type"] != "CreativeWork" {
		t.Errorf("the descriptor is %v", descriptor)
	}
	for _, needed := range []string{"name", "description", "datePublished", "license"} {
		if root[needed] == nil || root["@type"] != "Dataset" {
			t.Errorf("the root lacks its %s: %v", needed, root)
		}
	}
	if profile := u.nodes["https://w3id.org/ro/wfrun/process/0.5"]; profile["@type"] != "CreativeWork" || referred(root["conformsTo"])[0] != profile["@id"] {
		t.Errorf("the root conforms to %v, which is %v", root["conformsTo"], profile)
	}
	parts := referred(root["hasPart"])
	for id, node := range u.nodes {
		for property, value := range node {
			for _, other := range referred(value) {
				if external := id == rocrate.MetadataName && property == "conformsTo"; u.nodes[other] == nil && !external {
					t.Errorf("%s of %s is %s, which isn't in the graph", property, id, other)
				}
			}
		}
		if content, packed := u.files[id]; (node["@type"] == "File") != packed || packed != slices.Contains(parts, id) || (packed && node["sha256"] != digestOf(content)) {
			t.Errorf("%s is in the zip: %t, and the graph has %v", id, packed, node)
		}
	}
	if len(parts) != len(u.files) {
		t.Errorf("the root has %v, and the zip %d files", parts, len(u.files))
	}
	if found := regexp.MustCompile(`[\w.+-]+@[\w-]+\.\w+|"(?:file:/|/)[^"]*"|\.\./`).FindString(u.text); found != "" {
		t.Errorf("it says %q, which is an address of a person or a path of this machine", found)
	}
}

func digestOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// referred returns the ids that a value refers to.
func referred(value any) (ids []string) {
	switch value := value.(type) {
	case map[string]any:
		id, _ := value["@id"].(string)
		return []string{id}
	case []any:
		for _, one := range value {
			ids = append(ids, referred(one)...)
		}
	}
	return ids
}

// action returns the execution, with its times read.
func (u *unpacked) action(t *testing.T) map[string]any {
	t.Helper()
	mentioned := referred(u.nodes["./"]["mentions"])
	if len(mentioned) != 1 {
		t.Fatalf("the root mentions %v", mentioned)
	}
	action := u.nodes[mentioned[0]]
	var times [2]time.Time
	for i, name := range []string{"startTime", "endTime"} {
		var err error
		text, _ := action[name].(string)
		if times[i], err = time.Parse(time.RFC3339, text); err != nil {
			t.Error(err)
		}
	}
	if times[1].Before(times[0]) {
		t.Errorf("it took from %s to %s", times[0], times[1])
	}
	agent, instrument := u.nodes[referred(action["agent"])[0]], u.nodes[referred(action["instrument"])[0]]
	if agent["@type"] != "Organization" || agent["name"] != "Sound" || instrument["@type"] != "SoftwareApplication" || instrument["name"] == "" || instrument["url"] == "" {
		t.Errorf("%v did it with %v", agent, instrument)
	}
	return action
}

func TestCrate(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		rivers := catalogtest.Entry("rivers", catalogtest.By(ann), catalogtest.Repository("https://github.com/example/rivers.git"))
		rivers.License, rivers.People = "MIT", []catalog.Credit{{Name: "Ann Author", ORCID: "0000-0002-1825-0097"}, {Name: "Ben"}, {Email: bob}, {Name: dave}}
		w.Import(rivers)
		w.Open()
		w.service = w.newService()
		w.work(w.service)
		executed := strings.Replace(notebook("1\n", "2\n"), `"metadata":{},"nbformat"`, `"metadata":{"kernelspec":{"display_name":"Python 3"},"language_info":{"version":"3.11.9"}},"nbformat"`, 1)
		w.kernels(func(context.Context, []byte, executor.Options) executor.Executed { return finished(executed) })
		run := w.run("")
		crate := w.crateOf(run)
		citation, err := w.service.Citation(w.As(""), run.ResourceID, run.ID, "/api/v1/rf/resources/public/"+run.ResourceID+"/runs/"+run.ID+"/crate.zip")
		if address := "/resources/public/" + run.ResourceID + "/runs/" + run.ID + "/crate.zip"; err != nil || citation.NamesGuessed ||
			!strings.HasSuffix(citation.Texts[1].Text, "[RO-Crate]. Hill. https://sound.example.org/api/v1/rf"+address) {
			t.Errorf("it is cited as %+v, %v", citation, err)
		}
		action := crate.action(t)
		if action["@type"] != "CreateAction" || action["actionStatus"] != "http://schema.org/CompletedActionStatus" || action["error"] != nil ||
			!slices.Equal(referred(action["object"]), []string{authorName, "https://github.com/example/rivers.git"}) ||
			!slices.Equal(referred(action["result"]), []string{executedName, comparisonName, logName}) {
			t.Errorf("the execution is %v", action)
		}
		before, repository, kernel := crate.nodes[authorName], crate.nodes["https://github.com/example/rivers.git"], crate.nodes["#kernel"]
		if before["sha256"] != run.Digest || before["alternateName"] != "first.ipynb" || repository["version"] != run.Commit {
			t.Errorf("what was executed is %v of %v", before, repository)
		}
		if kernel["name"] != "Python 3" || kernel["softwareVersion"] != "3.11.9" || len(referred(kernel["softwareRequirements"])) != len(run.Environment.Packages) {
			t.Errorf("the kernel is %v", kernel)
		}
		root := crate.nodes["./"]
		if !slices.Equal(referred(root["author"]), []string{"https://orcid.org/0000-0002-1825-0097", "#author-2"}) || referred(root["license"])[0] != "https://spdx.org/licenses/MIT" {
			t.Errorf("the root is %v", root)
		}
	})
}

// Runs that failed, that a person stopped, and of which only the log is kept have a crate as well.
func TestCratesOfFailures(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.work(w.service)
		w.kernels(func(context.Context, []byte, executor.Options) executor.Executed {
			return raised("ValueError", "no such river")
		})
		run := w.run("")
		crate := w.crateOf(run)
		action := crate.action(t)
		if action["@type"] != "CreateAction" || action["actionStatus"] != "http://schema.org/FailedActionStatus" || action["error"] != run.Reason || len(crate.files) != 4 {
			t.Errorf("the execution is %v, with %d files", action, len(crate.files))
		}
		if license := crate.nodes[referred(crate.nodes["./"]["license"])[0]]; license["name"] != "No known license" {
			t.Errorf("the license is %v", license)
		}
		check(t, w.service.discard(run))
		crate = w.crateOf(run)
		notebook := crate.nodes[referred(crate.action(t)["object"])[0]]
		if _, kept := crate.files[logName]; !kept || len(crate.files) != 1 || notebook["sha256"] != run.Digest || notebook["@type"] != "CreativeWork" {
			t.Errorf("later it holds %d files, and what was executed is %v", len(crate.files), notebook)
		}
		check(t, os.RemoveAll(filepath.Join(w.options.Folder, run.ID)))
		crate = w.crateOf(run)
		if action := crate.action(t); action["@type"] != "ActivateAction" || action["result"] != nil {
			t.Errorf("without files the execution is %v", action)
		}
	})
}

func TestRunsWithoutACrate(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.batch.person(true)
		run := w.start("")
		_, err := w.service.Crate(w.As(ann), run.ResourceID, run.ID)
		wantKind(t, "in the queue", err, fault.NotFound)
		_, err = w.store.Begin(t.Context(), run.ID)
		check(t, err)
		_, err = w.service.Crate(w.As(ann), run.ResourceID, run.ID)
		wantKind(t, "while it runs", err, fault.NotFound)
		check(t, w.service.Stop(w.As(ann), run.ResourceID, run.ID))
		if crate := w.crateOf(w.row(run.ID)); crate.action(t)["actionStatus"] != "http://schema.org/FailedActionStatus" {
			t.Errorf("one that was stopped is %s", crate.text)
		}
		run = w.start("")
		check(t, w.service.Stop(w.As(ann), run.ResourceID, run.ID))
		_, err = w.service.Crate(w.As(ann), run.ResourceID, run.ID)
		wantKind(t, "stopped before it began", err, fault.NotFound)
		_, err = w.service.Crate(w.As(bob), w.ID("own"), run.ID)
		wantKind(t, "another entry", err, fault.NotFound)
	})
}

// openBelow returns the files in a folder that this process has open.
func openBelow(t *testing.T, folder string) (open []string) {
	t.Helper()
	const descriptors = "/proc/self/fd"
	found, err := os.ReadDir(descriptors)
	check(t, err)
	for _, one := range found {
		if name, err := os.Readlink(filepath.Join(descriptors, one.Name())); err == nil && strings.HasPrefix(name, folder+"/") {
			open = append(open, name)
		}
	}
	return open
}

// A crate whose making fails half-way leaves nothing open: enough of them would stop the server.
func TestCratesThatFailLeaveNoFileOpen(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.work(w.service)
		run := w.run("")
		folder := filepath.Join(w.options.Folder, run.ID)
		made, err := w.service.Crate(w.As(""), run.ResourceID, run.ID)
		check(t, err)
		if open := openBelow(t, folder); len(open) != len(crateFiles) {
			t.Fatalf("while it is sent, %q are open", open)
		}
		made.Close()
		for _, name := range crateFiles {
			path := filepath.Join(folder, name)
			check(t, os.Rename(path, path+".kept"))
			check(t, os.Mkdir(path, 0o700)) // opens, and can't be read
			if _, err := w.service.Crate(w.As(""), run.ResourceID, run.ID); err == nil {
				t.Errorf("without reading %s there is a crate", name)
			}
			if open := openBelow(t, folder); len(open) > 0 {
				t.Errorf("after %s failed, %q are open", name, open)
			}
			check(t, os.Remove(path))
			check(t, os.Rename(path+".kept", path))
		}
		made, err = w.service.Crate(w.As(""), run.ResourceID, run.ID)
		check(t, err)
		if err := made.Zip(&fullDisk{left: 100}); !errors.Is(err, errFull) {
			t.Errorf("to a client that leaves: %v", err)
		}
		made.Close()
		if open := openBelow(t, folder); len(open) > 0 {
			t.Errorf("after its client left, %q are open", open)
		}
	})
}

var errFull = errors.New("no room")

// fullDisk takes so many bytes.
type fullDisk struct{ left int }

func (f *fullDisk) Write(content []byte) (int, error) {
	if f.left -= len(content); f.left < 0 {
		return 0, errFull
	}
	return len(content), nil
}
