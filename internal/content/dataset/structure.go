package dataset

import (
	"context"
	"path"

	"cairn/internal/content/dataset/hierarchy"
)

// Structure returns what a file of arrays says about itself; Invalid when it isn't what its name says, TooLarge when too much
// of it would have to be read.
func (t *Tree) Structure(ctx context.Context, name string) (hierarchy.Tree, error) {
	file, size, err := t.open(name)
	if err != nil {
		return hierarchy.Tree{}, err
	}
	defer file.Close()
	if previewOf(path.Base(name)) != previewTree {
		return hierarchy.Tree{}, errNoPreview
	}
	tree, err := hierarchy.Read(ctx, file, size)
	if err != nil {
		return hierarchy.Tree{}, unreadable(ctx, err)
	}
	tree.Path = name
	return tree, nil
}
