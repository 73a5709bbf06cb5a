package sessions

import (
	"context"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
)

// Versions says which versions entries have: a catalog.Versions.
type Versions interface {
	List(ctx context.Context, id string) ([]catalog.EntryVersion, error)
}

// commitOf returns the commit that a version of an entry is; Conflict if that isn't known, or another one is asked for.
func (r *Resolver) commitOf(ctx context.Context, asked StartRequest) (string, error) {
	all, err := r.Versions.List(ctx, asked.ResourceID)
	if err != nil {
		return "", err
	}
	for _, one := range all {
		if one.Number == asked.Version && one.Digest != "" && asked.Ref == "" {
			return one.Digest, nil
		}
	}
	return "", fault.New(fault.Conflict, "Version %d of this repository can't be run: leave out ref, or name the commit with it and leave out version.", asked.Version)
}
