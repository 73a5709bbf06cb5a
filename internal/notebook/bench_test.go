package notebook

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What the product promises: a typical notebook in less than 5 ms, one of 1 MB in less than 100 ms.
//
//	go test ./internal/notebook -run '^$' -bench . -benchtime 2s
//
// "again" is what nearly every reader meets: formulas and coloured code come from the renderer's cache. "first" is a
// renderer that has not seen the notebook yet.

func typical(b *testing.B) string {
	source, err := os.ReadFile("../demo/notebooks/cable-equation-neuron.ipynb")
	if err != nil {
		b.Fatal(err)
	}
	return string(source)
}

// megabyte is a notebook of 1 MB with something of everything: 100 cells of text with formulas, 100 of code (40 kB) with
// tables, logs in colours and pictures.
func megabyte(b *testing.B) string {
	picture := shows("image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg">`+strings.Repeat(`<path d="M1.25 2.5L3.75 4.25"/>`, 110)+"</svg>")
	table := shows("text/html", "<table>"+strings.Repeat("<tr><th>row</th><td>1.25</td><td>2.5</td></tr>", 30)+"</table>")
	log := map[string]any{"output_type": "stream", "name": "stdout", "text": strings.Repeat("epoch 12 \x1b[32mloss\x1b[0m 0.125\n", 30)}
	text := map[string]any{"cell_type": "markdown", "source": "## A title\n\n" + strings.Repeat("Words of *some* length and a [link](https://example.org/). ", 12) + "\n\n$$\\frac{a}{b}$$"}
	code := map[string]any{"cell_type": "code", "execution_count": 1, "source": strings.Repeat("value = np.linspace(0, 1, 100)  # a comment\n", 9), "outputs": []any{picture, table, log}}
	cells := []map[string]any{}
	for range 100 {
		cells = append(cells, text, code)
	}
	source := notebookOf(cells...)
	if len(source) < 950_000 || len(source) > 1_200_000 {
		b.Fatalf("it has %d bytes", len(source))
	}
	return source
}

func BenchmarkTypicalFirst(b *testing.B)  { first(b, typical(b)) }
func BenchmarkTypicalAgain(b *testing.B)  { again(b, typical(b)) }
func BenchmarkMegabyteFirst(b *testing.B) { first(b, megabyte(b)) }
func BenchmarkMegabyteAgain(b *testing.B) { again(b, megabyte(b)) }

func first(b *testing.B, source string) {
	measure(b, source, func(renderer *Renderer) { renderer.pieces.cache.Purge() })
}

func again(b *testing.B, source string) { measure(b, source, func(*Renderer) {}) }

// measure also tells the processor time: on a machine that has other things to do, the clock says little.
func measure(b *testing.B, source string, before func(*Renderer)) {
	renderer := newRenderer(b)
	render(b, renderer, source)
	began, rounds := processorTime(b), 0
	for b.Loop() {
		before(renderer)
		render(b, renderer, source)
		rounds++
	}
	b.ReportMetric(float64((processorTime(b)-began).Microseconds())/1000/float64(rounds), "cpu-ms/op")
}

func processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
