package engine

import "fmt"

// LeftOut is something that a repository asks for and its session doesn't have.
type LeftOut struct {
	What string `json:"what" doc:"What the repository asks for, such as gromacs (conda)"`
	Why  string `json:"why" doc:"A sentence"`
}

// mostLeftOut is the maximum length of a list of what was left out.
const mostLeftOut = 100

// ShortLeftOut bounds a list of what was left out, and the texts in it. The last line of a list that was cut says how many are
// missing.
func ShortLeftOut(list []LeftOut) []LeftOut {
	var short []LeftOut
	for i, one := range list {
		if i == mostLeftOut-1 && len(list) > mostLeftOut {
			return append(short, LeftOut{What: fmt.Sprintf("%d more", len(list)-i), Why: "There are too many to list."})
		}
		short = append(short, LeftOut{What: Shorten(one.What, 120), Why: Shorten(one.Why, 300)})
	}
	return short
}

// Environment is what an engine makes of what a repository declares, as far as that is known before a start.
type Environment struct {
	Files    []string  `json:"files" nullable:"false" doc:"Those that say what the repository needs"`
	Packages []string  `json:"packages" nullable:"false" doc:"What a start tries to install; an index may lack some"`
	LeftOut  []LeftOut `json:"leftOut" nullable:"false" doc:"What no start installs here"`
}
