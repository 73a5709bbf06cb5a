package localjupyter

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
)

// copyRepository clones into a folder of its own and moves the whole clone into the work folder by one rename, so that
// half a clone is never taken for a repository. What is there already stays as it is.
func (s *session) copyRepository(ctx context.Context, root *os.Root, tell func(string)) error {
	s.mu.Lock()
	repository, userID := s.record.Spec.Repository, s.record.UserID
	s.mu.Unlock()
	place := path.Join(workName, repository.Folder)
	switch there, err := exists(root, place); {
	case err != nil:
		return err
	case there:
		tell("Kept from before")
		return nil
	}
	if repository.LocalPath != "" {
		if _, err := os.Stat(repository.LocalPath); err != nil {
			return fault.Wrap(err, fault.Unavailable, "The repository is not on this server any more.")
		}
	}
	if err := ownFolder(root, cloneName, userID); err != nil {
		return err
	}
	if err := s.clone(ctx, repository, userID, tell); err != nil {
		return err
	}
	if err := root.Rename(path.Join(cloneName, clonedName), place); err != nil {
		return err
	}
	return removeTree(root, cloneName)
}

const clonedName = "repository"

// clone runs git as the session's account: it refuses the trees of others, and hooks and filters would run with its
// rights. It has the network, so it must not see the home folder, where a user could have configured programs for it.
func (s *session) clone(ctx context.Context, repository engine.Repository, userID int, tell func(string)) error {
	box, environment := s.cloneBox(repository, userID)
	reading, writing, err := os.Pipe()
	if err != nil {
		return err
	}
	defer reading.Close()
	report, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err == nil {
		defer report.Close()
		var command *exec.Cmd
		if command, err = s.spawn(box, report, nil, writing, environment); err == nil {
			_ = writing.Close()
			return s.followClone(ctx, command, reading, tell)
		}
	}
	_ = writing.Close()
	return err
}

// followClone waits for git. When the context ends first it returns at once; the launch then kills what is left.
func (s *session) followClone(ctx context.Context, command *exec.Cmd, reading io.Reader, tell func(string)) error {
	var said gitOutput
	ended := make(chan error, 1)
	go func() {
		readErr := said.read(reading, tell, s.appendLog)
		ended <- errors.Join(command.Wait(), readErr)
	}()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case err := <-ended:
		if err == nil {
			return nil
		}
		return fault.Wrap(err, fault.Unavailable, "%s", said.reason())
	}
}

// cloneBox is what git sees: the place of the clone, and the source when it lies on this machine. The origin remains the
// repository's address.
func (s *session) cloneBox(repository engine.Repository, userID int) (box, []string) {
	place, source, config := filepath.Join(s.folder, cloneName), repository.LocalPath, s.engine.gitConfig()
	mounts := []mount{{from: place, to: "/session/clone", writable: true}, {from: config, to: "/session/gitconfig"}}
	if source != "" {
		mounts = append(mounts, mount{from: source, to: "/session/source"})
	}
	if s.engine.isolation.Level.bubblewrap() {
		place, config = "/session/clone", "/session/gitconfig"
		if source != "" {
			source = "/session/source"
		}
	}
	environment := []string{
		"HOME=" + place, "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + config,
	}
	if source == "" {
		environment = append(environment, "GIT_ALLOW_PROTOCOL=http:https")
	} else {
		environment = append(environment, "GIT_ALLOW_PROTOCOL=file", "GIT_CONFIG_COUNT=1",
			"GIT_CONFIG_KEY_0=url."+source+".insteadOf", "GIT_CONFIG_VALUE_0="+repository.URL)
	}
	return box{userID: userID, network: source == "", mounts: mounts, folder: place, command: []string{
		s.engine.options.Git, "-c", "core.hooksPath=/dev/null", "clone", "--progress", "--",
		repository.URL, path.Join(place, clonedName),
	}}, environment
}

// gitOutput is what git told on its standard error.
type gitOutput struct{ fatal string }

var gitProgress = regexp.MustCompile(`^(?:remote: )?([A-Z][a-z]+ [a-z]+): +([0-9]{1,3})%`)

// read hands progress to tell and the other lines to the log, until git ends.
func (g *gitOutput) read(from io.Reader, tell, log func(string)) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	lines.Split(splitProgress)
	last := ""
	for lines.Scan() {
		line := strings.TrimSpace(strings.ToValidUTF8(lines.Text(), "?"))
		if found := gitProgress.FindStringSubmatch(line); found != nil {
			if detail := fmt.Sprintf("%s: %s %%", found[1], found[2]); detail != last {
				last = detail
				tell(detail)
			}
			continue
		}
		if line == "" {
			continue
		}
		log(line)
		if reason, isFatal := strings.CutPrefix(line, "fatal: "); isFatal {
			g.fatal = reason
		}
	}
	return lines.Err()
}

// splitProgress ends lines at carriage returns too, with which git overwrites its progress.
func splitProgress(content []byte, atEnd bool) (advance int, line []byte, err error) {
	if end := bytes.IndexAny(content, "\r\n"); end >= 0 {
		return end + 1, content[:end], nil
	}
	if atEnd && len(content) > 0 {
		return len(content), content, nil
	}
	return 0, nil, nil
}

// reason turns git's last word into a sentence.
func (g *gitOutput) reason() string {
	switch {
	case strings.Contains(g.fatal, "could not read Username"), strings.Contains(g.fatal, "Authentication failed"):
		return "The repository could not be copied: it does not exist, or it is not public."
	case g.fatal == "":
		return "The repository could not be copied. The log tells more."
	default:
		said := []rune(g.fatal)
		return "The repository could not be copied: " + strings.TrimRight(string(said[:min(len(said), 300)]), ".") + "."
	}
}
