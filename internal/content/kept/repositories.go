package kept

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/githttp"
)

// Who made the commits of kept repositories, and with which words. Nothing in a commit depends on the server that makes it.
const (
	commitIdentity = "Cairn <catalog@invalid>"
	commitMessage  = "Version %d\n"
)

// repository returns the bare git repository of a version, which is made if it isn't there.
func (t *trees) repository(ctx context.Context, kept catalog.Kept) (string, error) {
	tree, err := t.path(ctx, kept)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(t.at(kept.ID, kept.Number), repositoryName)
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	found, err := t.store.find(ctx, kept.ID, kept.Number)
	if err != nil {
		return "", err
	}
	return folder, t.once(ctx, folder, func() error {
		if _, err := os.Stat(folder); err == nil {
			return nil
		}
		built, root, err := t.stage()
		if err != nil {
			return err
		}
		made := filepath.Join(built, repositoryName)
		err = errors.Join(root.Close(), makeRepository(context.WithoutCancel(ctx), tree, made, found))
		if err == nil {
			if err = os.Rename(made, folder); errors.Is(err, fs.ErrExist) { // another process was faster
				err = nil
			}
		}
		return errors.Join(err, t.remove(built))
	})
}

// makeRepository makes a bare repository with one commit that has the files of a folder.
func makeRepository(ctx context.Context, tree, target string, of storedVersion) error {
	if err := runGit(ctx, nil, "init", "--quiet", "--bare", "--initial-branch=main", "--object-format=sha1", "--template=", "--", target); err != nil {
		return err
	}
	reads, writes := io.Pipe()
	go func() { writes.CloseWithError(writeImport(writes, tree, of)) }()
	err := runGit(ctx, reads, "-C", target, "fast-import", "--quiet", "--done")
	_ = reads.Close() // git may have ended before all was written
	return errors.Join(err, makeReadable(target))
}

// writeImport writes the commit in the format of git fast-import.
func writeImport(to io.Writer, tree string, of storedVersion) error {
	out := bufio.NewWriterSize(to, 1<<20)
	message := fmt.Sprintf(commitMessage, of.number)
	fmt.Fprintf(out, "commit refs/heads/main\ncommitter %s %d +0000\ndata %d\n%s\n", commitIdentity, of.madeAt.Unix(), len(message), message)
	err := filepath.WalkDir(tree, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		about, err := entry.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(tree, path)
		if err != nil {
			return err
		}
		mode := "100644"
		if about.Mode()&0o100 != 0 {
			mode = "100755"
		}
		fmt.Fprintf(out, "M %s inline \"%s\"\ndata %d\n", mode, strings.ReplaceAll(name, `"`, `\"`), about.Size()) // paths have no other character to escape
		file, err := os.Open(path)                                                                                 //nolint:gosec // trees are ours alone, and have no links
		if err != nil {
			return err
		}
		written, err := io.Copy(out, io.LimitReader(file, about.Size()))
		if err == nil && written != about.Size() {
			err = io.ErrUnexpectedEOF
		}
		_, newline := out.WriteString("\n")
		return errors.Join(err, newline, file.Close())
	})
	_, done := out.WriteString("done\n")
	return errors.Join(err, done, out.Flush())
}

// makeReadable lets the system users of sessions copy a repository, whatever the server's umask.
func makeReadable(root string) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return os.Chmod(path, 0o755) //nolint:gosec // as documented
		}
		return os.Chmod(path, 0o644) //nolint:gosec // as documented
	})
}

// runGit runs git on our files.
func runGit(ctx context.Context, input io.Reader, arguments ...string) error {
	command := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=/dev/null"}, arguments...)...) //nolint:gosec // our own arguments
	command.Env, command.Stdin = githttp.Environment(), input
	var said strings.Builder
	command.Stderr = &said
	err := command.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fault.Wrap(err, fault.Unavailable, "Repositories that this server keeps need git, which isn't installed here. Tell the operators.")
	case err != nil:
		return fault.Wrap(fmt.Errorf("git %s: %w: %.1000s", arguments[0], err, said.String()), fault.Unavailable, "The repository couldn't be made with git. Tell the operators.")
	}
	return nil
}
