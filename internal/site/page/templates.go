package page

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"regexp"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/web"
)

// documents are the templates of what documents show before the page's script runs, and without it, by the paths of pages.
// They repeat the elements, classes and words of the page's components, and e2e/frame compares the two.
//
//go:embed documents
var documents embed.FS

// classesFile has the names that the build gave to the classes of the page's style sheets, by what the templates call
// them: "Page.wide" is the class "wide" of Page.module.css.
const classesFile = "server/classes.json"

// kindWords are the words for a type, and its color.
type kindWords struct{ Label, Plural, Tone string }

// words are those that the page's components share with documents.
type words struct {
	Kinds            map[catalog.Type]kindWords
	Descriptions     map[catalog.Type]string // what entries of a type are
	Roles, Relations map[string]string
}

// builtPage is what the templates need to know of the page as it was built.
type builtPage struct {
	classes map[string]string
	files   map[string]string // the paths of files by those of their sources
	icons   map[string]string // the paths within drawings
}

// readTemplates returns the templates of documents, with the classes, icons and pictures of the built page.
func readTemplates(files fs.FS, paths map[string]string) (*template.Template, error) {
	built := builtPage{files: paths}
	var shared words
	err := readJSON(files, classesFile, &built.classes)
	for _, one := range []struct {
		text []byte
		into any
	}{{web.Icons(), &built.icons}, {web.Kinds(), &shared.Kinds}, {web.KindDescriptions(), &shared.Descriptions}, {web.Cited(), &shared}} {
		if err == nil {
			err = json.Unmarshal(one.text, one.into)
		}
	}
	templates := template.New("").Funcs(template.FuncMap{
		"tagInList": tagInAddress, "join": strings.Join, "lower": strings.ToLower, "withoutScheme": withoutScheme, "quoted": quoted,
		"calendarOf": func(slug string) string { return "/events/" + slug + ".ics" },
		"types":      func() []catalog.Type { return catalog.Types[:] },
		"kind":       func(of catalog.Type) kindWords { return shared.Kinds[of] },
		"about":      func(of catalog.Type) string { return shared.Descriptions[of] },
		"tone":       func(of catalog.Type) string { return built.classes["tone."+shared.Kinds[of].Tone] },
		"role":       func(role catalog.Role) string { return wordFor(shared.Roles, string(role)) },
		"relation":   func(relation string) string { return wordFor(shared.Relations, relation) },
	})
	names, _ := fs.Glob(documents, "documents/*.html")
	for _, name := range names {
		if err == nil {
			var text []byte
			if text, err = fs.ReadFile(documents, name); err == nil {
				err = built.parse(templates, string(text))
			}
		}
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "The page's templates cannot be read; rebuild the page with: make build")
	}
	return templates, nil
}

func readJSON(files fs.FS, name string, into any) error {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// wordFor returns the word for one of DataCite's names; the name itself if there is none.
func wordFor(words map[string]string, name string) string {
	if word, known := words[name]; known {
		return word
	}
	return name
}

var (
	lineBreaks      = regexp.MustCompile(`\n\s*`)
	classAttributes = regexp.MustCompile(`class="[^"]*"`)
	moduleClasses   = regexp.MustCompile(`["} ][A-Za-z]+\.[A-Za-z]+`)
	iconActions     = regexp.MustCompile(`\{\{icon "(\w+)"(?: (\d+))?\}\}`)
	pictureActions  = regexp.MustCompile(`\{\{picture "(\w+)"\}\}`)
)

// parse adds a file of templates. What is the same in every document is filled in once: the names of classes, icons and
// the addresses of pictures. Line breaks and the space after them are left out, because between elements on the same line
// they would be seen.
func (b builtPage) parse(templates *template.Template, text string) error {
	var missing []string
	known := func(among map[string]string, name string) string {
		found := among[name]
		if found == "" {
			missing = append(missing, name)
		}
		return found
	}
	text = lineBreaks.ReplaceAllString(text, "")
	text = classAttributes.ReplaceAllStringFunc(text, func(attribute string) string {
		return moduleClasses.ReplaceAllStringFunc(attribute, func(found string) string { return found[:1] + known(b.classes, found[1:]) })
	})
	text = pictureActions.ReplaceAllStringFunc(text, func(action string) string {
		return "/" + known(b.files, "src/features/landing/pictures/"+pictureActions.FindStringSubmatch(action)[1]+".webp")
	})
	text = iconActions.ReplaceAllStringFunc(text, func(action string) string {
		found := iconActions.FindStringSubmatch(action)
		return drawIcon(known(b.classes, "Icon.icon"), known(b.icons, found[1]), found[1], found[2])
	})
	if len(missing) > 0 {
		return fmt.Errorf("the page was built without %s", strings.Join(missing, ", "))
	}
	_, err := templates.Parse(text)
	return err
}

// drawIcon returns an icon as web/src/ui/Icon.tsx draws it.
func drawIcon(class, path, name, size string) string {
	if size == "" {
		size = "18"
	}
	width := "1.75"
	if name == "more" {
		width = "2.75"
	}
	return `<svg class="` + class + `" width="` + size + `" height="` + size + `" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="` +
		width + `" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="` + path + `"></path></svg>`
}
