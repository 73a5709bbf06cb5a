package notebook

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// leads returns where the pictures and links of a notebook lead that is at a path in a repository, in order.
func leads(t *testing.T, renderer *Renderer, source, path string) (found []string, made string) {
	t.Helper()
	document, err := renderer.Render(t.Context(), []byte(source), path, 1)
	if err != nil {
		t.Fatal(err)
	}
	checkSafe(t, document.HTML)
	made = string(WithAddresses(document.HTML, Addresses{
		Whole:   "https://frame.example/?part=all",
		Picture: func(file string) string { return "https://frame.example/picture?" + file },
		Link:    func(file, rest string) string { return "https://host.example/" + file + "|" + rest },
	}))
	for _, one := range regexp.MustCompile(` (?:src|href)="(?:https://frame\.example/picture\?|https://host\.example/)([^"]*)"`).FindAllStringSubmatch(made, -1) {
		found = append(found, one[1])
	}
	return found, made
}

// TestFilesOfTheRepository: pictures and links that notebooks of many programs have lead to the files that their authors mean.
func TestFilesOfTheRepository(t *testing.T) {
	renderer := newRenderer(t)
	for name, c := range map[string]struct {
		source string
		want   []string
	}{
		"beside it":           {inMarkdown("![a figure](figures/one.png) and [data](data/x.csv)"), []string{"figures/one.png", "data/x.csv|"}},
		"names with spaces":   {inMarkdown("![](figures/my%20figure.png) ![](<two parts.png>) <img src=\"Figure 3.png\"> <a href='my data.csv'>x</a>"), []string{"figures/my figure.png", "two parts.png", "Figure 3.png", "my data.csv|"}},
		"queries":             {inMarkdown("![](one.png?raw=true) [see](x.csv?plain=1#L3-L5) [n](other.ipynb#Results)"), []string{"one.png", "x.csv|?plain=1#L3-L5", "other.ipynb|#Results"}},
		"other characters":    {inMarkdown("![](a&b.png) ![](caf%C3%A9.png) ![](100%25.png) [q](what%3F.txt) [h](%23one.txt)"), []string{"a&amp;b.png", "café.png", "100%.png", "what?.txt|", "#one.txt|"}},
		"HTML of Jupytext":    {inMarkdown(`<center><img src="./img/setup.jpg" width="400" alt="Setup"/></center>`), []string{"img/setup.jpg"}},
		"of R Markdown":       {inMarkdown("<div class=\"figure\"><img src=\"notebook_files/figure-html/unnamed-chunk-1-1.png\" alt=\"plot\" />\n<p class=\"caption\">x</p></div>"), []string{"notebook_files/figure-html/unnamed-chunk-1-1.png"}},
		"of docutils":         {withOutputs(shows("text/html", `<div class="figure align-default"><a class="reference external image-reference" href="full.png"><img alt="small.png" src="small.png"></a></div>`)), []string{"full.png|", "small.png"}},
		"an output of Quarto": {withOutputs(shows("text/markdown", "![Plot](plot_files/figure-commonmark/cell-2-output-1.png)")), []string{"plot_files/figure-commonmark/cell-2-output-1.png"}},
		"of Windows":          {inMarkdown(`<img src="figures\one.png">`), []string{"figures/one.png"}},
		"a linked picture":    {inMarkdown("[![small](small.png)](large.png)"), []string{"large.png|", "small.png"}},
		"folders":             {inMarkdown("[data](data/) [here](.)"), []string{"data/|", "|"}},
	} {
		t.Run(name, func(t *testing.T) {
			if found, made := leads(t, renderer, c.source, "start.ipynb"); !slices.Equal(found, c.want) {
				t.Errorf("%q in %s", found, made)
			}
		})
	}
	const up = "![](../img/one.png) ![](/img/two.png) ![](./three.png) ![](deep/../four.png) [up](..) [top](/)"
	if found, made := leads(t, renderer, inMarkdown(up), "docs/a.ipynb"); !slices.Equal(found, []string{"img/one.png", "img/two.png", "docs/three.png", "docs/four.png", "|", "|"}) {
		t.Errorf("%q in %s", found, made)
	}
	document, err := renderer.Render(t.Context(), []byte(inMarkdown(`<img src="one.png" width="400" height="30"> ![One](two.png)`)), "a.ipynb", 1)
	if err != nil || !strings.Contains(string(document.HTML), `alt="picture" width="400" height="30" loading="lazy"`) || len(document.Notes) > 0 {
		t.Errorf("%s %v", document.HTML, document.Notes)
	}
}

// TestNothingOutsideOfTheRepository: whatever a reference is, it leads to a file of the repository or stays text.
func TestNothingOutsideOfTheRepository(t *testing.T) {
	renderer := newRenderer(t)
	for _, reference := range []string{
		"../../one.png", "../../../etc/passwd", "/../one.png", "a/../../../one.png", "..%2f..%2fone.png", "%2e%2e/%2e%2e/one.png", `..\..\one.png`, "..%5c..%5cone.png",
		"//evil.example/one.png", `\\evil.example\one.png`, `/\evil.example/one.png`, "///evil.example/one.png", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "vbscript:x", "file:///etc/passwd",
		`C:\figures\one.png`, "blob:x", "repository:one.png", "whole:#to-x", "attachment:one.png", "one%00.png", "one%0a.png", "%ff.png", "?one.png",
	} {
		sources := []string{inMarkdown(`<img src="` + reference + `">`), inMarkdown(`<a href="` + reference + `">x</a>`)}
		if !strings.Contains(reference, `\`) { // which makes the next character a plain one in Markdown
			sources = append(sources, inMarkdown("![](<"+reference+">) [x](<"+reference+">)"))
		}
		for _, source := range sources {
			if found, made := leads(t, renderer, source, "docs/a.ipynb"); len(found) > 0 {
				t.Errorf("%q leads to %q: %s", reference, found, made)
			}
		}
	}
	// What a notebook in no repository has beside it isn't known.
	document := render(t, renderer, inMarkdown("![a](one.png) [b](two.csv)"))
	if made := string(document.HTML); strings.Contains(made, "repository:") || !strings.Contains(made, "a (one.png, not in the notebook)") || len(document.Notes) != 2 {
		t.Errorf("%s %q", made, document.Notes)
	}
	// No author can write what waits for an address.
	found, made := leads(t, renderer, inMarkdown(`<p title=' src="repository:x"'> src="repository:y" href="whole:z"</p>`+"\n\n`<img src=\"repository:x\">`"), "a.ipynb")
	if len(found) > 0 || strings.Contains(made, "example") {
		t.Errorf("%q in %s", found, made)
	}
}
