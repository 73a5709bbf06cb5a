package notebook

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cairn/internal/content/nbformat"
	"cairn/internal/foundation/fault"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// What may come out at all, listed a second time and independently of the package's own lists.
var (
	safeElements = "a abbr b big blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 " +
		"hr i img ins kbd li mark ol p pre q s samp small span strike strong sub summary sup table tbody td tfoot th thead tr tt u ul var"
	safeMath = "math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup " +
		"mtable mtd mtext mtr munder munderover none"
	safeValues = map[string]*regexp.Regexp{
		"href":    regexp.MustCompile(`^(https?://[^\s"<>]+|mailto:[^\s"<>]+|(whole:)?#to-[a-z0-9_-]+|repository:[^\s"<>]*)$`),
		"src":     regexp.MustCompile(`^(data:image/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/]+=*|repository:[^\s"<>]+)$`),
		"loading": regexp.MustCompile(`^lazy$`),
		"id":      regexp.MustCompile(`^(heading-[0-9]+-[0-9]+|to-[a-z0-9_-]+)$`),
		"class":   regexp.MustCompile(`^[a-z-]+( [a-z-]+)*$`), "role": regexp.MustCompile(`^group$`), "tabindex": regexp.MustCompile(`^0$`),
		"aria-label": regexp.MustCompile(`^(Table|Text|Code|Output|Messages|Error|Raw text|JSON|Formula|Code cell \[(-?\d+| )\])$`),
		"rel":        regexp.MustCompile(`^nofollow noopener noreferrer$`), "target": regexp.MustCompile(`^_(blank|self)$`),
		"alt": regexp.MustCompile(``), "title": regexp.MustCompile(``), "alttext": regexp.MustCompile(``), "open": regexp.MustCompile(`^$`),
		"width": number, "height": number, "colspan": number, "rowspan": number, "columnspan": number, "start": number, "span": number,
		"align": regexp.MustCompile(`^(left|right|center)$`), "scope": regexp.MustCompile(`^(row|col|rowgroup|colgroup)$`),
	}
	safeMathValue = regexp.MustCompile(`^[#+.%0-9a-zA-Z-]*$`)
	number        = regexp.MustCompile(`^[0-9]{1,4}$`)
)

// checkSafe fails for HTML that contains anything not listed above, that isn't balanced, or that changes when it is
// parsed twice.
func checkSafe(t *testing.T, made []byte) {
	t.Helper()
	nodes := parseFragment(t, made)
	elements, math, ids := setOf(safeElements), setOf(safeMath), map[string]bool{}
	for _, top := range nodes {
		isCell := top.Type == html.ElementNode && top.Data == "div" && strings.HasPrefix(attribute(top, "class"), "cell")
		if !isCell && strings.TrimSpace(top.Data) != "" {
			t.Errorf("something stands outside of the cells: %q", top.Data)
		}
		checkAttributes(t, top)
		for node := range top.Descendants() {
			if id := attribute(node, "id"); id != "" && ids[id] {
				t.Errorf("two elements have the id %s", id)
			} else {
				ids[id] = true
			}
			switch {
			case node.Type == html.TextNode:
			case node.Type == html.ElementNode && node.Namespace == "" && elements[node.Data]:
			case node.Type == html.ElementNode && node.Namespace == "math" && math[node.Data]:
			default:
				t.Errorf("unsafe node %v %q in %q", node.Type, node.Data, node.Namespace)
			}
			checkAttributes(t, node)
		}
	}
	var again bytes.Buffer
	for _, node := range nodes {
		if err := html.Render(&again, node); err != nil {
			t.Fatal(err)
		}
	}
	var third bytes.Buffer
	for _, node := range parseFragment(t, again.Bytes()) {
		if err := html.Render(&third, node); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(again.Bytes(), third.Bytes()) {
		t.Errorf("reading twice gives something else:\n%s\n%s", again.Bytes(), third.Bytes())
	}
}

func parseFragment(t *testing.T, made []byte) []*html.Node {
	t.Helper()
	nodes, err := html.ParseFragment(bytes.NewReader(made), &html.Node{Type: html.ElementNode, Data: "main", DataAtom: atom.Main})
	if err != nil {
		t.Fatal(err)
	}
	return nodes
}

func checkAttributes(t *testing.T, node *html.Node) {
	t.Helper()
	if node.Type != html.ElementNode {
		return
	}
	for _, attribute := range node.Attr {
		values := safeValues[attribute.Key]
		if node.Namespace == "math" && (values == nil || attribute.Key == "width" || attribute.Key == "height") {
			if values = safeMathValue; mathAttributes[attribute.Key] == nil {
				values = nil
			}
		}
		if attribute.Namespace != "" || values == nil || !values.MatchString(attribute.Val) {
			t.Errorf("unsafe attribute %s=%q of %s", attribute.Key, attribute.Val, node.Data)
		}
	}
	if strings.HasPrefix(attribute(node, "id"), "heading-") && !regexp.MustCompile("^h[1-6]$").MatchString(node.Data) {
		t.Errorf("%s has the id of a heading", node.Data)
	}
	within := strings.HasPrefix(attribute(node, "href"), "#")
	if node.Data == "a" && (attribute(node, "rel") == "" && !within || within != (attribute(node, "target") == "_self")) {
		t.Error("a link that may reach the page around")
	}
	if node.Data == "img" && attribute(node, "alt") == "" {
		t.Error("a picture without a text in its place")
	}
}

// hostileFiles returns the notebooks and Markdown texts of the corpus, the latter as cells of a notebook. The browser
// tests load the same ones.
func hostileFiles(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/hostile/*")
	if err != nil || len(names) < 30 {
		t.Fatalf("%d hostile files (%v)", len(names), err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) == ".md" {
			source = []byte(inMarkdown(string(source)))
		}
		files[filepath.Base(name)] = source
	}
	return files
}

func TestStoredScriptNeverComesOut(t *testing.T) {
	renderer := newRenderer(t)
	renderer.formulas.timeout = formulaTime
	for name, source := range hostileFiles(t) {
		t.Run(name, func(t *testing.T) {
			document, err := renderer.Render(t.Context(), source, "", 1)
			if err != nil {
				t.Fatal(err)
			}
			checkSafe(t, document.HTML)
			if len(document.HTML) == 0 {
				t.Error("nothing is shown of it")
			}
			// Title and the like are text, escaped by whoever shows them. They are short and on one line.
			for _, text := range append(document.Notes, document.Title, document.Language, document.Kernel) {
				if len(text) > 1000 || strings.ContainsAny(text, "\n\r") {
					t.Errorf("%q is no label", text)
				}
			}
		})
	}
}

// TestDeepElements: of elements nested too deeply the content comes out, and nothing that a parser refuses. A table is
// written as two elements.
func TestDeepElements(t *testing.T) {
	renderer := newRenderer(t)
	for _, opening := range []string{"<div>", "<table><tr><td>", "<blockquote><ul><li>", "> "} {
		for _, count := range []int{40, 110, 240, 600} {
			document := render(t, renderer, inMarkdown(strings.Repeat(opening, count)+"the bottom"))
			checkSafe(t, document.HTML)
			if !bytes.Contains(document.HTML, []byte("the bottom")) {
				t.Errorf("%d times %s: the content is lost", count, opening)
			}
		}
	}
}

// FuzzNotebook renders any file: the result is safe HTML or a fault with a sentence, never a panic.
func FuzzNotebook(f *testing.F) {
	for _, source := range hostileFiles(f) {
		f.Add(source)
	}
	for _, name := range goldenFiles(f) {
		source, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(source)
	}
	renderer := newRenderer(f)
	f.Fuzz(func(t *testing.T, source []byte) {
		document, err := renderer.Render(t.Context(), source, "", 1)
		if err != nil {
			if kind := fault.KindOf(err); kind != fault.Invalid && kind != fault.TooLarge || len(fault.MessageOf(err)) < 20 {
				t.Errorf("a fault without a sentence: %v", err)
			}
			return
		}
		checkSafe(t, document.HTML)
	})
}

// FuzzSanitizer puts any text wherever a notebook has free text: it must not become more than text or harmless
// elements.
func FuzzSanitizer(f *testing.F) {
	for _, source := range hostileFiles(f) {
		var notebook struct {
			Cells []struct {
				Source  nbformat.Text
				Outputs []struct {
					Data map[string]nbformat.Text
				}
			}
		}
		_ = json.Unmarshal(source, &notebook) // as far as possible
		for _, cell := range notebook.Cells {
			f.Add(string(cell.Source))
			for _, output := range cell.Outputs {
				for _, content := range output.Data {
					f.Add(string(content))
				}
			}
		}
	}
	renderer, err := New(Options{}) // FuzzNotebook covers formulas, which are slow
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = text[:min(len(text), 5_000)] // TestFloods covers long texts
		cells := []map[string]any{{"cell_type": "markdown", "source": text, "attachments": map[string]any{text: map[string]any{text: text, "image/svg+xml": text}}}}
		outputs := []map[string]any{{"output_type": "stream", "name": text, "text": text}, {"output_type": "error", "traceback": []string{text}}}
		for _, mime := range append(richer, text) {
			outputs = append(outputs, shows(mime, text))
		}
		cells = append(cells, map[string]any{"cell_type": "code", "language": "none", "source": text, "outputs": outputs}, map[string]any{"cell_type": "raw", "source": text})
		checkSafe(t, render(t, renderer, notebookOf(cells...)).HTML)
	})
}
