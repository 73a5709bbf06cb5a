package harvest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
	"cairn/bench/report"
)

// examples are the demo's entries, by type, with their files.
var examples = []string{"Membrane recording of a model neuron", "The shape of a spike", "First steps", "Gromacs"}

// exports are the forms of all types; each type has one more.
var exports = []string{"jsonld", "datacite", "datacite-xml", "rocrate", "bibtex", "csl", "cff", "linkset"}

// answered is how soon something is answered, over one entry of each type that has it.
type answered struct {
	name      string
	answers   load.Result
	processor time.Duration // of the server, for all that were asked for
	asked     int           // also to warm up
}

const longest = 10 * time.Minute // for one thing

// single measures the page of one entry of each type, and its forms, each one after the other.
func (b *bench) single(ctx context.Context, server *program.Server) error {
	address := server.Address
	b.say("Waiting until the server has nothing to do")
	if err := server.Rest(ctx); err != nil {
		return err
	}
	b.found.single = []answered{{name: "page of an entry"}}
	for _, name := range append(exports, "croissant", "codemeta") {
		b.found.single = append(b.found.single, answered{name: "export " + name})
	}
	for _, name := range examples {
		one, err := named(ctx, address, name)
		if err != nil {
			return err
		}
		plural := map[string]string{"DATASET": "datasets", "NOTEBOOK": "notebooks", "REPOSITORY": "repositories", "MODEL": "models"}[one.Type]
		for i := range b.found.single {
			into := &b.found.single[i]
			form := strings.TrimPrefix(into.name, "export ")
			if form == "croissant" && one.Type != "DATASET" || form == "codemeta" && one.Type == "DATASET" {
				continue
			}
			bytes := load.Encode(http.MethodGet, address, "/api/v1/rf/resources/public/"+one.ID+"/export/"+form, "")
			if i == 0 {
				bytes = request(http.MethodGet, address, "/resources/"+plural+"/"+one.ID, "", "text/html", nil)
			}
			before, err := server.Processor()
			if err != nil {
				return err
			}
			asked := 0
			found, err := load.Run(ctx, load.Plan{
				Address: address, Clients: 1, WarmUp: time.Second / 4, Time: longest, Limit: b.asked,
				Requests: []load.Request{{Bytes: bytes, Check: func(status int, body []byte, _ bool) error {
					asked++
					if status != http.StatusOK || !strings.Contains(string(body), one.ID) {
						return fmt.Errorf("it was answered %d: %.300s", status, body)
					}
					return nil
				}}},
			})
			if err = errors.Join(err, found.FirstErr); err != nil {
				return fmt.Errorf("%s of %s: %w", into.name, name, err)
			}
			b.say("%s of %s: p95 %s ms", into.name, name, report.Milliseconds(found.Quantile(0.95)))
			after, err := server.Processor()
			if err != nil {
				return err
			}
			into.processor, into.asked = into.processor+after-before, into.asked+asked
			into.answers.Join(found)
		}
	}
	return nil
}
