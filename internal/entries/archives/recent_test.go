package archives_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"cairn/internal/entries/archives"
	"cairn/internal/entries/archives/archivestest"
	"cairn/internal/foundation/fault"
)

// Those who look at a record, add it and start it ask its archive once; what failed is asked again.
func TestRecordsAreRememberedForAWhile(t *testing.T) {
	t.Parallel()
	all := archivestest.New(t)
	doi, _ := all.Zenodo.Add(item, "")
	recent := archives.NewRecent(archives.NewRecords(all.Records()))
	all.DOI.Limit(1)
	_, err := recent.Find(t.Context(), doi)
	wantFault(t, err, fault.Unavailable)
	all.DOI.Calls()
	var together sync.WaitGroup
	for _, form := range []string{doi, strings.ToUpper(doi), "doi:" + doi, "https://doi.org/" + doi} {
		together.Go(func() {
			if record, err := recent.Find(t.Context(), form); err != nil || record.DOI != doi {
				t.Errorf("%s: %+v %v", form, record, err)
			}
		})
	}
	together.Wait()
	if calls := all.DOI.Calls(); len(calls) != 1 {
		t.Errorf("%q", calls)
	}
	_, err = recent.Find(t.Context(), "nonsense")
	wantFault(t, err, fault.Invalid)
}

func TestWhoGoesAwayLeavesTheAnswerToTheOthers(t *testing.T) {
	t.Parallel()
	all := archivestest.New(t)
	doi, _ := all.Zenodo.Add(item, "")
	recent := archives.NewRecent(archives.NewRecords(all.Records()))
	asked, answer := make(chan struct{}), make(chan struct{})
	all.DOI.Disturb(func(http.ResponseWriter, *http.Request) bool {
		close(asked)
		<-answer
		return false
	})
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		_, err := recent.Find(ctx, doi)
		gone <- err
	}()
	<-asked
	cancel()
	if err := <-gone; err == nil {
		t.Error("it waited")
	}
	close(answer)
	if record, err := recent.Find(t.Context(), doi); err != nil || record.DOI != doi {
		t.Errorf("%+v %v", record, err)
	}
}
