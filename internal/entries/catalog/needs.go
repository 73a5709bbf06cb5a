package catalog

import (
	"encoding/json"
	"fmt"

	"cairn/internal/foundation/fault"
)

// Needs are what an entry asks of a session. What is zero isn't asked for.
type Needs struct {
	MemoryBytes int64   `json:"memoryBytes,omitempty"`
	CPUs        float64 `json:"cpus,omitempty" doc:"Processors"`
	GPUs        int     `json:"gpus,omitempty"`
}

// The most that an entry may ask for.
const (
	MemoryMost = 1 << 50
	CPUsMost   = 4096
	GPUsMost   = 1024
)

// checkNeeds returns what is wrong with an entry's needs.
func (r Entry) checkNeeds() (faults []fault.Field) {
	if r.Needs == nil {
		return nil
	}
	add := func(wrong bool, name, format string, arguments ...any) {
		if wrong {
			faults = append(faults, fault.Field{Location: name, Message: fmt.Sprintf(format, arguments...)})
		}
	}
	needs := *r.Needs
	add(r.Type != Repository, "needs", "only repositories can ask for resources")
	add(needs.MemoryBytes < 0 || needs.MemoryBytes > MemoryMost, "needs.memoryBytes", "must be a number of bytes up to %d", int64(MemoryMost))
	add(!(needs.CPUs >= 0 && needs.CPUs <= CPUsMost), "needs.cpus", "must be a number of processors up to %d", CPUsMost)
	add(needs.GPUs < 0 || needs.GPUs > GPUsMost, "needs.gpus", "must be a number of GPUs up to %d", GPUsMost)
	return faults
}

// storedNeeds is the column of an entry's needs: "" without any.
func (r Entry) storedNeeds() string {
	if r.Needs == nil {
		return ""
	}
	text, err := json.Marshal(r.Needs)
	if err != nil {
		panic(err) // checkNeeds refuses what isn't a number
	}
	return string(text)
}

func loadNeeds(stored string) (*Needs, error) {
	if stored == "" {
		return nil, nil //nolint:nilnil // it asks for nothing
	}
	var needs Needs
	err := json.Unmarshal([]byte(stored), &needs)
	return &needs, err
}
