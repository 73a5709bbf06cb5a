package demo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/githttp"
)

const (
	// commitIdentity and commitTime never change, so the same content has the same commit on every machine.
	commitIdentity = "Cairn demo <researcher@example.org>"
	commitTime     = "1767225600 +0000" // 2026-01-01
	commitMessage  = "First steps with data in a Cairn session\n"

	digestFile = "cairn-digest" // in the bare repository; git ignores it
	gitTimeout = 30 * time.Second
)

// installRepository builds dir/git/first-steps.git unless it was built from the same content.
func installRepository(dir, staging string) error {
	stream := importStream(subtree("first-steps"))
	sum := sha256.Sum256(stream)
	digest := hex.EncodeToString(sum[:])
	target := repositoryPath(dir)
	if found, err := os.ReadFile(filepath.Join(target, digestFile)); err == nil && string(found) == digest {
		return nil
	}
	built := filepath.Join(staging, repositoryName)
	if err := runGit(nil, "init", "--quiet", "--bare", "--initial-branch=main", "--object-format=sha1", "--template=",
		"--", built); err != nil {
		return err
	}
	if err := runGit(stream, "-C", built, "fast-import", "--quiet", "--done"); err != nil {
		return err
	}
	err := errors.Join(os.WriteFile(filepath.Join(built, digestFile), []byte(digest), 0o644), readable(built),
		replace(built, target, staging))
	if err != nil {
		return installFault(dir, err)
	}
	return nil
}

// importStream returns the content of the repository as one commit in the format of git fast-import.
func importStream(tree fs.FS) []byte {
	var blobs, files bytes.Buffer
	mark := 0
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		mark++
		fmt.Fprintf(&blobs, "blob\nmark :%d\ndata %d\n%s\n", mark, len(data), data)
		fmt.Fprintf(&files, "M 100644 :%d %s\n", mark, name)
		return nil
	})
	if err != nil {
		panic(err) // embedded
	}
	fmt.Fprintf(&blobs, "commit refs/heads/main\ncommitter %s %s\ndata %d\n%s\n", commitIdentity, commitTime,
		len(commitMessage), commitMessage)
	blobs.Write(files.Bytes())
	blobs.WriteString("done\n")
	return blobs.Bytes()
}

// readable lets the system users of sessions copy the repository, whatever the server's umask.
func readable(root string) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, 0o644)
	})
}

// runGit runs git on our files, without the git configuration of the machine or the user.
func runGit(input []byte, arguments ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), gitTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=/dev/null"}, arguments...)...)
	command.Env = githttp.Environment()
	command.Stdin = bytes.NewReader(input)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	err := command.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fault.Wrap(err, fault.Unavailable,
			"The demo repository needs git, which is not installed. Install git and start again.")
	case err != nil:
		return fault.Wrap(fmt.Errorf("git %s: %w: %s", arguments[0], err, strings.TrimSpace(complaint.String())),
			fault.Unavailable, "The demo repository couldn't be made with git. See the log for git's output.")
	}
	return nil
}

// GitHandler serves the repository that Install put below dir. Everybody may read it.
func GitHandler(dir string) http.Handler {
	return githttp.New(func(_ *http.Request, path string) (string, error) {
		if path != RepositoryPagePath {
			return "", fault.New(fault.NotFound, "There is no repository here.")
		}
		return repositoryPath(dir), nil
	})
}
