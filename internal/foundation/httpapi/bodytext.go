package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"unicode/utf8"

	"cairn/internal/foundation/fault"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

// acceptScalars makes strings of the numbers and booleans in a body where the schema of the operation wants text:
// clients post a version as 3.10 and a tag as 2025. They keep their spelling. A body in which something isn't text is refused.
func (api *API) acceptScalars(ctx huma.Context, next func(huma.Context)) {
	if body := ctx.Operation().RequestBody; body != nil {
		if media := body.Content["application/json"]; media != nil && media.Schema != nil {
			request, writer := humachi.Unwrap(ctx)
			var problem *fault.Fault
			if request.Body, problem = api.textBody(request.Body, media.Schema, ctx.Operation().MaxBodyBytes); problem != nil {
				writeFault(writer, request, problem)
				return
			}
		}
	}
	next(ctx)
}

// textBody returns the body with text where the schema wants it. What isn't JSON or exceeds the limit of bytes stays as
// it is, for the operation to refuse.
func (api *API) textBody(body io.ReadCloser, schema *huma.Schema, limit int64) (io.ReadCloser, *fault.Fault) {
	content, err := io.ReadAll(io.LimitReader(body, limit))
	rest := io.Reader(body)
	if err != nil {
		rest = failedReader{err}
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if err == nil && int64(len(content)) < limit && json.Valid(content) && decoder.Decode(&value) == nil {
		if !utf8.Valid(content) { // which the decoder hides
			return body, notText("body")
		}
		if place := placeWithoutText(value, "body"); place != "" {
			return body, notText(place)
		}
		text := &textWriter{schemas: api.huma.OpenAPI().Components.Schemas}
		if value = text.in(value, schema); text.changed {
			content, _ = json.Marshal(value) // it was decoded, so it can be encoded
		}
	}
	return &replacedBody{Reader: io.MultiReader(bytes.NewReader(content), rest), Closer: body}, nil
}

type replacedBody struct {
	io.Reader
	io.Closer
}

// failedReader repeats the error that ended a body.
type failedReader struct{ err error }

func (r failedReader) Read([]byte) (int, error) { return 0, r.err }

// textWriter replaces scalars by text.
type textWriter struct {
	schemas huma.Registry
	changed bool
}

// in returns the value with text where its schema wants it.
func (t *textWriter) in(value any, schema *huma.Schema) any {
	for schema != nil && schema.Ref != "" {
		schema = t.schemas.SchemaFromRef(schema.Ref)
	}
	if schema == nil {
		return value
	}
	switch value := value.(type) {
	case json.Number:
		if schema.Type == huma.TypeString {
			t.changed = true
			return value.String()
		}
	case bool:
		if schema.Type == huma.TypeString {
			t.changed = true
			return strconv.FormatBool(value)
		}
	case []any:
		for i, item := range value {
			value[i] = t.in(item, schema.Items)
		}
	case map[string]any:
		for name, member := range value {
			value[name] = t.in(member, schema.Properties[name])
		}
	}
	return value
}
