package sessions

import (
	"fmt"
	"slices"

	"cairn/internal/entries/catalog"
)

// Holds is a copy of what a session was made from, taken when it was started. It outlives the project and its entries.
type Holds struct {
	ID         string `json:"id" doc:"Empty if the session was started from an entry"`
	Name       string `json:"name"`
	Repository Part   `json:"repositoryResource" doc:"Its fields are empty if the session has no repository"`
	Datasets   []Part `json:"datasetResources"`
}

// without returns a copy that skips the datasets with these ids.
func (h Holds) without(ids []string) Holds {
	h.Datasets = slices.Clone(h.Datasets)
	for i, part := range h.Datasets {
		h.Datasets[i].Skipped = part.Skipped || slices.Contains(ids, part.ID)
	}
	return h
}

// Folders returns the folder of each dataset below engine.DataFolder, in the order of the datasets.
func (h Holds) Folders() []string {
	var all []string
	for _, part := range h.Datasets {
		folder := catalog.DatasetFolder(part.Address, part.Name)
		for name, count := folder, 2; slices.Contains(all, folder); count++ {
			folder = fmt.Sprintf("%s-%d", name, count)
		}
		all = append(all, folder)
	}
	return all
}

// MissingParts returns the datasets with these ids that aren't skipped yet.
func (h Holds) MissingParts(ids []string) []Part {
	return slices.DeleteFunc(slices.Clone(h.Datasets), func(part Part) bool { return part.Skipped || !slices.Contains(ids, part.ID) })
}

// Part is an entry that a session uses.
type Part struct {
	ID      string `json:"id" format:"uuid"`
	Name    string `json:"name"`
	Address string `json:"address" doc:"Its repositoryUrl or datasetUrl"`
	Private bool   `json:"private,omitempty" doc:"A repository that not everybody can read: the session gets a clone that was made for its owner"`
	Skipped bool   `json:"skipped,omitempty" doc:"A dataset that the session does without, by its user's choice"`
}
