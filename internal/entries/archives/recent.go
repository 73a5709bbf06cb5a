package archives

import (
	"context"
	"strings"
	"time"

	"github.com/hashicorp/golang-lru/v2/expirable"
	"golang.org/x/sync/singleflight"
)

// Recent finds records as Records does, and remembers them for some minutes: people look at one, add it and start it, and a class starts
// it together. It is safe for concurrent use. Records that it returns are shared: they must not be changed.
type Recent struct {
	records *Records
	found   *expirable.LRU[string, Record] // by DOI in lower case
	asking  singleflight.Group             // likewise
}

const (
	recentTime  = 5 * time.Minute
	recentCount = 200 // more than a project has; a record of MostFiles takes some megabytes
)

// NewRecent returns a Recent that asks these records.
func NewRecent(records *Records) *Recent {
	return &Recent{records: records, found: expirable.NewLRU[string, Record](recentCount, nil, recentTime)}
}

// Find is Records.Find. Those who ask for the same DOI at the same time share the answer.
func (r *Recent) Find(ctx context.Context, text string) (Record, error) {
	key := strings.ToLower(ParseDOI(text))
	if record, known := r.found.Get(key); known && key != "" {
		return record, nil
	}
	if key == "" {
		return r.records.Find(ctx, text)
	}
	asked := r.asking.DoChan(key, func() (any, error) {
		// Who asked first may go away before the others.
		record, err := r.records.Find(context.WithoutCancel(ctx), text)
		if err == nil {
			r.found.Add(key, record)
		}
		return record, err
	})
	select {
	case answer := <-asked:
		record, _ := answer.Val.(Record)
		return record, answer.Err
	case <-ctx.Done():
		return Record{}, context.Cause(ctx)
	}
}
