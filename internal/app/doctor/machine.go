package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cairn/internal/foundation/humanize"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterprogram"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/machine/sandbox"

	"golang.org/x/sys/unix"
)

// checkAccount compares this account with that of the server: what this one can do says nothing about another.
func checkAccount(_ context.Context, on *target) (string, []problem) {
	about, err := os.Stat(on.config.Data)
	if err != nil {
		return "", nil // the start tells
	}
	us, owner := installation.AccountName(os.Geteuid()), installation.AccountName(installation.OwnerID(about))
	if us != owner {
		return "", []problem{{
			"This command runs as " + us + ", and the data folder " + on.config.Data + " belongs to " + owner + ".",
			"Run it as the server's account: runuser -u " + owner + " -- cairn doctor. If the server runs as " + us + " too, chown -R " + us + " " + on.config.Data + ".",
		}}
	}
	return us + ", whose the data folder is", nil
}

// checkFiles looks for files of the data folder that other accounts can read.
func checkFiles(_ context.Context, on *target) (string, []problem) {
	open := []string{}
	root, err := os.OpenRoot(on.config.Data)
	if err != nil {
		return "", nil // the start tells
	}
	defer root.Close()
	for _, pattern := range installation.OwnFiles {
		names, _ := fs.Glob(root.FS(), pattern) // the patterns are well formed
		for _, name := range names {
			about, err := root.Lstat(name)
			if err == nil && (about.IsDir() || about.Mode().IsRegular()) && about.Mode().Perm()&0o077 != 0 && !isShown(name) {
				open = append(open, filepath.Join(on.config.Data, name))
			}
		}
	}
	var problems []problem
	if len(open) > 0 {
		problems = append(problems, problem{
			fmt.Sprintf("Other accounts may read what is in the data folder: %s.", strings.Join(open[:min(len(open), installation.MaxNamedFiles)], ", ")),
			"Start the server once, which closes them, or run: chmod -R go= " + on.config.Data,
		})
	}
	if key := on.config.TLS.KeyFile; key != "" {
		if about, err := os.Stat(key); err == nil && about.Mode().Perm()&0o007 != 0 {
			problems = append(problems, problem{"Everyone can read the key " + key + ".", "Run: chmod o= " + key})
		}
	}
	return on.config.Data + " is closed to other accounts", problems
}

// isShown reports whether sessions of other accounts may see a file among ownFiles.
func isShown(name string) bool {
	return strings.HasPrefix(name, "demo/") || strings.HasPrefix(name, "sessions/")
}

// checkDisk compares what is free with what sessions have to leave.
func checkDisk(_ context.Context, on *target) (string, []problem) {
	reserve, _ := on.config.Disk.DiskReserve()
	var summary []string
	var problems []problem
	for _, folder := range []string{on.config.Data, on.config.SessionsFolder()} {
		var about unix.Statfs_t
		if unix.Statfs(installation.NearestFolder(folder), &about) != nil {
			continue
		}
		if lack := reserve.Lack(about); lack != "" {
			problems = append(problems, problem{
				"The disk of " + folder + " has " + lack + ", so no session starts.", "Make room, set a smaller disk.reserve, or move the folder to a larger disk.",
			})
		}
		summary = append(summary, folder+" has "+humanize.Bytes(int64(about.Bavail*uint64(about.Bsize)))+" left")
	}
	return strings.Join(summary, ", "), problems
}

// leastHandles are enough for some thousand open pages: each has a connection here and one to its session.
const leastHandles = 8192

func checkHandles(context.Context, *target) (string, []problem) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return "", nil
	}
	return checkHandleLimit(limit.Max)
}

// checkHandleLimit judges the hard limit: Go raises the soft one to it.
func checkHandleLimit(limit uint64) (string, []problem) {
	if limit < leastHandles {
		return "", []problem{{
			fmt.Sprintf("This account can have %d files and connections open at once; many pages of sessions need more.", limit),
			"Set LimitNOFILE=65536 in the unit of the server, or ulimit -Hn 65536 before it starts.",
		}}
	}
	return fmt.Sprintf("up to %d at once", limit), nil
}

// checkEngines opens each engine for a trial, without a session.
func checkEngines(ctx context.Context, on *target) (string, []problem) {
	var summary []string
	var problems []problem
	for _, one := range on.config.Sessions.Engines {
		err := installation.WithTrialEngine(on.config, one, func(opened engine.Engine) error {
			if local, ok := opened.(interface{ Isolation() localjupyter.Isolation }); ok {
				found := local.Isolation()
				// A service may have more control groups than a shell.
				summary = append(summary, fmt.Sprintf("%s has isolation %s and bounds at least %s", one.Name, found.Level, found.Limits))
				problems = append(problems, isolationProblems(one.Name, found)...)
			} else {
				summary = append(summary, one.Name+" answers")
			}
			return installation.Diagnose(ctx, opened, func(string) {})
		})
		if err != nil {
			problems = append(problems, problem{one.Name + ": " + fault.MessageOf(err), "cairn engine check " + one.Name + " tells more."})
		}
	}
	return strings.Join(summary, "; "), problems
}

// adviseJupyter recommends a current JupyterLab where the sessions of this machine have older pages.
func adviseJupyter(on *target) string {
	isLocal := func(one config.Engine) bool { return one.Kind != config.HubKind }
	if !slices.ContainsFunc(on.config.Sessions.Engines, isLocal) {
		return ""
	}
	found, err := jupyterprogram.Find(on.config.Sessions.Jupyter)
	if err != nil || found.Interface == engine.Lab {
		return "" // the check says what is missing
	}
	return "Sessions show the classic pages of " + found.Name + ". To give people JupyterLab: python3 -m venv /opt/jupyter && " +
		"/opt/jupyter/bin/pip install 'jupyterlab>=4,<5', then set sessions.jupyter to /opt/jupyter/bin/jupyter-lab."
}

// isolationProblems says in what the isolation of sessions is less than it could be.
func isolationProblems(name string, found localjupyter.Isolation) []problem {
	var problems []problem
	if found.Level == sandbox.LevelC || found.Level == sandbox.LevelD {
		problems = append(problems, problem{name + ": isolation " + string(found.Level) + ". " + found.Sentence + " A trial said: " + found.Denied + ".", "On Debian: apt-get install bubblewrap; if it is there, allow user namespaces (sysctl kernel.unprivileged_userns_clone=1)."})
	}
	if found.Network.Sentence != "" {
		problems = append(problems, problem{name + ": " + found.Network.Sentence, "On Debian: apt-get install bubblewrap slirp4netns iproute2."})
	}
	if found.Open != "" {
		problems = append(problems, problem{name + ": " + found.Open, "Use a kernel with seccomp, outside of a container that forbids it."})
	}
	return problems
}
