package app

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cairn/internal/fault"
	"cairn/internal/sandbox"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"

	"golang.org/x/sys/unix"
)

// examineAccount compares this account with that of the server: what this one can do says nothing about another.
func examineAccount(_ context.Context, on *examined) (string, []finding) {
	about, err := os.Stat(on.config.Data)
	if err != nil {
		return "", nil // the start tells
	}
	us, owner := accountName(os.Geteuid()), accountName(ownerID(about))
	if us != owner {
		return "", []finding{{
			"This command runs as " + us + ", and the data folder " + on.config.Data + " belongs to " + owner + ".",
			"Run it as the server's account: runuser -u " + owner + " -- cairn doctor. If the server runs as " + us + " too, chown -R " + us + " " + on.config.Data + ".",
		}}
	}
	return us + ", whose the data folder is", nil
}

// examineFiles looks for files of the data folder that other accounts can read.
func examineFiles(_ context.Context, on *examined) (string, []finding) {
	open := []string{}
	root, err := os.OpenRoot(on.config.Data)
	if err != nil {
		return "", nil // the start tells
	}
	defer root.Close()
	for _, pattern := range ownFiles {
		names, _ := fs.Glob(root.FS(), pattern) // the patterns are well formed
		for _, name := range names {
			about, err := root.Lstat(name)
			if err == nil && (about.IsDir() || about.Mode().IsRegular()) && about.Mode().Perm()&0o077 != 0 && !isShown(name) {
				open = append(open, filepath.Join(on.config.Data, name))
			}
		}
	}
	var findings []finding
	if len(open) > 0 {
		findings = append(findings, finding{
			fmt.Sprintf("Other accounts may read what is in the data folder: %s.", strings.Join(open[:min(len(open), mostFiles)], ", ")),
			"Start the server once, which closes them, or run: chmod -R go= " + on.config.Data,
		})
	}
	if key := on.config.TLS.KeyFile; key != "" {
		if about, err := os.Stat(key); err == nil && about.Mode().Perm()&0o007 != 0 {
			findings = append(findings, finding{"Everybody can read the key " + key + ".", "Run: chmod o= " + key})
		}
	}
	return on.config.Data + " is closed to other accounts", findings
}

// isShown reports whether sessions of other accounts may see a file among ownFiles.
func isShown(name string) bool {
	return strings.HasPrefix(name, "demo/") || strings.HasPrefix(name, "sessions/")
}

// examineDisk compares what is free with what sessions have to leave.
func examineDisk(_ context.Context, on *examined) (string, []finding) {
	reserve, _ := on.config.Disk.reserve()
	var saw []string
	var findings []finding
	for _, folder := range []string{on.config.Data, on.config.sessionsFolder()} {
		var about unix.Statfs_t
		if unix.Statfs(existing(folder), &about) != nil {
			continue
		}
		if lack := reserve.Lack(about); lack != "" {
			findings = append(findings, finding{
				"The disk of " + folder + " has " + lack + ", so no session starts.", "Make room, set a smaller disk.reserve, or move the folder to a larger disk.",
			})
		}
		saw = append(saw, folder+" has "+engine.Size(int64(about.Bavail*uint64(about.Bsize)))+" left")
	}
	return strings.Join(saw, ", "), findings
}

// existing returns a folder, or the first above it that is there.
func existing(folder string) string {
	for folder != "/" {
		if _, err := os.Stat(folder); err == nil {
			break
		}
		folder = filepath.Dir(folder)
	}
	return folder
}

// leastHandles are enough for some thousand open pages: each has a connection here and one to its session.
const leastHandles = 8192

func examineHandles(context.Context, *examined) (string, []finding) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return "", nil
	}
	return handlesOf(limit.Max)
}

// handlesOf judges the hard limit: Go raises the soft one to it.
func handlesOf(limit uint64) (string, []finding) {
	if limit < leastHandles {
		return "", []finding{{
			fmt.Sprintf("This account can have %d files and connections open at once; many pages of sessions need more.", limit),
			"Set LimitNOFILE=65536 in the unit of the server, or ulimit -Hn 65536 before it starts.",
		}}
	}
	return fmt.Sprintf("up to %d at once", limit), nil
}

// examineEngines opens each engine for a trial, without a session.
func examineEngines(ctx context.Context, on *examined) (string, []finding) {
	var saw []string
	var findings []finding
	for _, one := range on.config.Sessions.Engines {
		err := withTrialEngine(on.config, one, func(opened engine.Engine) error {
			if local, ok := opened.(interface{ Isolation() localjupyter.Isolation }); ok {
				found := local.Isolation()
				// A service may have more control groups than a shell.
				saw = append(saw, fmt.Sprintf("%s has isolation %s and bounds at least %s", one.Name, found.Level, found.Limits))
				findings = append(findings, isolationFindings(one.Name, found)...)
			} else {
				saw = append(saw, one.Name+" answers")
			}
			return diagnose(ctx, opened, func(string) {})
		})
		if err != nil {
			findings = append(findings, finding{one.Name + ": " + fault.MessageOf(err), "cairn engine check " + one.Name + " tells more."})
		}
	}
	return strings.Join(saw, "; "), findings
}

// isolationFindings says in what the isolation of sessions is less than it could be.
func isolationFindings(name string, found localjupyter.Isolation) []finding {
	var findings []finding
	if found.Level == sandbox.LevelC || found.Level == sandbox.LevelD {
		findings = append(findings, finding{name + ": isolation " + string(found.Level) + ". " + found.Sentence + " A trial said: " + found.Denied + ".", "On Debian: apt-get install bubblewrap; if it is there, allow user namespaces (sysctl kernel.unprivileged_userns_clone=1)."})
	}
	if found.Network.Sentence != "" {
		findings = append(findings, finding{name + ": " + found.Network.Sentence, "On Debian: apt-get install bubblewrap slirp4netns iproute2."})
	}
	if found.Open != "" {
		findings = append(findings, finding{name + ": " + found.Open, "Use a kernel with seccomp, outside of a container that forbids it."})
	}
	return findings
}
