package httpapi

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"cairn/internal/foundation/fault"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

// isText reports whether every database takes a text: it is UTF-8 without NUL.
func isText(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

// notText is the fault for a parameter or a member of a body that isn't text.
func notText(location string) *fault.Fault {
	return fault.InvalidField(location, "%s must be text: UTF-8 without NUL characters.", fault.Quote(location[strings.IndexByte(location, '.')+1:]))
}

// requireText refuses what isn't text in the parameters of an operation, so that no operation has to. It comes after the check of
// the token, which comes before any look at parameters.
func (api *API) requireText(ctx huma.Context, next func(huma.Context)) {
	if err := parametersFault(ctx); err != nil {
		request, writer := humachi.Unwrap(ctx)
		writeFault(writer, request, err)
		return
	}
	next(ctx)
}

func parametersFault(ctx huma.Context) error {
	address := ctx.URL()
	if !isText(address.Path) {
		return fault.New(fault.NotFound, "There is nothing at this address.")
	}
	query := address.Query()
	for _, parameter := range ctx.Operation().Parameters {
		values := query[parameter.Name]
		if parameter.In == "header" {
			values = []string{ctx.Header(parameter.Name)}
		} else if parameter.In != "query" {
			continue
		}
		for _, value := range values {
			if !isText(value) {
				return notText(parameter.In + "." + parameter.Name)
			}
		}
	}
	return nil
}

// placeWithoutText returns where in a decoded body a name or a value isn't text; "" for nowhere.
func placeWithoutText(value any, place string) string {
	switch value := value.(type) {
	case string:
		if !isText(value) {
			return place
		}
	case []any:
		for i, item := range value {
			if found := placeWithoutText(item, fmt.Sprintf("%s[%d]", place, i)); found != "" {
				return found
			}
		}
	case map[string]any:
		for name, member := range value {
			if !isText(name) {
				return place
			}
			if found := placeWithoutText(member, place+"."+name); found != "" {
				return found
			}
		}
	}
	return ""
}
