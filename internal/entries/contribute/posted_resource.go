package contribute

import (
	"encoding/json"
	"fmt"

	"cairn/internal/foundation/fault"
)

// PostedResource is an entry of a known type as clients of other gateways post it: whole, as they would get it. What the
// server decides, such as its status, is ignored.
type PostedResource struct {
	_ struct{} `additionalProperties:"true"`

	Name                   *string   `json:"name,omitempty"`
	Description            *string   `json:"description,omitempty"`
	HeaderImage            *string   `json:"headerImage,omitempty" doc:"A web address; anything else is stored, and no image is shown"`
	Tags                   *[]any    `json:"tags,omitempty" doc:"Texts, or objects with value or name"`
	Authors                *[]string `json:"authors,omitempty" doc:"E-mail addresses"`
	Privacy                *string   `json:"privacy,omitempty" doc:"PUBLIC or PRIVATE"`
	DatasetURL             *string   `json:"datasetUrl,omitempty"`
	NotebookPath           *string   `json:"notebookPath,omitempty"`
	ApplicationInterfaceID *string   `json:"applicationInterfaceId,omitempty"`
	Version                *string   `json:"version,omitempty"`
}

// edit returns what it says about an entry. Invalid names the tags that say nothing.
func (p PostedResource) edit() (Edit, error) {
	edit := Edit{
		Name: p.Name, Description: p.Description, HeaderImage: p.HeaderImage, Authors: p.Authors, Privacy: p.Privacy,
		DatasetURL: p.DatasetURL, NotebookPath: p.NotebookPath, ApplicationInterfaceID: p.ApplicationInterfaceID, Version: p.Version,
	}
	if p.Tags == nil {
		return edit, nil
	}
	tags := make([]string, len(*p.Tags))
	for i, posted := range *p.Tags {
		group, isGroup := posted.(map[string]any)
		if isGroup {
			if posted = group["value"]; posted == nil {
				posted = group["name"]
			}
		}
		switch tag := posted.(type) {
		case string:
			tags[i] = tag
		case json.Number:
			tags[i] = tag.String()
		case float64, bool:
			tags[i] = fmt.Sprint(tag)
		default:
			return edit, fault.InvalidField(fmt.Sprintf("body.tags[%d]", i), "must be a text, or an object whose value or name is one")
		}
	}
	edit.Tags = &tags
	return edit, nil
}
