package notebook

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
)

func TestWhatIsAFormula(t *testing.T) {
	renderer := newRenderer(t)
	alttext := regexp.MustCompile(`alttext="([^"]*)"`)
	for source, want := range map[string][]string{
		"$x$":                                   {"x"},
		"$$x$$":                                 {"x"},
		"$$\nx\n+ y\n$$":                        {" x + y "},
		"text\n$$\n- x\n$$\ntext":               {" - x "},
		`\(x\) and \\(y\\)`:                     {"x", "y"},
		`\[x^2\] and \\[y\\]`:                   {"x^2", "y"},
		"\\begin{equation}\nx\n\\end{equation}": {`\begin{equation} x \end{equation}`},
		`a \begin{align*}x&=y\end{align*} b`:    {`\begin{align*}x&amp;=y\end{align*}`},
		"> $$\n> x\n> $$":                       {" x "},
		"- a\n\n  $$\n  x\n  $$":                {" x "},
		"$a$ $b$, $c$.":                         {"a", "b", "c"},
		"*$a*b$*":                               {"a*b"},
		"$a\nb$":                                {"a b"},
		`$\$5$`:                                 {`\$5`},
		"$x$-axis and ($y$)":                    {"x", "y"},
		"| $a$ | b |\n|---|---|\n| c | $d$ |":   {"a", "d"},
		"# A title with $x$":                    {"x"},
		"[a $x$](https://example.org)":          {"x"},
		"<b>$x$</b>":                            {"x"},
		"as $6 D t$ and $5 mm$, $3$":            {"6 D t", "5 mm", "3"},
		"$5 and $6":                             nil,
		"$5 and $6, or US$ 7":                   nil,
		"from $5 to 10$ or so":                  nil,
		"$20,000 and $30,000.":                  nil,
		"a $ b $ c":                             nil,
		`\$x\$`:                                 nil,
		`\[not a link\]`:                        nil,
		"`$x$`":                                 nil,
		"``$x$ ` $y$``":                         nil,
		"```\n$x$\n$$y$$\n```":                  nil,
		"~~~\n\\begin{align}x\\end{align}\n~~~": nil,
		"    $x$":                               nil,
		"$x\n\ny$":                              nil,
		"$$\nx\n\ny":                            nil,
		"$$":                                    nil,
		"$ $ and $$ $$":                         nil,
		`\begin{document}x\end{document}`:       nil,
		`<a title="$x$" href="https://a.b">y</a>`:   nil,
		"![$x$](https://example.org/a.png \"$y$\")": nil,
	} {
		made := string(render(t, renderer, inMarkdown(source)).HTML)
		var found []string
		for _, match := range alttext.FindAllStringSubmatch(made, -1) {
			found = append(found, strings.ReplaceAll(match[1], "\n", " "))
		}
		if !slices.Equal(found, want) {
			t.Errorf("%q has the formulas %q, not %q:\n%s", source, found, want, made)
		}
		if strings.Contains(made, "held") {
			t.Errorf("%q leaves a mark: %s", source, made)
		}
	}
}

func TestFormulasThatCannotBeDrawnStayText(t *testing.T) {
	renderer := newRenderer(t)
	for source, want := range map[string]string{
		`$\unknown{x}$`:    `<code class="tex">$\unknown{x}$</code> <span class="absent">(invalid formula: Undefined control sequence: \unknown)</span>`,
		`$\frac{1$`:        `<code class="tex">$\frac{1$</code> <span class="absent">(invalid formula: `,
		`$\def\a{\a\a}\a$`: `(invalid formula: Too many expansions: infinite loop or need to increase maxExpand setting)`,
		`$$` + strings.Repeat("x", formulaBytes+1) + `$$`:                         `(invalid formula: it is longer than 8.0 kB)`,
		`$$` + strings.Repeat("{", 3000) + "x" + strings.Repeat("}", 3000) + `$$`: `(invalid formula: it is too much for the program that renders formulas)`,
	} {
		if made := string(render(t, renderer, inMarkdown(source)).HTML); !strings.Contains(made, want) {
			t.Errorf("%.60q becomes %.300s", source, made)
		}
		// The next formula is drawn as if nothing had been.
		if made := string(render(t, renderer, inMarkdown("$a^2$")).HTML); !strings.Contains(made, "<msup><mi>a</mi><mn>2</mn></msup>") {
			t.Fatalf("after %.60q a formula becomes %s", source, made)
		}
	}
}

func TestBarsGrowWithWhatTheyEnclose(t *testing.T) {
	made := string(render(t, newRenderer(t), inMarkdown(`$\left|\frac{a}{b}\right|$ $\left\|\frac{a}{b}\right\|$ $a \mid b$`)).HTML)
	for _, want := range []string{`<mo fence="true">|</mo><mfrac>`, `</mfrac><mo fence="true">|</mo>`, `<mo fence="true">‖</mo><mfrac>`, `<mo>∣</mo>`} {
		if !strings.Contains(made, want) {
			t.Errorf("%s is not in %s", want, made)
		}
	}
}

func TestFormulasWithoutTheScriptAreTextWithANote(t *testing.T) {
	renderer, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	document := render(t, renderer, inMarkdown("$x<y$"))
	if !strings.Contains(string(document.HTML), `<code class="tex">$x&lt;y$</code>`) || len(document.Notes) != 1 || !strings.Contains(document.Notes[0], "Formulas are shown as text") {
		t.Errorf("%s %q", document.HTML, document.Notes)
	}
}

func TestOneFormulaKnowsNothingOfTheOneBefore(t *testing.T) {
	renderer := newRenderer(t)
	made := string(render(t, renderer, inMarkdown(`$\gdef\a{x}\a$ $\a$ $\newcommand{\b}{y}\b$ $\b$`)).HTML)
	if strings.Count(made, "<math") != 2 || strings.Count(made, "Undefined control sequence") != 2 {
		t.Error(made)
	}
}

// TestTheScriptIsNotTrusted replaces KaTeX by another script: its output is always checked.
func TestTheScriptIsNotTrusted(t *testing.T) {
	for answer, want := range map[string]string{
		`<math><mi>x</mi></math>`: `<math alttext="a"><mi>x</mi></math>`,
		`<span><math><mi onclick="x" class="note" href="https://a.b" style="x" id="y">x</mi></math></span>`:            `<math alttext="a"><mi>x</mi></math>`,
		`<math><mi mathcolor="red;x" width="1em" height="calc(1)">x</mi></math>`:                                       `<math alttext="a"><mi width="1em">x</mi></math>`,
		`<math><mi>&lt;script&gt;</mi></math>`:                                                                         `<math alttext="a"><mi>&lt;script&gt;</mi></math>`,
		`<math><semantics><mi>x</mi><annotation encoding="y">z</annotation></semantics></math>`:                        `<math alttext="a"><mi>x</mi></math>`,
		`<math><semantics><annotation-xml encoding="text/html"><script>x</script></annotation-xml></semantics></math>`: "it contains something other than a formula",
		`<math><mtext><script>x</script></mtext></math>`:                                                               "it contains something other than a formula",
		`<math><mtext><img src=x></mtext></math>`:                                                                      "it contains something other than a formula",
		`<math><maction actiontype="statusline">x</maction></math>`:                                                    "it contains something other than a formula",
		`<math><mglyph src="x"></mglyph></math>`:                                                                       "it contains something other than a formula",
		`<math><style>x</style></math>`:                                                                                "it contains something other than a formula",
		`<svg><script>x</script></svg>`:                                                                                "the program that renders formulas returned nothing",
		`<script>x</script>`:                                                                                           "the program that renders formulas returned nothing",
		strings.Repeat("<mrow>", 600):                                                                                  "its parts are nested too deeply",
		``:                                                                                                             "the program that renders formulas returned nothing",
	} {
		script := "class ParseError extends Error {}; globalThis.katex = { ParseError, renderToString: () => " + quoted(answer) + " };"
		renderer, err := New(Options{Script: []byte(script)})
		if err != nil {
			t.Fatal(err)
		}
		document := render(t, renderer, inMarkdown("$a$"))
		if !strings.Contains(string(document.HTML), want) {
			t.Errorf("%.200s becomes %s", answer, document.HTML)
		}
		checkSafe(t, document.HTML)
	}
	for _, script := range []string{"", "not a script (", "throw new Error('x')"} {
		if _, err := New(Options{Script: []byte(script)}); fault.KindOf(err) != fault.Internal || err == nil {
			t.Errorf("%q is taken for KaTeX", script)
		}
	}
}
