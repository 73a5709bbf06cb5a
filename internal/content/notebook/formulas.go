package notebook

import (
	"context"
	_ "embed"
	"errors"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/fault"

	"github.com/dop251/goja"
)

// formulas turns TeX into MathML with KaTeX. The script runs in interpreters that can't reach anything outside, one
// formula at a time in each.
type formulas struct {
	script *goja.Program
	slots  chan struct{}     // slots for concurrent work
	idle   chan *interpreter // started interpreters that wait for work
}

type interpreter struct {
	machine *goja.Runtime
	render  goja.Callable
}

// Limits of a formula.
const (
	formulaBytes = 8_000
	formulaTime  = time.Second
	formulaCalls = 1_500 // nested calls in the script
)

//go:embed katex.js
var katexCall string

// newFormulas compiles the script; nil without one.
func newFormulas(script []byte) (*formulas, error) {
	if script == nil {
		return nil, nil
	}
	program, err := goja.Compile("katex.min.js", string(script), true)
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "KaTeX cannot be read; rebuild the page with: make build")
	}
	most := runtime.GOMAXPROCS(0)
	f := &formulas{script: program, slots: make(chan struct{}, most), idle: make(chan *interpreter, most)}
	first, err := f.start() // shows immediately whether this is KaTeX
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
		return nil, fault.Wrap(err, fault.Internal, "KaTeX cannot be started; rebuild the page with: make build")
	}
	call, err := machine.RunScript("katex.js", katexCall)
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "The script for formulas is not KaTeX; rebuild the page with: make build")
	}
	render, ok := goja.AssertFunction(call)
	if !ok {
		return nil, errors.New("katex.js is no function")
	}
	return &interpreter{machine, render}, nil
}

// mathML renders a formula. It returns Invalid, with the reason, when that isn't possible; Unavailable when time ran
// out.
func (f *formulas) mathML(ctx context.Context, tex string, display bool) (string, error) {
	if len(tex) > formulaBytes {
		return "", fault.New(fault.Invalid, "it is longer than %s", size(formulaBytes))
	}
	select {
	case f.slots <- struct{}{}:
		defer func() { <-f.slots }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	var one *interpreter
	select {
	case one = <-f.idle:
	default:
		var err error
		if one, err = f.start(); err != nil {
			return "", err
		}
	}
	sound := false
	defer func() {
		if sound {
			f.idle <- one
		}
	}()
	limited, cancel := context.WithTimeout(ctx, formulaTime)
	stop := context.AfterFunc(limited, func() { one.machine.Interrupt("time") })
	defer cancel()
	result, err := one.render(nil, one.machine.ToValue(standard(tex)), one.machine.ToValue(display))
	if !stop() {
		return "", fault.Wrap(err, fault.Unavailable, "rendering it took too long")
	}
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "it is too much for the program that renders formulas")
	}
	// An interpreter whose time ended, for the script or from outside, isn't used again: its state may be broken.
	sound = true
	var answer []string
	if err := one.machine.ExportTo(result, &answer); err != nil || len(answer) != 2 {
		return "", fault.Wrap(err, fault.Invalid, "the program that renders formulas didn't answer")
	}
	if answer[1] != "" {
		return "", fault.New(fault.Invalid, "%s", label(answer[1]))
	}
	return checkMathML(answer[0], tex)
}

var (
	numbered = regexp.MustCompile(`\\(begin|end)\{(equation|align|gather|alignat)\}`)
	multline = regexp.MustCompile(`\\(begin|end)\{(?:multline|flalign)\*?\}`)
	eqnarray = regexp.MustCompile(`\\begin\{eqnarray\*?\}`)
	labels   = regexp.MustCompile(`\\label\s*\{[^{}]*\}`)
)

// standard rewrites commands of other programs for KaTeX. Equation numbers are left out: they would restart in each
// cell.
func standard(tex string) string {
	tex = numbered.ReplaceAllString(tex, `\$1{$2*}`)
	tex = multline.ReplaceAllString(tex, `\$1{gather*}`)
	tex = eqnarray.ReplaceAllString(tex, `\begin{array}{rcl}`)
	tex = strings.NewReplacer(`\end{eqnarray}`, `\end{array}`, `\end{eqnarray*}`, `\end{array}`).Replace(tex)
	return labels.ReplaceAllString(tex, "")
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
	key := pieceKey{"formula", strconv.FormatBool(display), tex}
	made, known := p.renderer.pieces.get(key)
	if !known {
		var err error
		if made, err = p.renderer.formulas.mathML(p.ctx, tex, display); err != nil {
			made = asText + ` <span class="absent">(invalid formula: ` + escape(fault.MessageOf(err)) + ")</span>"
		}
		if fault.KindOf(err) == fault.Invalid || err == nil { // otherwise it may be drawn the next time
			p.renderer.pieces.put(key, made)
		}
	}
	if display {
		return `<span class="formula" tabindex="0" role="group" aria-label="Formula">` + made + "</span>"
	}
	return made
}
