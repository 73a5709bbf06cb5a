package page

import (
	"html/template"
	"strings"
	"testing"
	"testing/fstest"

	"cairn/internal/site/page/pagetest"
)

func TestTemplatesNameWhatThePageWasBuiltWithout(t *testing.T) {
	_, err := readTemplates(pagetest.Files(t), nil)
	if err == nil || !strings.Contains(err.Error(), "src/features/landing/pictures/find.webp") {
		t.Errorf("without pictures: %v", err)
	}
	files := fstest.MapFS{classesFile: {Data: []byte("{}")}}
	if _, err = readTemplates(files, nil); err == nil || !strings.Contains(err.Error(), "Card.card") {
		t.Errorf("without classes: %v", err)
	}
	if _, err = readTemplates(fstest.MapFS{}, nil); err == nil {
		t.Error("without the table of classes they are read")
	}
}

func TestTemplatesAreFilledIn(t *testing.T) {
	built := builtPage{
		classes: map[string]string{"Page.page": "aaaa", "Page.wide": "bbbb", "Icon.icon": "cccc"},
		files:   map[string]string{"src/features/landing/pictures/find.webp": "assets/find-1.webp"},
		icons:   map[string]string{"more": "M1 1"},
	}
	for text, want := range map[string]string{
		`<p class="Page.page Page.wide visually-hidden">`: `<p class="aaaa bbbb visually-hidden">`,
		`<p class="{{if .A.B}}Page.page{{end}}">`:         `<p class="aaaa">`,
		"<p>\n    Two lines,\n  <b>one</b>\n</p>":         "<p>Two lines,<b>one</b></p>",
		`<img src="{{picture "find"}}">`:                  `<img src="/assets/find-1.webp">`,
		`Page.page {{icon "more" 15}}`:                    `Page.page ` + drawIcon("cccc", "M1 1", "more", "15"),
	} {
		templates := template.New("")
		var got strings.Builder
		err := built.parse(templates, `{{define "one"}}`+text+`{{end}}`)
		if err == nil {
			err = templates.ExecuteTemplate(&got, "one", map[string]map[string]bool{"A": {"B": true}})
		}
		if err != nil || got.String() != want {
			t.Errorf("%s: got %q, %v", text, &got, err)
		}
	}
	if drawn := drawIcon("c", "p", "star", ""); !strings.Contains(drawn, `width="18"`) || !strings.Contains(drawn, `stroke-width="1.75"`) {
		t.Errorf("got %s", drawn)
	}
}
