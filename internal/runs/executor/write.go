package executor

import (
	"bytes"
	"encoding/json"
)

// write returns the notebook as nbformat writes it, except that texts aren't split into lines. At no time is more than one
// cell in memory beside it.
func (n *notebook) write(cut string) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("{\n \"cells\": [")
	for i, one := range n.cells {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n  ")
		if err := encode(&out, one.fields(cut), "  "); err != nil {
			return nil, err
		}
	}
	out.WriteString("\n ],\n \"metadata\": ")
	if err := encode(&out, n.metadata, " "); err != nil {
		return nil, err
	}
	out.WriteString(",\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n")
	return out.Bytes(), nil
}

// encode appends a value, indented by one, with each further line after a prefix.
func encode(out *bytes.Buffer, value any, prefix string) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	return json.Indent(out, bytes.TrimSuffix(text.Bytes(), []byte("\n")), prefix, " ")
}

// fields are those of the format; cut is what a last output says if there were more.
func (c *cell) fields(cut string) map[string]any {
	fields := map[string]any{"cell_type": c.kind, "id": c.id, "metadata": c.metadata, "source": c.source}
	if c.kind != "code" {
		if c.attachments != nil {
			fields["attachments"] = c.attachments
		}
		return fields
	}
	outputs := []any{}
	for _, one := range c.outputs {
		outputs = append(outputs, one.fields())
	}
	if c.cut {
		outputs = append(outputs, map[string]any{"output_type": "stream", "name": "stderr", "text": cut})
	}
	fields["execution_count"], fields["outputs"] = c.count, outputs
	if c.stored != nil {
		fields["outputs"] = c.stored
	}
	return fields
}
