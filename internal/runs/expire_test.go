package runs

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/runs/executor"
)

func TestExpiredFiles(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.work(w.service)
		clean := w.run("")
		w.kernels(func(context.Context, []byte, executor.Options) executor.Executed { return raised("ValueError", "no") })
		failed := w.run("")
		stopped := w.run("absent.ipynb")
		if _, err := w.service.artifact(stopped.ID, logName); stopped.State != Stopped || err != nil {
			t.Errorf("a run that couldn't be carried out is %s, with a log: %v", stopped.State, err)
		}
		_, err := w.service.artifact(stopped.ID, comparisonName)
		wantKind(t, "a comparison of what wasn't executed", err, fault.NotFound)
		w.kernels(nil)
		w.clock.advance(25 * time.Hour)
		last := w.run("")
		w.clock.advance(w.options.Keep + time.Hour)
		for more := true; more; {
			var err error
			more, err = w.service.expire(t.Context())
			check(t, err)
		}
		for id, want := range map[string]string{clean.ID: "", failed.ID: logName, stopped.ID: "", last.ID: strings.Join([]string{authorName, comparisonName, executedName, logName}, " ")} {
			var names []string
			found, _ := os.ReadDir(filepath.Join(w.options.Folder, id))
			for _, one := range found {
				names = append(names, one.Name())
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("%s %s keeps %q, want %q", w.row(id).State, w.row(id).Verdict, got, want)
			}
		}
	})
}

// What runs of an entry left goes when it is deleted permanently.
func TestErasedEntriesLeaveNoRuns(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.work(w.service)
		run := w.run("")
		w.set(`UPDATE resource SET hidden = $2 WHERE id = $1`, run.ResourceID, true)
		_, err := w.Store.Erase(t.Context(), run.ResourceID)
		check(t, err)
		if _, err := one(t.Context(), w.store.db, `id = $1`, run.ID); fault.KindOf(err) != fault.NotFound {
			t.Errorf("the run is still there: %v", err)
		}
		other, err := w.service.Start(w.As(ann), w.ID("lakes"), "", "")
		check(t, err)
		w.ended(other.ID)
		_, err = w.service.removeOrphans(t.Context())
		check(t, err)
		ids, err := w.service.idsWithFiles()
		if err != nil || !slices.Equal(ids, []string{other.ID}) {
			t.Errorf("files of %v are left, %v", ids, err)
		}
	})
}
