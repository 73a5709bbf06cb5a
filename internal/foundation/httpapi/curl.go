package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// inPath matches a parameter in the path of an operation.
var inPath = regexp.MustCompile(`\{(\w+)\}`)

// curl returns a command that calls an operation, with the parameters and members that it needs. Those of the path and the
// token are variables of the shell, such as $ID.
func curl(document *huma.OpenAPI, baseURL, method, path string, operation *huma.Operation) string {
	needed := url.Values{}
	for _, parameter := range operation.Parameters {
		if parameter.In == "query" && parameter.Required {
			needed.Set(parameter.Name, fmt.Sprint(sample(document, parameter.Schema, 0)))
		}
	}
	address := baseURL + inPath.ReplaceAllStringFunc(strings.TrimPrefix(path, Base), func(name string) string {
		return "$" + strings.ToUpper(strings.Trim(name, "{}"))
	})
	if len(needed) > 0 {
		address += "?" + needed.Encode()
	}
	var command strings.Builder
	command.WriteString("curl")
	if method != http.MethodGet {
		command.WriteString(" -X " + method)
	}
	command.WriteString(` "` + address + `"`)
	if len(operation.Security) > 0 {
		command.WriteString(" \\\n  -H \"Authorization: Bearer $TOKEN\"")
	}
	if operation.RequestBody != nil {
		kind := slices.Min(slices.Collect(maps.Keys(operation.RequestBody.Content)))
		text, err := json.Marshal(sample(document, operation.RequestBody.Content[kind].Schema, 0))
		if err != nil {
			panic(err) // it consists of plain values
		}
		command.WriteString(" \\\n  -H \"Content-Type: " + kind + "\" \\\n  -d '" + string(text) + "'")
	}
	return command.String()
}

// sample returns a value of a schema: of an object the members that it needs, or all if it needs none; at most four levels
// deep.
func sample(document *huma.OpenAPI, schema *huma.Schema, depth int) any {
	if schema.Ref != "" {
		schema = document.Components.Schemas.SchemaFromRef(schema.Ref)
	}
	switch {
	case len(schema.Enum) > 0:
		return schema.Enum[0]
	case len(schema.Examples) > 0:
		return schema.Examples[0]
	}
	switch schema.Type {
	case huma.TypeBoolean:
		return true
	case huma.TypeInteger, huma.TypeNumber:
		return 1
	case huma.TypeArray:
		return []any{sample(document, schema.Items, depth)}
	case huma.TypeObject:
		members := map[string]any{}
		names := schema.Required
		if len(names) == 0 {
			names = slices.Collect(maps.Keys(schema.Properties))
		}
		for _, name := range names {
			if member := schema.Properties[name]; member != nil && depth < 4 {
				members[name] = sample(document, member, depth+1)
			}
		}
		return members
	case huma.TypeString:
		switch schema.Format {
		case "email":
			return "name@example.org"
		case "uri":
			return "https://example.org"
		}
	}
	return "..."
}
