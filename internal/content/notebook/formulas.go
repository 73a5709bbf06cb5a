package notebook

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/humanize"

	"cairn/internal/foundation/fault"

	"github.com/dop251/goja"
)

// formulas turns TeX into MathML with MathJax, as Jupyter does. The script runs in interpreters that can't reach anything
// outside, one formula at a time in each.
type formulas struct {
	script *goja.Program
	slots  chan struct{}     // slots for concurrent work
	idle   chan *interpreter // started interpreters that wait for work

	timeout time.Duration // of each formula
}

type interpreter struct {
	machine *goja.Runtime
	render  goja.Callable
}

// Limits of a formula.
const (
	formulaBytes = 8_000
	formulaDepth = 100 // of braces
	formulaTime  = time.Second
	formulaCalls = 1_500 // nested calls in the script
)

//go:embed mathjax.js
var mathJaxCall string

// newFormulas compiles the script; nil without one.
func newFormulas(script []byte) (*formulas, error) {
	if script == nil {
		return nil, nil
	}
	program, err := goja.Compile("mathjax.js", string(script), true)
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "MathJax cannot be read; rebuild the page with: make build")
	}
	most := runtime.GOMAXPROCS(0)
	f := &formulas{script: program, slots: make(chan struct{}, most), idle: make(chan *interpreter, most), timeout: formulaTime}
	first, err := f.start() // shows immediately whether this is MathJax
	if err != nil {
		return nil, err
	}
	f.idle <- first
	return f, nil
}

func (f *formulas) start() (*interpreter, error) {
	machine := goja.New()
	machine.SetMaxCallStackSize(formulaCalls)
	_, err := machine.RunProgram(f.script)
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "MathJax cannot be started; rebuild the page with: make build")
	}
	call, err := machine.RunScript("call.js", mathJaxCall)
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "The script for formulas is not MathJax; rebuild the page with: make build")
	}
	render, ok := goja.AssertFunction(call)
	if !ok {
		return nil, errors.New("call.js is not a function")
	}
	return &interpreter{machine, render}, nil
}

// formula is what MathJax turns into MathML.
type formula struct {
	tex         string
	display     bool
	definitions []string // the formulas before it in the notebook that define commands, in order
}

// defining are the commands that define others.
var defining = regexp.MustCompile(`\\(?:(?:re)?newcommand|(?:re)?newenvironment|[gx]?def|let|DeclareMathOperator|DeclarePairedDelimiters?X?|Newextarrow)\b`)

// defines reports whether TeX defines commands, which hold for the rest of the notebook.
func defines(tex string) bool { return defining.MatchString(tex) }

// mathML renders a formula. It returns Invalid, with the reason, when that isn't possible; Unavailable when time ran
// out.
func (f *formulas) mathML(ctx context.Context, one formula) (string, error) {
	if len(one.tex) > formulaBytes {
		return "", fault.New(fault.Invalid, "it is longer than %s", humanize.Bytes(formulaBytes))
	}
	if braceDepth(one.tex) > formulaDepth {
		return "", fault.New(fault.Invalid, "its braces are nested more than %d deep", formulaDepth)
	}
	select {
	case f.slots <- struct{}{}:
		defer func() { <-f.slots }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	var free *interpreter
	select {
	case free = <-f.idle:
	default:
		var err error
		if free, err = f.start(); err != nil {
			return "", err
		}
	}
	sound := false
	defer func() {
		if sound {
			f.idle <- free
		}
	}()
	limited, cancel := context.WithTimeout(ctx, f.timeout)
	stop := context.AfterFunc(limited, func() { free.machine.Interrupt("time") })
	defer cancel()
	definitions := make([]any, len(one.definitions))
	for i, definition := range one.definitions {
		definitions[i] = standard(definition)
	}
	value := free.machine.ToValue
	result, err := free.render(nil, free.machine.NewArray(definitions...), value(standard(one.tex)), value(one.display), value(defines(one.tex)))
	if !stop() {
		return "", fault.Wrap(err, fault.Unavailable, "rendering it took too long")
	}
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "it is too much for the program that renders formulas")
	}
	// An interpreter whose time ended, for the script or from outside, isn't used again: its state may be broken.
	sound = true
	var answer []string
	if err := free.machine.ExportTo(result, &answer); err != nil || len(answer) != 2 {
		return "", fault.Wrap(err, fault.Invalid, "the program that renders formulas didn't answer")
	}
	if answer[1] != "" {
		return "", fault.New(fault.Invalid, "%s", label(answer[1]))
	}
	return checkMathML(answer[0], one.tex)
}

// braceDepth returns how deeply braces are nested at most.
func braceDepth(tex string) (most int) {
	open := 0
	for i := range len(tex) {
		switch tex[i] {
		case '{':
			open++
			most = max(most, open)
		case '}':
			open--
		}
	}
	return most
}

var (
	required = regexp.MustCompile(`\\require\s*\{[^{}]*\}`)
	labels   = regexp.MustCompile(`\\label\s*\{[^{}]*\}`)
	referred = regexp.MustCompile(`\\(eq)?ref\s*\{([^{}]*)\}`)
)

// standard rewrites what depends on more than a formula: everything that can be required is there already, and as equations
// have no numbers, which would begin anew in each cell, a reference becomes the name of its label.
func standard(tex string) string {
	tex = labels.ReplaceAllString(required.ReplaceAllString(tex, ""), "")
	return referred.ReplaceAllStringFunc(tex, func(reference string) string {
		parts := referred.FindStringSubmatch(reference)
		if parts[1] != "" {
			return `\text{(` + parts[2] + `)}`
		}
		return `\text{` + parts[2] + `}`
	})
}

// formula turns TeX into a piece of HTML: the formula, or its text with the reason.
func (p *page) formula(tex, written string, display bool) string {
	asText := `<code class="tex">` + escape(written) + "</code>"
	switch {
	case p.renderer.formulas == nil:
		p.note("Formulas are shown as text, because this server has no program to render them.")
		return asText
	case p.late():
		p.note("Some formulas are shown as text, because rendering all of them takes too long.")
		return asText
	}
	key := pieceKey{"formula", p.definitions.digest + strconv.FormatBool(display), tex}
	made, known := p.renderer.pieces.get(key)
	if !known {
		var err error
		if made, err = p.renderer.formulas.mathML(p.ctx, formula{tex, display, p.definitions.tex}); err != nil {
			made = asText + ` <span class="absent">(invalid formula: ` + escape(fault.MessageOf(err)) + ")</span>"
		}
		if fault.KindOf(err) == fault.Invalid || err == nil { // otherwise it may be drawn the next time
			p.renderer.pieces.put(key, made)
		}
	}
	if strings.HasPrefix(made, "<math") { // whatever runs without end isn't run again for each later formula
		p.definitions.add(tex)
	}
	if display {
		return `<span class="formula" tabindex="0" role="group" aria-label="Formula">` + made + "</span>"
	}
	return made
}

// definitions are the formulas of a notebook, up to the current one, that define commands.
type definitions struct {
	tex    []string
	bytes  int
	digest string // of all of them; empty without any
}

// definitionBytes is how much of them a notebook may have; later ones hold for their own formula alone.
const definitionBytes = 30_000

func (d *definitions) add(tex string) {
	if !defines(tex) || d.bytes+len(tex) > definitionBytes {
		return
	}
	d.tex = append(d.tex, tex)
	d.bytes += len(tex)
	sum := sha256.Sum256([]byte(d.digest + tex))
	d.digest = string(sum[:])
}

// addFrom adds the definitions of a cell that isn't rendered, because it is in an earlier part.
func (d *definitions) addFrom(raw json.RawMessage) {
	if !defining.Match(raw) {
		return
	}
	cell, _ := readCell(raw) // what can't be read defines nothing
	if cell.Type == "markdown" && defines(string(cell.Source)) {
		splitTex(string(cell.Source), func(string) {}, func(found tex, _ string) { d.add(found.source) })
	}
}
