package notebook

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// TestFormulasThatJupyterDraws has one text for each kind of TeX that people write for Jupyter.
func TestFormulasThatJupyterDraws(t *testing.T) {
	renderer := newRenderer(t)
	for source, formulas := range map[string]int{
		"Energy $ E_{k} $ and mass $ m $ are given; also $\\alpha $ and $ \\beta$. It costs $5 and $6, or $ 7.": 4,
		"We set $s_i = s_{i-1}\n$ for all i.":                                                                      1,
		"A gain of $ \n\\gamma $, or $\\pm$3 dB":                                                                   2,
		`$$\mathop{\mathrm{argmin}}_x f(x)$$`:                                                                      1,
		`$X_n \stackrel{d}{\to} X$ and $\underset{x}{\max} f(x)$`:                                                  2,
		`$\overset{!}{=} \dddot{x}$ or $A \overset{\sim}{\longrightarrow} B$`:                                      2,
		"$\\newcommand{\\argmax}{\\operatorname*{argmax}} \\newcommand{\\EE}{\\mathbb{E}}$\n\nThen $\\EE x = 1$.":  2,
		`$\newcommand{\R}{\mathbb{R}}\renewcommand{\vec}[1]{\mathbf{#1}}$ $\vec{x} \in \R^n$`:                      2,
		`$$x \mbox{ if } y \tag{1}\label{e}$$`:                                                                     1,
		`See \eqref{e} and $\eqref{e}$. Also $\require{cancel}\cancel{x}$ and $\begin{align} a &= b \end{align}$.`: 4,
		`$$\text{firing_rate} = \frac{n}{T}$$`:                                                                     1,
		`The $\text{d_prime}$ index and $\mathrm{d_x}$.`:                                                           2,
		`$\ce{2 H2O <=> H3O+ + OH-}$, $\root 3 \of {x}$, $\unicode{x2713}$`:                                        3,
		`$$f = \cases{1 & x > 0 \cr 0 & \text{else}}$$ and $\matrix{a & b \cr c & d}$`:                             2,
		`$p - 𝜖$ and $𝑥^2$`:                                                                                        2,
		`$\overline{abc}$ and $\underline{x}$, $\ce{A <=>> B <--> C ->[x] D}$`:                                     3,
		`$𝔼[X] \le 𝒪(n)$`:                                                                                          1,
		`$\href{https://example.org}{x}$ and \ref{sec}`:                                                            2,
	} {
		made := string(render(t, renderer, inMarkdown(source)).HTML)
		if strings.Count(made, "<math") != formulas || strings.Contains(made, "absent") || strings.Contains(made, "b00020") {
			t.Errorf("%q has other than %d formulas: %s", source, formulas, made)
		}
		if strings.ContainsFunc(made, func(r rune) bool { return r >= 0xe000 && r <= 0xf8ff || r == '―' }) {
			t.Errorf("%q has characters that browsers can't draw: %s", source, made)
		}
		checkSafe(t, []byte(made))
	}
}

// TestDefinitionsReachLaterCellsAndParts has them in a first cell, and their use in a later one.
func TestDefinitionsReachLaterCellsAndParts(t *testing.T) {
	renderer := newRenderer(t)
	cell := func(source string) map[string]any {
		return map[string]any{"cell_type": "markdown", "metadata": map[string]any{}, "source": source}
	}
	cells := []map[string]any{cell(`$\newcommand{\vv}[1]{\boldsymbol{#1}}$ Macros are here.`), cell(`$$\def\dd{\mathrm{d}}$$`)}
	for len(cells) < 400 {
		cells = append(cells, cell(strings.Repeat("words ", 2000)))
	}
	source := notebookOf(append(cells, cell(`$\int f \dd x = \vv{v}$`))...)
	first, err := renderer.Render(t.Context(), []byte(source), "", 1)
	if err != nil || first.Parts < 2 {
		t.Fatal(first.Parts, err)
	}
	last, err := renderer.Render(t.Context(), []byte(source), "", first.Parts)
	if err != nil {
		t.Fatal(err)
	}
	if made := string(last.HTML); !strings.Contains(made, `<mi class="bold italic">v</mi>`) || strings.Contains(made, "b00020") {
		t.Error(made[max(0, len(made)-500):])
	}
}

// TestThoroughFormulas draws formulas of every kind that people were seen to write, and counts those that stay TeX although
// MathJax itself, which Jupyter uses, draws them.
func TestThoroughFormulas(t *testing.T) {
	renderer := newRenderer(t)
	random := rand.New(rand.NewPCG(20261127, 1)) // the same ones in every run
	const each = 110
	type sample struct {
		kind, markdown string
		formulas       []string
	}
	var samples []sample
	for _, kind := range kindsOfFormulas {
		for range each {
			markdown, formulas := kind.make(words{random})
			samples = append(samples, sample{kind.name, markdown, formulas})
		}
	}
	var formulas []string
	for _, one := range samples {
		formulas = append(formulas, one.formulas...)
	}
	drawn := drawnByMathJax(t, formulas)
	lost, asked := map[string]int{}, 0
	for _, one := range samples {
		want := 0
		for range one.formulas {
			if drawn[asked] = drawn[asked] || one.kind == chemistry; drawn[asked] {
				want++
			}
			asked++
		}
		made := string(render(t, renderer, inMarkdown(one.markdown)).HTML)
		if got := strings.Count(made, "<math"); got < want {
			if lost[one.kind] == 0 {
				t.Logf("%s: %q becomes %s", one.kind, one.markdown, made)
			}
			lost[one.kind] += want - got
		}
	}
	total, refused := 0, 0
	for i, is := range drawn {
		if !is {
			refused++
			t.Logf("MathJax refuses %q", formulas[i])
		}
	}
	for _, count := range lost {
		total += count
	}
	t.Logf("of %d formulas MathJax draws %d; %d of those stay TeX: %v", len(formulas), len(formulas)-refused, total, lost)
	if len(formulas) < 2000 || refused > len(formulas)/100 {
		t.Errorf("%d formulas, of which MathJax refuses %d, measure too little", len(formulas), refused)
	}
	if total*1000 > 2*len(formulas) {
		t.Errorf("%d of %d formulas stay TeX", total, len(formulas))
	}
}

// drawnByMathJax asks MathJax, as npm installs it, which formulas it draws.
func drawnByMathJax(t *testing.T, formulas []string) []bool {
	t.Helper()
	input, err := json.Marshal(formulas)
	if err != nil {
		t.Fatal(err)
	}
	const script = `
		const formulas = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
		const tex = { packages: { "[-]": ["textmacros"] } }; // as in Jupyter
		require("mathjax").init({ loader: { load: ["input/tex"] }, tex }).then(async ({ tex2mmlPromise }) => {
			const drawn = [];
			for (const tex of formulas) drawn.push(!/<merror/.test(await tex2mmlPromise(tex)));
			process.stdout.write(JSON.stringify(drawn));
		});`
	command := exec.CommandContext(t.Context(), "node", "-e", script)
	command.Dir, command.Stdin = "../../../web", strings.NewReader(string(input))
	var messages strings.Builder
	command.Stderr = &messages
	output, err := command.Output()
	var drawn []bool
	if err != nil || json.Unmarshal(output, &drawn) != nil || len(drawn) != len(formulas) {
		t.Fatal(err, messages.String(), len(drawn))
	}
	return drawn
}

// words makes the parts of formulas.
type words struct{ *rand.Rand }

func (w words) of(choices ...string) string { return choices[w.IntN(len(choices))] }

func (w words) letter() string {
	return w.of("x", "y", "z", "n", "k", `\alpha`, `\lambda`, `\theta`, "V", "I")
}

func (w words) term() string {
	switch w.IntN(6) {
	case 0:
		return fmt.Sprintf(`\frac{%s}{%s}`, w.letter(), w.letter())
	case 1:
		return fmt.Sprintf("%s_{%s}", w.letter(), w.of("i", "0", "t+1"))
	case 2:
		return fmt.Sprintf("%s^{%d}", w.letter(), w.IntN(9))
	case 3:
		return fmt.Sprintf(`\sqrt{%s}`, w.letter())
	case 4:
		return fmt.Sprintf(`\sum_{i=1}^{%s} %s_i`, w.of("n", "N"), w.letter())
	}
	return w.letter()
}

func (w words) sum() string {
	return w.term() + w.of(" + ", " - ", " = ", ` \le `, ` \approx `) + w.term()
}

// chemistry is drawn by an extension that MathJax's own loader only loads with a font that isn't installed.
const chemistry = "chemistry"

// astral are letters beyond the basic plane, as editors and word processors write them.
var astral = []string{"𝜖", "𝔼", "𝑥", "𝒪", "𝛼", "𝐀", "𝕏", "𝓛"}

var kindsOfFormulas = []struct {
	name string
	make func(words) (markdown string, formulas []string)
}{
	{"blanks", func(w words) (string, []string) {
		one, two := " "+w.sum()+" ", w.term()+" "
		return "The rate $" + one + "$ follows $" + two + "$ here.", []string{one, two}
	}},
	{"line ends", func(w words) (string, []string) {
		one := w.sum() + "\n"
		return "We set $" + one + "$ for all of them.", []string{one}
	}},
	{"units", func(w words) (string, []string) {
		one := w.of(`\pm`, `\mu`, `\approx`)
		return fmt.Sprintf("It is $%s$%d mV and 5$\\mu$m wide.", one, w.IntN(90)), []string{one, `\mu`}
	}},
	{"stacks", func(w words) (string, []string) {
		one := fmt.Sprintf(`%s %s{%s}{%s} %s`, w.letter(), w.of(`\stackrel`, `\overset`, `\underset`), w.of("d", "!", `\text{def}`), w.of("=", `\to`, `\sim`), w.letter())
		return "So $" + one + "$.", []string{one}
	}},
	{"operators", func(w words) (string, []string) {
		one := fmt.Sprintf(`\mathop{\mathrm{%s}}_{%s} %s`, w.of("argmin", "diag", "tr"), w.letter(), w.term())
		return "$$" + one + "$$", []string{one}
	}},
	{"dots", func(w words) (string, []string) {
		one := fmt.Sprintf(`\dddot{%s} + %s`, w.letter(), w.term())
		return "and $" + one + "$", []string{one}
	}},
	{"known names defined", func(w words) (string, []string) {
		name := w.of(`\argmax`, `\R`, `\vec`, `\bra`, `\N`)
		one := fmt.Sprintf(`\newcommand{%s}{\mathbb{%s}} %s_{%s}`, name, w.of("R", "E", "N"), name, w.letter())
		return "$" + one + "$", []string{one}
	}},
	{"definitions before", func(w words) (string, []string) {
		definition, use := `\def\unit#1{\,\mathrm{#1}}`, fmt.Sprintf(`%d\unit{%s}`, w.IntN(99), w.of("mV", "ms"))
		return "$" + definition + "$\n\nThen $" + use + "$.", []string{definition, use}
	}},
	{"underscores in text", func(w words) (string, []string) {
		one := fmt.Sprintf(`\text{%s_%s} = %s`, w.of("firing", "d", "mean"), w.of("rate", "prime"), w.term())
		return "$$" + one + "$$", []string{one}
	}},
	{"boxes of text", func(w words) (string, []string) {
		one := fmt.Sprintf(`%s \mbox{ %s } %s`, w.letter(), w.of("if", "for all", "and"), w.sum())
		return "$$" + one + "$$", []string{one}
	}},
	{"references", func(w words) (string, []string) {
		one := w.of(`\eqref`, `\ref`) + "{eq:" + w.of("a", "rate_1") + "}"
		return "By $" + one + "$.", []string{one}
	}},
	{"requirements", func(w words) (string, []string) {
		one := fmt.Sprintf(`\require{cancel} \%scancel{%s} + %s`, w.of("", "b", "x"), w.letter(), w.term())
		return "$" + one + "$", []string{one}
	}},
	{chemistry, func(w words) (string, []string) {
		one := `\ce{` + w.of("H2O", "Na+", "CO3^2-", "2 H2 + O2 -> 2 H2O", "Ca^2+") + "} " + w.letter()
		return "With $" + one + "$.", []string{one}
	}},
	{"environments in a line", func(w words) (string, []string) {
		one := fmt.Sprintf(`\begin{%[1]s} a &= %[2]s \\ b &= %[3]s \end{%[1]s}`, w.of("align", "align*", "aligned"), w.term(), w.term())
		return "$" + one + "$", []string{one}
	}},
	{"plain cases", func(w words) (string, []string) {
		one := fmt.Sprintf(`f = \cases{%s & x > 0 \cr %s & \text{else}}`, w.term(), w.term())
		return "$$" + one + "$$", []string{one}
	}},
	{"plain matrices", func(w words) (string, []string) {
		one := fmt.Sprintf(`\%s{%s & %s \cr %s & %s}`, w.of("matrix", "pmatrix"), w.term(), w.letter(), w.letter(), w.term())
		return "$" + one + "$", []string{one}
	}},
	{"roots", func(w words) (string, []string) {
		one := fmt.Sprintf(`\root %s \of {%s}`, w.of("3", "n", "{k+1}"), w.sum())
		return "$" + one + "$", []string{one}
	}},
	{"characters by number", func(w words) (string, []string) {
		one := w.letter() + `\unicode{` + w.of("x2713", "x263A", "8364") + "}"
		return "$" + one + "$", []string{one}
	}},
	{"letters beyond the basic plane", func(w words) (string, []string) {
		one := w.of(astral...) + " + " + w.of(astral...) + "^{2} = " + w.term()
		return "$" + one + "$", []string{one}
	}},
	{"ordinary", func(w words) (string, []string) {
		one, two := w.sum(), `\begin{bmatrix} `+w.term()+` & `+w.term()+` \end{bmatrix}`
		return "A line with $" + one + "$.\n\n$$" + two + "$$", []string{one, two}
	}},
}
