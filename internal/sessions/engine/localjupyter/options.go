package localjupyter

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/safehttp"
	"cairn/internal/sessions/files/disk"
	"cairn/internal/sessions/files/environments"
	"cairn/internal/sessions/files/history"
	"cairn/internal/sessions/machine/sandbox"
)

// Options say where sessions are and which programs run them. Only Dir is required.
type Options struct {
	sandbox.Programs

	Dir            string           // durable folder of all sessions; absolute; may be below a folder closed to others
	OpenDir        string           // used instead of Dir at level C, whose accounts must be able to enter it; empty: Dir
	Data           string           // another folder whose disk keeps its Reserve; empty: none
	RuntimeDir     string           // sockets; short, because the path of a unix socket can have at most 107 bytes
	FrameAncestors string           // origin of the page that may show Jupyter in a frame; empty: none but Jupyter's own
	LaunchDeadline time.Duration    // a launch that makes no progress for longer fails; default 3 minutes
	Versions       Versions         // of sessions' work
	Limits         Limits           // of each session
	Reserve        Reserve          // of the disks of Dir and Data, below which no session starts
	Network        sandbox.Network  // Internet or None, the default: what sessions can reach, where that can be enforced
	Pip            Pip              // where packages come from
	Builder        Builder          // makes environments for which pip isn't enough
	R              R                // where packages of R come from
	Descriptors    []string         // names of the file in a repository that may list packages; default cairn.yml
	CacheBytes     int64            // of each of the caches: repositories, environments, datasets; default 20 GiB
	WatchEvery     time.Duration    // how often a session is checked; default 10 seconds
	Web            *safehttp.Client // for datasets, and everything that git and pip reach; nil: they reach nothing
	Logger         *slog.Logger
	Now            func() time.Time
	Statfs         func(path string, about *unix.Statfs_t) error

	// Programs, by absolute path: nothing is looked up in PATH, so no other Python gets in. All except Jupyter are
	// below /usr or /bin, which sessions see.
	Git       string
	Jupyter   string // empty: the best one that is found; see jupyterprogram
	Terminals bool   // whether people can open terminals in their sessions

	// Program is the path of this program, which runs in the box of each session before Jupyter and as ShellCommand; its file is shown to
	// all sessions. Empty: sessions have Jupyter alone. SSH says whether people may use that.
	Program string
	SSH     bool
	VSCode  string // a code-server, which needs Program; empty: sessions are used in Jupyter alone

	// ExtensionGallery lets people install extensions of VS Code from the gallery of its program, over the network of sessions.
	ExtensionGallery bool
}

type (
	// Pip says where packages come from.
	Pip = environments.Pip
	// Reserve is the part of a disk that sessions must leave free.
	Reserve = disk.Reserve
	// Versions says how versions of work are kept.
	Versions = history.Versions
	// Builder makes environments for which pip isn't enough.
	Builder = environments.Builder
	// R says where packages of R come from.
	R = environments.R
)

// socketRoom is what RuntimeDir must leave of the 107 bytes: a slash, the short id, a slash, and the longest socket,
// "kernel-<uuid>-ipc-5".
const socketRoom = 1 + 26 + 1 + 49

func (o Options) complete() (Options, error) {
	if !filepath.IsAbs(o.Dir) {
		return o, fmt.Errorf("the folder of the sessions must be an absolute path, not %q", o.Dir)
	}
	o.Dir = filepath.Clean(o.Dir)
	if o.OpenDir == "" {
		o.OpenDir = o.Dir
	}
	if !filepath.IsAbs(o.OpenDir) {
		return o, fmt.Errorf("the folder of sessions without mounts must be an absolute path, not %q", o.OpenDir)
	}
	o.OpenDir = filepath.Clean(o.OpenDir)
	if o.RuntimeDir == "" {
		o.RuntimeDir = defaultRuntimeDir(o.Dir)
	}
	if room := 107 - socketRoom; len(o.RuntimeDir) > room || !filepath.IsAbs(o.RuntimeDir) {
		return o, fmt.Errorf("the folder of the sockets must be an absolute path of at most %d bytes, not %q",
			room, o.RuntimeDir)
	}
	if o.FrameAncestors != "" && !isOrigin(o.FrameAncestors) {
		return o, fmt.Errorf("%q is not the origin of a page, such as https://cairn.example.org", o.FrameAncestors)
	}
	if o.LaunchDeadline == 0 {
		o.LaunchDeadline = 3 * time.Minute
	}
	if o.WatchEvery == 0 {
		o.WatchEvery = 10 * time.Second
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = 20 << 30
	}
	if len(o.Descriptors) == 0 {
		o.Descriptors = []string{"cairn.yml"}
	}
	if links := o.Pip.FindLinks; links != "" && !filepath.IsAbs(links) {
		return o, fmt.Errorf("the folder of wheels must be an absolute path, not %q", links)
	}
	if command := o.Builder.Command; command != "" && !filepath.IsAbs(command) {
		return o, fmt.Errorf("the builder of environments must be an absolute path, not %q", command)
	}
	if o.Jupyter != "" && !filepath.IsAbs(o.Jupyter) {
		return o, fmt.Errorf("the Jupyter of sessions must be an absolute path, not %q", o.Jupyter)
	}
	if o.Versions.Dir == "" {
		o.Versions.Dir = filepath.Join(o.Dir, "versions")
	}
	if !filepath.IsAbs(o.Versions.Dir) {
		return o, fmt.Errorf("the folder of versions must be an absolute path, not %q", o.Versions.Dir)
	}
	if o.Versions.Every == 0 {
		o.Versions.Every = time.Minute
	}
	o.Limits = o.Limits.Complete()
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Statfs == nil {
		o.Statfs = unix.Statfs
	}
	for program, path := range map[*string]string{
		&o.Git: "/usr/bin/git", &o.Python: "/usr/bin/python3",
	} {
		if *program == "" {
			*program = path
		}
		if !filepath.IsAbs(*program) {
			return o, fmt.Errorf("%q must be an absolute path", *program)
		}
	}
	return o, nil
}

// defaultRuntimeDir returns the same path for the same folder at every start, and different ones for gateways on one
// machine.
func defaultRuntimeDir(dir string) string {
	digest := sha256.Sum256([]byte(dir))
	name := hex.EncodeToString(digest[:4])
	if os.Geteuid() == 0 {
		return "/run/cairn-" + name
	}
	own := "cairn-" + strconv.Itoa(os.Geteuid()) + "-" + name
	if parent := os.TempDir(); len(parent)+1+len(own) <= 107-socketRoom {
		return filepath.Join(parent, own)
	}
	return filepath.Join("/tmp", own)
}

// isOrigin only accepts what can be in a header and in a Python literal without quoting.
func isOrigin(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && (parsed.Scheme == "https" || parsed.Scheme == "http") && parsed.Host != "" &&
		text == parsed.Scheme+"://"+parsed.Host && !strings.ContainsAny(text, "'\"\\;, {}%")
}
