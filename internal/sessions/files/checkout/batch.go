package checkout

import (
	"strconv"
	"time"
)

// earliestDate bounds the time that programs put into files instead of the present: zip files can't store earlier ones.
var earliestDate = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// BatchEnvironment returns the variables by which the same notebook of a commit gives the same outputs, as NAME=VALUE. The backend of
// Matplotlib is the one that Jupyter's kernels have anyway, and draws with Agg: with plain Agg, notebooks would show no figures.
func BatchEnvironment(committed time.Time) []string {
	switch {
	case committed.Before(earliestDate):
		committed = earliestDate
	case committed.After(LatestDate):
		committed = LatestDate
	}
	return []string{
		"PYTHONHASHSEED=0", "MPLBACKEND=module://matplotlib_inline.backend_inline", "TZ=UTC", "COLUMNS=80", "LC_ALL=C.UTF-8",
		"SOURCE_DATE_EPOCH=" + strconv.FormatInt(committed.Unix(), 10),
	}
}
