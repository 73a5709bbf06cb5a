package deploy_test

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// image is what the last stage of a Containerfile says.
type image struct {
	copies      [][]string // flags, sources and the target of each COPY
	environment []string
	labels      map[string]string
	user        string
	expose      []string
	volume      string
	entrypoint  []string
	command     []string
	health      []string
}

func readImage(t *testing.T) image {
	t.Helper()
	text := strings.ReplaceAll(read(t, "Containerfile"), "\\\n", " ")
	_, last, found := strings.Cut(text, "\nFROM scratch\n")
	if !found {
		t.Fatal("the last stage begins with more than nothing")
	}
	made := image{labels: map[string]string{}}
	pair := regexp.MustCompile(`(\S+?)=("[^"]*"|\S+)`)
	list := func(words string) (parsed []string) {
		_, words, _ = strings.Cut("["+words, "[")
		noError(t, json.Unmarshal([]byte("["+words[strings.Index(words, "[")+1:]), &parsed))
		return parsed
	}
	for line := range strings.Lines(last) {
		instruction, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch instruction {
		case "COPY":
			made.copies = append(made.copies, strings.Fields(rest))
		case "ENV":
			for _, found := range pair.FindAllStringSubmatch(rest, -1) {
				made.environment = append(made.environment, found[0])
			}
		case "LABEL":
			for _, found := range pair.FindAllStringSubmatch(rest, -1) {
				made.labels[found[1]] = strings.Trim(found[2], `"`)
			}
		case "USER":
			made.user = rest
		case "EXPOSE":
			made.expose = strings.Fields(rest)
		case "VOLUME":
			made.volume = rest
		case "ENTRYPOINT":
			made.entrypoint = list(rest)
		case "CMD":
			made.command = list(rest)
		case "HEALTHCHECK":
			made.health = list(rest[strings.Index(rest, "["):])
		}
	}
	return made
}

// root builds the image's file system from its COPY lines, with the binary of this build. What comes from Debian comes
// from this machine.
func (i image) root(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, fields := range i.copies {
		paths := slices.DeleteFunc(slices.Clone(fields), func(field string) bool { return strings.HasPrefix(field, "--") })
		target := filepath.Join(root, paths[len(paths)-1])
		for _, source := range paths[:len(paths)-1] {
			switch {
			case source == "bin/release/linux-${TARGETARCH}/cairn":
				source = "../bin/cairn"
			case source == "/data":
				noError(t, os.MkdirAll(target, 0o755))
				continue
			case !slices.Contains(fields, "--from=base"):
				source = filepath.Join("..", source)
			}
			to := target
			if strings.HasSuffix(paths[len(paths)-1], "/") {
				to = filepath.Join(target, filepath.Base(source))
			}
			info, err := os.Stat(source)
			noError(t, err)
			write(t, to, read(t, source), info.Mode())
		}
	}
	return root
}

// tree lists the files below a folder with their sizes.
func tree(t *testing.T, folder string) (found []string) {
	t.Helper()
	noError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			found = append(found, path+" "+info.Mode().String()+" "+strconv.FormatInt(info.Size(), 10))
		}
		return err
	}))
	return found
}

// container is a program in an image, with a volume, as a runtime with --read-only and --cap-drop=all runs it.
func (i image) container(t *testing.T, root, volume, config string, variables []string, arguments ...string) *exec.Cmd {
	t.Helper()
	user, group, _ := strings.Cut(i.user, ":")
	var line []string
	if isRoot() {
		line = []string{"setpriv", "--reuid", user, "--regid", group, "--clear-groups", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"}
	}
	line = append(line, "bwrap", "--unshare-user", "--uid", user, "--gid", group, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent", "--cap-drop", "ALL",
		"--ro-bind", root, "/", "--bind", volume, i.volume, "--ro-bind", config, "/etc/cairn/cairn.yaml", "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev", "--clearenv")
	for _, variable := range append(slices.Clone(i.environment), variables...) {
		name, value, _ := strings.Cut(variable, "=")
		line = append(line, "--setenv", name, value)
	}
	line = append(append(line, "--"), arguments...)
	return program(t, line[0], line[1:]...)
}

func TestTheContainerRunsReadOnlyAsNobodyInParticular(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs a server in a box")
	}
	t.Parallel()
	made := readImage(t)
	if made.user != "65532:65532" || made.volume != "/var/lib/cairn" || !slices.Equal(made.entrypoint, []string{"/usr/local/bin/cairn"}) {
		t.Errorf("%+v", made)
	}
	for _, label := range []string{"title", "description", "licenses", "documentation", "version", "revision"} {
		if made.labels["org.opencontainers.image."+label] == "" {
			t.Errorf("the image has no label %s", label)
		}
	}
	for i, key := range []string{"CAIRN_LISTEN", "CAIRN_SESSION_LISTEN"} {
		if !slices.Contains(made.environment, key+"=0.0.0.0:"+made.expose[i]) {
			t.Errorf("the image exposes %s, and its environment is %s", made.expose, made.environment)
		}
	}

	root := made.root(t)
	for _, folder := range []string{"proc", "dev"} { // a runtime makes these, as it makes the place of the configuration
		noError(t, os.MkdirAll(filepath.Join(root, folder), 0o755))
	}
	write(t, filepath.Join(root, "etc/cairn/cairn.yaml"), "", 0o644)
	config := filepath.Join(t.TempDir(), "cairn.yaml")
	write(t, config, "public_url: https://catalog.example.org\nsession_url: https://{kind}-{id}.run.example.org\ntrusted_proxies: [127.0.0.1/32]\n"+
		"oidc: {issuer: \"https://login.example.org\"}\nsessions: {engines: [{name: hub, kind: jupyterhub, url: \"https://hub.example.org\", token: secret}]}\n", 0o644)
	reachable(t, root, filepath.Dir(config))
	before := tree(t, root)
	for name, volume := range map[string]struct {
		mode os.FileMode
		uid  int
		data string
	}{
		"as a runtime makes it from the image":         {0o700, 65532, "/var/lib/cairn"},
		"as Kubernetes makes an emptyDir with fsGroup": {os.ModeSetgid | 0o777, 0, "/var/lib/cairn/data"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if isRoot() {
				reachable(t, folder)
				noError(t, os.Chown(folder, volume.uid, 65532))
				noError(t, os.Chmod(folder, volume.mode))
			}
			made.serves(t, root, folder, config, volume.data)
		})
	}
	if after := tree(t, root); !slices.Equal(before, after) {
		t.Errorf("the root file system changed from\n%s\nto\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}

// reachable lets other accounts into folders of the test.
func reachable(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		for folder := path; folder != os.TempDir() && folder != "/"; folder = filepath.Dir(folder) {
			noError(t, os.Chmod(folder, 0o755))
		}
	}
}

// serves runs the image until the test ends, and expects that it answers, that its health check says so, and where its
// data is.
func (i image) serves(t *testing.T, root, volume, config, data string) {
	t.Helper()
	found := ports(t, 2)
	variables := []string{"CAIRN_LISTEN=0.0.0.0:" + found[0], "CAIRN_SESSION_LISTEN=127.0.0.1:" + found[1], "CAIRN_DATA=" + data}
	ended := start(t, i.container(t, root, volume, config, variables, append(slices.Clone(i.entrypoint), i.command...)...))
	page := "http://127.0.0.1:" + found[0]
	visitor := newPerson(t, page, found[0], certificate{}, false)
	visitor.awaitHealth(page, ended)
	if answer, content := visitor.ask(http.MethodGet, page+"/api/v1/rf/resources/public", http.NoBody, http.Header{"X-Forwarded-For": {otherMachine}}); answer.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("under a name that isn't its own it answers %s %s", answer.Status, content)
	}
	if output, err := i.container(t, root, volume, config, variables, i.health...).CombinedOutput(); err != nil {
		t.Errorf("the health check says %v: %s", err, output)
	}
	if output, err := i.container(t, root, volume, config, []string{"CAIRN_LISTEN=127.0.0.1:1"}, i.health...).CombinedOutput(); err == nil {
		t.Errorf("the health check of nothing says %s", output)
	}
	if _, err := os.Stat(filepath.Join(volume, strings.TrimPrefix(data, i.volume), "cairn.db")); err != nil {
		t.Error(err)
	}
}
