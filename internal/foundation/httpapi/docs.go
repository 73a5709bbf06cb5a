package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"

	"github.com/danielgtaylor/huma/v2"
)

// documentedTags are the groups of calls in the order in which people read them; others follow by name.
var documentedTags = []string{"Catalog", "Runs", "Files", "Sessions", "Projects", "Contribute", "Accounts", "Curation", "Operators", "Configuration"}

var docsTemplate = template.Must(template.Must(framed.Clone()).New("docs").Funcs(template.FuncMap{"lower": strings.ToLower}).Parse(docsText))

type documentedOperation struct {
	ID, Method, Path, Summary, Description string
	SignedIn                               bool
	Parameters                             []documentedParameter
	Body, Answer                           string
	Example                                string // a command that calls it
}

type documentedParameter struct {
	Name, In, Type, Description string
	Required                    bool
}

// documentedGroup is a section of the page, with the calls of one tag.
type documentedGroup struct {
	Section

	Operations []documentedOperation
}

// docsPage shows the OpenAPI document to people.
type docsPage struct {
	Written

	Info    *huma.Info
	BaseURL string
	Groups  []documentedGroup
	Codes   any
}

func newDocsPage(document *huma.OpenAPI, baseURL string) docsPage {
	groups := map[string][]documentedOperation{}
	for path, item := range document.Paths {
		methods := map[string]*huma.Operation{
			"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete,
		}
		for method, operation := range methods {
			if operation == nil {
				continue
			}
			tag := operation.Tags[0]
			groups[tag] = append(groups[tag], documented(document, baseURL, method, path, operation))
		}
	}
	page := docsPage{
		Written: Written{
			Title: "API", Description: document.Info.Description, Path: "/api/docs", Filter: "Filter the calls",
			Sections: []Section{{"base", "Base URL"}},
		},
		Info: document.Info, BaseURL: baseURL, Codes: fault.Codes,
	}
	for _, tag := range slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(cmp.Compare(tagOrder(a), tagOrder(b)), strings.Compare(a, b))
	}) {
		slices.SortFunc(groups[tag], func(a, b documentedOperation) int {
			return cmp.Or(-cmp.Compare(ofEntries(a), ofEntries(b)), strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method))
		})
		section := Section{strings.ToLower(tag), tag}
		page.Groups = append(page.Groups, documentedGroup{section, groups[tag]})
		page.Sections = append(page.Sections, section)
	}
	page.Sections = append(page.Sections, Section{"problems", "Codes of problems"})
	return page
}

// ofEntries is 1 for calls about entries, which come before others of their group.
func ofEntries(operation documentedOperation) int {
	if strings.HasPrefix(operation.Path, "/resources") {
		return 1
	}
	return 0
}

// tagOrder returns the place of a tag among the groups.
func tagOrder(tag string) int {
	if at := slices.Index(documentedTags, tag); at >= 0 {
		return at
	}
	return len(documentedTags)
}

func documented(document *huma.OpenAPI, baseURL, method, path string, operation *huma.Operation) documentedOperation {
	result := documentedOperation{
		ID: operation.OperationID, Method: method, Path: strings.TrimPrefix(path, Base), Summary: operation.Summary, Description: operation.Description,
		SignedIn: len(operation.Security) > 0, Example: curl(document, baseURL, method, path, operation),
	}
	for _, parameter := range operation.Parameters {
		result.Parameters = append(result.Parameters, documentedParameter{
			Name: parameter.Name, In: parameter.In, Type: schemaText(document, parameter.Schema, 0) + rangeText(parameter.Schema),
			Description: parameter.Description, Required: parameter.Required,
		})
	}
	if operation.RequestBody != nil {
		result.Body = contentText(document, operation.RequestBody.Content)
	}
	for _, status := range []string{"200", "201"} {
		if response := operation.Responses[status]; response != nil {
			result.Answer = contentText(document, response.Content)
		}
	}
	return result
}

// rangeText says which numbers a parameter may be, and which it is by default; "" for one without bounds.
func rangeText(schema *huma.Schema) string {
	if schema == nil || schema.Minimum == nil || schema.Maximum == nil {
		return ""
	}
	text := fmt.Sprintf(", %.0f to %.0f", *schema.Minimum, *schema.Maximum)
	if schema.Default != nil {
		text += fmt.Sprintf(", by default %v", schema.Default)
	}
	return text
}

func contentText(document *huma.OpenAPI, content map[string]*huma.MediaType) string {
	for _, media := range content {
		return schemaText(document, media.Schema, 0)
	}
	return ""
}

// schemaText writes a schema as a person would sketch it, references resolved, at most four levels deep.
func schemaText(document *huma.OpenAPI, schema *huma.Schema, depth int) string {
	if schema == nil {
		return ""
	}
	if schema.Ref != "" {
		schema = document.Components.Schemas.SchemaFromRef(schema.Ref)
	}
	indent := strings.Repeat("  ", depth+1)
	switch {
	case len(schema.Enum) > 0:
		values, _ := json.Marshal(schema.Enum)
		return "one of " + string(values)
	case schema.Type == huma.TypeArray:
		return "[" + schemaText(document, schema.Items, depth) + "]"
	case schema.Type == huma.TypeObject && depth < 4 && len(schema.Properties) > 0:
		names := make([]string, 0, len(schema.Properties))
		for name := range schema.Properties {
			names = append(names, name)
		}
		slices.Sort(names)
		var out strings.Builder
		out.WriteString("{\n")
		for _, name := range names {
			out.WriteString(indent + name + ": " + schemaText(document, schema.Properties[name], depth+1) + "\n")
		}
		out.WriteString(strings.Repeat("  ", depth) + "}")
		return out.String()
	case schema.Format != "":
		return schema.Type + " (" + schema.Format + ")"
	default:
		return schema.Type
	}
}
