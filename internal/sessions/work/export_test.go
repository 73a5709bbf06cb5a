package work

import (
	"context"
	"time"
)

// ArchivesAtOnce is archivesAtOnce.
const ArchivesAtOnce = archivesAtOnce

// Archives are archives.
type Archives struct{ *archives }

// NewArchives is newArchives.
func NewArchives(wait time.Duration) Archives { return Archives{newArchives(wait)} }

// Begin is begin.
func (a Archives) Begin(ctx context.Context, id string) (end func(), err error) {
	return a.begin(ctx, id)
}
