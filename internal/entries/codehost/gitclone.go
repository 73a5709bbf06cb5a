package codehost

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"cairn/internal/foundation/gitclient"
)

// clone is a clone of a commit.
type clone struct {
	*gitclient.Repository

	commit string
	stale  bool // the branch has a newer one, which can't be fetched now
}

// list returns what git ls-tree says, with the sizes of the files that are there.
func (c *clone) list(ctx context.Context, arguments ...string) ([]treeEntry, error) {
	said, err := c.Output(ctx, false, listBytes, append([]string{"ls-tree", "-z", "--full-tree"}, arguments...)...)
	if err != nil {
		return nil, err
	}
	var found []treeEntry
	var asked strings.Builder
	for line := range strings.SplitSeq(strings.TrimSuffix(string(said), "\x00"), "\x00") {
		about, path, _ := strings.Cut(line, "\t")
		words := strings.Fields(about)
		if len(words) != 3 {
			continue
		}
		found = append(found, treeEntry{Mode: words[0], Type: words[1], SHA: words[2], Path: path, Size: SizeUnknown})
		fmt.Fprintln(&asked, words[2])
	}
	at := 0
	err = c.Run(ctx, false, strings.NewReader(asked.String()), func(output io.Reader) error {
		lines := bufio.NewScanner(output)
		for ; lines.Scan() && at < len(found); at++ {
			var id, kind string
			var size int64
			if _, err := fmt.Sscan(lines.Text(), &id, &kind, &size); err == nil && kind == "blob" {
				found[at].Size = size
			}
		}
		return lines.Err()
	}, "cat-file", "--batch-check")
	return found, err
}

// content returns a file, or the target of a link. TooLarge if it has more bytes than asked for, or wasn't fetched for that reason.
func (c *clone) content(ctx context.Context, at treeEntry, most int64) ([]byte, error) {
	if at.Size > most || at.Size == SizeUnknown {
		return nil, tooLarge(min(most, filesBytes))
	}
	return c.Output(ctx, false, most, "cat-file", "blob", at.SHA)
}
