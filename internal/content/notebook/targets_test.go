package notebook

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLinksWithinANotebook: each link leads to the heading or the element that its author means.
func TestLinksWithinANotebook(t *testing.T) {
	renderer := newRenderer(t)
	for name, c := range map[string]struct {
		cells []string
		leads []string // to the text behind each target, in order
	}{
		"contents": {[]string{
			"# Contents\n- [Second part](#Second-part)\n- [GitHub style](#second-part)\n- [By id](#there)\n- <a href=\"#there\">html</a>",
			"## First part\ntext", "## Second part\n\nback to [top](#Contents)", "<a id=\"there\"></a>\n\nHere it is.",
		}, []string{"Second part", "Second part", "Here it is.", "Here it is.", "Contents"}},
		"names of other programs": {[]string{
			"[a](#1.2-What's-new-in-C++?) [b](#12-whats-new-in-c) [c](#Mod%C3%A8le-lin%C3%A9aire) [d](#modèle-linéaire) [e](#snake_case)",
			"## 1.2 What's new in C++?", "## Modèle *linéaire*", "### `snake_case`",
		}, []string{"1.2 What&#39;s new in C++?", "1.2 What&#39;s new in C++?", "Modèle linéaire", "Modèle linéaire", "snake_case"}},
		"headings twice": {[]string{"[a](#results) [b](#results-1) [c](#results-2)", "# Results\nfirst\n\n# Results\nsecond\n\n# Results"}, []string{"Results first", "Results second", "Results"}},
		"names of elements": {[]string{
			`[a](#old) [b](#cell) [c](#top.pic) [d](#t) [e](#h)`, `<a name="old">Old</a>`, `<table><tr><td id="cell">Cell</td></tr></table>`, `<img id="top.pic" src="x.png" alt="Pic">`,
			`<table id=t><tr><td>Table</td></tr></table>`, `<h2 id="h">Other</h2>`,
		}, []string{"Old", "Cell", "Pic (x.png, not in the notebook)", "Table", "Other"}},
		"footnotes": {[]string{"One[^1]\n\n[^1]: the first", "Two[^1]\n\n[^1]: the second"}, []string{"the first", "1", "the second", "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			cells := make([]map[string]any, len(c.cells))
			for i, source := range c.cells {
				cells[i] = map[string]any{"cell_type": "markdown", "source": source}
			}
			document := render(t, renderer, notebookOf(cells...))
			checkSafe(t, document.HTML)
			made := string(document.HTML)
			var leads []string
			for _, link := range regexp.MustCompile(`<a href="#(to-[^"]*)" target="_self">`).FindAllStringSubmatch(made, -1) {
				_, behind, found := strings.Cut(made, ` id="`+link[1]+`"`)
				if !found {
					t.Errorf("%s leads nowhere: %s", link[1], made)
				}
				_, behind, _ = strings.Cut(behind, ">")
				leads = append(leads, strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(behind, "")), " "))
			}
			if !slices.EqualFunc(leads, c.leads, strings.HasPrefix) {
				t.Errorf("The links lead to %q in %s", leads, made)
			}
		})
	}
}

// TestLinksToOtherParts: what isn't in a part is in the whole notebook.
func TestLinksToOtherParts(t *testing.T) {
	renderer := newRenderer(t)
	source := notebookOf(map[string]any{"cell_type": "markdown", "source": `[here](#here) [there](#Results) <a href="whole:#to-results">no</a> href="whole:#to-x"` + "\n\n# Here"},
		raw(strings.Repeat("x", partBytes)), map[string]any{"cell_type": "markdown", "source": "# Results\n[back](#here)"})
	for part, want := range map[int]string{
		1: `<a href="#to-here" target="_self">here</a> <a href="whole:#to-results" rel="nofollow noopener noreferrer" target="_blank">there</a> no href=`,
		3: `<a href="whole:#to-here" rel="nofollow noopener noreferrer" target="_blank">back</a>`,
	} {
		document, err := renderer.Render(t.Context(), []byte(source), "", part)
		if err != nil {
			t.Fatal(err)
		}
		checkSafe(t, document.HTML)
		if made := string(document.HTML); !strings.Contains(made, want) || strings.Count(made, wholeBegin) != 1 {
			t.Errorf("part %d: %.1000s", part, made)
		}
	}
}
