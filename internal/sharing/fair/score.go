package fair

import (
	"context"
	"slices"
	"sync"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// Score says how well strangers can find, cite and reuse an entry.
type Score struct {
	Score  float64 `json:"score" doc:"The points that it has"`
	Of     float64 `json:"of" doc:"The points that there are: 26"`
	Checks []Check `json:"checks"`
}

// Check is a test of F-UJI, or, for 0 points, advice.
type Check struct {
	ID     string  `json:"id" example:"FsF-R1.1-01M"`
	Name   string  `json:"name" doc:"What is there if it is fine"`
	OK     bool    `json:"ok"`
	Points float64 `json:"points" doc:"What it is worth; 0 for advice"`
	Fix    *Fix    `json:"fix,omitempty" doc:"Absent for what is fine"`
}

// Fix says why a check fails, and what helps.
type Fix struct {
	Missing string `json:"missing" doc:"What isn't there" example:"No license"`
	Why     string `json:"why" doc:"A sentence"`
	Action  string `json:"action,omitempty" doc:"The label of what an author can do; absent if they can't do anything"`
	Field   string `json:"field,omitempty" doc:"The field of the entry's form in which they do it" enum:"description,doi,license,orcid,people,tags,version" example:"license"`
	Line    string `json:"line,omitempty" doc:"For the entry of a repository: the line of its descriptor, below project, that sets the field" example:"license: CC-BY-4.0"`
}

// points are all points of F-UJI's metrics 0.8.
const points = 26

// Score asks for a public entry as a stranger does, and counts.
func (s *Service) Score(ctx context.Context, id string) (Score, error) {
	entry, err := s.publicEntry(ctx, id)
	if err != nil {
		return Score{}, err
	}
	record := s.record(ctx, entry, filesInHead)
	found := s.probe(ctx, record)
	score := Score{Of: points, Checks: []Check{}}
	for _, one := range checks {
		ok := one.passes(found)
		check := Check{ID: one.id, Name: one.name, OK: ok, Points: one.points}
		if ok {
			score.Score += one.points
		} else {
			fix := one.fixOf(record)
			check.Fix = &fix
		}
		score.Checks = append(score.Checks, check)
	}
	return score, nil
}

// Median is the median score of a sample of the public entries.
type Median struct {
	Median  float64   `json:"median"`
	Of      float64   `json:"of"`
	Scored  int       `json:"scored" doc:"Entries whose score was counted"`
	Public  int       `json:"public" doc:"Entries that there are"`
	Counted time.Time `json:"counted"`
}

type median struct {
	sync.Mutex

	found Median
}

const (
	medianSample = 100
	medianKeeps  = time.Hour
)

// Median returns the median score of the public entries, for operators.
func (s *Service) Median(ctx context.Context) (Median, error) {
	if caller, _ := identity.From(ctx); !caller.Operator {
		return Median{}, fault.New(fault.Forbidden, "Only operators can see this.")
	}
	s.medians.Lock()
	defer s.medians.Unlock()
	now := s.options.Now()
	if known := s.medians.found; !known.Counted.IsZero() && now.Sub(known.Counted) < medianKeeps {
		return known, nil
	}
	ids, total, err := s.options.Appearances.SampleOfPublic(ctx, medianSample)
	if err != nil {
		return Median{}, err
	}
	var scores []float64
	for _, id := range ids {
		score, err := s.Score(ctx, id)
		switch {
		case fault.KindOf(err) == fault.NotFound: // it isn't public any longer
		case err != nil:
			return Median{}, err
		default:
			scores = append(scores, score.Score)
		}
	}
	found := Median{Of: points, Scored: len(scores), Public: total, Counted: now.UTC()}
	if slices.Sort(scores); len(scores) > 0 {
		found.Median = (scores[(len(scores)-1)/2] + scores[len(scores)/2]) / 2
	}
	s.medians.found = found
	return found, nil
}

// openFormats are media types that everybody can read in ten years, besides text.
var openFormats = []string{
	notebookType, "application/json", "application/jsonl", "application/xml", "application/yaml", "application/pdf", "application/x-hdf5",
	"application/x-netcdf", "application/vnd.apache.parquet", "image/png", "image/tiff", "image/svg+xml", "chemical/x-pdb", "chemical/x-xyz", "audio/wav",
}

// noFiles says why strangers get no file of an entry.
func noFiles(r Record) Fix {
	switch r.Type {
	case catalog.Model:
		return Fix{Why: "A model runs on a platform and has no file to download."}
	case catalog.Repository:
		if r.isKept() {
			return Fix{Why: "A repository is cloned with git, so there is no single file to download here."}
		}
		return Fix{Why: "A repository is cloned from its code host, so there is no single file to download here."}
	case catalog.Notebook:
		return Fix{Why: "The notebook can't be read from its source right now."}
	}
	return Fix{Why: "Not everyone can download the data from this server, or it isn't here. The operators decide about downloads."}
}
