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
		"a $ b $ c":                             {" b "},
		"$x \n$ and $ y$":                       {"x  ", " y"},
		`$\pm$5 mV, 5$\mu$m`:                    {`\pm`, `\mu`},
		`$\text{for $x$}$`:                      {`\text{for $x$}`},
		"$2 n $":                                {"2 n "},
		"It costs $5, then $x$.":                {"x"},
		"See \\eqref{a_b}.":                     {`\eqref{a_b}`},
		"$5 $6 and $7 $8":                       nil,
		"$100 million, $200 million":            nil,
		"the $HOME and $PATH of a shell":        nil,
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
		`$\unknown{x}$`:    `<mtext mathcolor="#b00020">\unknown</mtext><mrow><mi>x</mi></mrow>`,
		`$\frac{1$`:        `<code class="tex">$\frac{1$</code> <span class="absent">(invalid formula: `,
		`$\def\a{\a\a}\a$`: `(invalid formula: MathJax maximum macro substitution count exceeded`,
		`$$` + strings.Repeat("x", formulaBytes+1) + `$$`:                         `(invalid formula: it is longer than 7.8 KiB)`,
		`$$` + strings.Repeat("{", 3000) + "x" + strings.Repeat("}", 3000) + `$$`: `(invalid formula: its braces are nested more than 100 deep)`,
	} {
		if made := string(render(t, renderer, inMarkdown(source)).HTML); !strings.Contains(made, want) {
			t.Errorf("%.60q becomes %.300s ... %s", source, made, made[max(0, len(made)-300):])
		}
		// The next formula is drawn as if nothing had been.
		if made := string(render(t, renderer, inMarkdown("$a^2$")).HTML); !strings.Contains(made, "<msup><mi>a</mi><mn>2</mn></msup>") {
			t.Fatalf("after %.60q a formula becomes %s", source, made)
		}
	}
}

func TestBarsGrowWithWhatTheyEnclose(t *testing.T) {
	made := string(render(t, newRenderer(t), inMarkdown(`$\left|\frac{a}{b}\right|$ $\left\|\frac{a}{b}\right\|$ $a \mid b$`)).HTML)
	for _, want := range []string{`<mrow><mo>|</mo><mfrac>`, `</mfrac><mo>|</mo></mrow>`, `<mrow><mo>‖</mo><mfrac>`, `<mo>∣</mo>`} {
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

func TestDefinitionsHoldForTheRestOfTheNotebook(t *testing.T) {
	renderer := newRenderer(t)
	made := string(render(t, renderer, inMarkdown("$\\b{1}$ $\\newcommand{\\b}[1]{y_{#1}}\\b{2}$ $\\def\\argmax{z}$\n\n$\\b{3} \\argmax$")).HTML)
	for _, want := range []string{
		`<mtext mathcolor="#b00020">\b</mtext>`, "<msub><mi>y</mi><mrow><mn>2</mn></mrow></msub>", "<msub><mi>y</mi><mrow><mn>3</mn></mrow></msub><mi>z</mi>",
	} {
		if !strings.Contains(made, want) {
			t.Errorf("%s is missing in %s", want, made)
		}
	}
	// The next notebook doesn't know them, though the same interpreter draws it.
	if made := string(render(t, renderer, inMarkdown(`$\b{4} \argmax$`)).HTML); !strings.Contains(made, `>\b<`) || !strings.Contains(made, "<mi>arg max</mi>") && !strings.Contains(made, `>\argmax<`) {
		t.Error(made)
	}
}

// TestTheScriptIsNotTrusted replaces MathJax by another script: its output is always checked.
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
		script := `globalThis.MathJax = { _: {
			input: { tex_ts: { TeX: class {} } },
			core: { MathItem: { STATE: {} }, MmlTree: { SerializedMmlVisitor: { SerializedMmlVisitor: class { visitTree() { return ` + quoted(answer) + ` } } } } },
			adaptors: { liteAdaptor: { liteAdaptor() {} } },
			handlers: { html: { HTMLDocument: { HTMLDocument: class { convert() {} } } } },
		} };`
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
			t.Errorf("%q is taken for MathJax", script)
		}
	}
}
