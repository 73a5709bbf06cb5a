package contribute

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// UploadIDs are the ids of uploads: in JSON a text or a list.
type UploadIDs []string

// UnmarshalJSON implements json.Unmarshaler.
func (u *UploadIDs) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*u = UploadIDs{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(u))
}

// Schema implements huma.SchemaProvider.
func (UploadIDs) Schema(huma.Registry) *huma.Schema {
	text := &huma.Schema{Type: huma.TypeString}
	return &huma.Schema{OneOf: []*huma.Schema{text, {Type: huma.TypeArray, Items: text}}, Description: "The id of an upload, or a list of them"}
}
