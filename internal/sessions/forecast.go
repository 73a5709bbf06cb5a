package sessions

import (
	"context"
	"slices"

	"cairn/internal/people/identity"
	"cairn/internal/sessions/engine"
)

// Forecast says how long launches on an engine usually take, based on recent successful ones.
type Forecast struct {
	Engine      string         `json:"engine"`
	Launches    int            `json:"launches" doc:"How many launches it is drawn from; 0: nothing is known yet"`
	Steps       []StepForecast `json:"steps" doc:"queued, then the engine's steps in their order; steps may overlap"`
	Total       Usual          `json:"total" doc:"Of the whole launch, without the wait in the queue"`
	MemoryBytes int64          `json:"memoryBytes,omitempty" doc:"The most memory that a session has there; absent without a limit"`
}

// StepForecast is a step with its usual duration.
type StepForecast struct {
	Step string `json:"step" enum:"queued,repository,datasets,environment,server"`
	Usual
}

// Usual is the median and the 90th percentile of launches.
type Usual struct {
	P50 float64 `json:"p50" doc:"Seconds"`
	P90 float64 `json:"p90" doc:"Seconds"`
}

// Forecast returns the usual durations of an engine, the default one for "". Invalid for an unknown one.
func (s *Service) Forecast(ctx context.Context, engineName string) (Forecast, error) {
	if _, err := identity.Require(ctx); err != nil {
		return Forecast{}, err
	}
	chosen, err := s.Engines.Named(engineName, "query.engine")
	if err != nil {
		return Forecast{}, err
	}
	result, err := s.ForecastOf(ctx, chosen.Name)
	size, _ := chosen.Profile("")
	result.MemoryBytes = size.Limits.MemoryBytes
	return result, err
}

// ForecastOf is Forecast for the engine of a session, which may have been removed.
func (s *Service) ForecastOf(ctx context.Context, engineName string) (Forecast, error) {
	launches, err := s.launches.Of(ctx, engineName)
	if err != nil {
		return Forecast{}, err
	}
	result := Forecast{Engine: engineName, Launches: len(launches), Steps: []StepForecast{}}
	result.Total, _ = usual(launches, StepTotal)
	for _, step := range []string{
		StepQueued, string(engine.StepRepository), string(engine.StepDatasets), string(engine.StepEnvironment), string(engine.StepServer),
	} {
		if times, known := usual(launches, step); known {
			result.Steps = append(result.Steps, StepForecast{Step: step, Usual: times})
		}
	}
	return result, nil
}

// usual returns the nearest-rank percentiles of a step's durations; false when no launch had the step.
func usual(launches []Durations, step string) (Usual, bool) {
	var times []int64
	for _, launch := range launches {
		if taken, had := launch[step]; had {
			times = append(times, taken)
		}
	}
	if len(times) == 0 {
		return Usual{}, false
	}
	slices.Sort(times)
	at := func(percent int) float64 { return float64(times[(len(times)*percent+99)/100-1]) / 1000 }
	return Usual{P50: at(50), P90: at(90)}, true
}
