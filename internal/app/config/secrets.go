package config

import (
	"maps"
	"os"
	"reflect"
	"slices"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"

	"go.yaml.in/yaml/v3"
)

// secretKeys are the keys of the configuration whose values aren't in a backup.
var secretKeys = []string{"database_url", "password_hash", "client_secret", "token", "index_url"}

// LeftOut is in a backup instead of the value of such a key.
const LeftOut = "(left out of the backup)"

// WithoutSecrets returns the configuration file without comments and without the values of secretKeys.
func WithoutSecrets(name string) ([]byte, error) {
	if name == "" {
		return []byte("# There was no configuration file.\n"), nil
	}
	content, err := os.ReadFile(name)
	var document yaml.Node
	if err == nil {
		err = yaml.Unmarshal(content, &document)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The configuration file %s can't be read: %s.", name, humanize.Reason(err))
	}
	redact(&document)
	return yaml.Marshal(&document)
}

func redact(node *yaml.Node) {
	node.HeadComment, node.LineComment, node.FootComment = "", "", ""
	for i, child := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 1 && child.Kind == yaml.ScalarNode && slices.Contains(secretKeys, node.Content[i-1].Value) {
			*child = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: LeftOut}
		}
		redact(child)
	}
}

// leftOutFaults returns what to do about values that still say leftOut, by key. Elements of lists are named as in other faults: by their
// first key.
func leftOutFaults(section reflect.Value, prefix string) map[string]string {
	faults := map[string]string{}
	for field, value := range section.Fields() {
		key := yamlKey(field)
		switch name := prefix + key; {
		case isInline(field):
			maps.Copy(faults, leftOutFaults(value, prefix))
		case key == "":
		case value.Kind() == reflect.Struct:
			maps.Copy(faults, leftOutFaults(value, name+"."))
		case value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.Struct:
			for _, one := range value.Seq2() {
				maps.Copy(faults, leftOutFaults(one, name+": "+humanize.Quote(one.Field(0).String())+": "))
			}
		case value.Kind() == reflect.String && value.String() == LeftOut:
			faults[name] = "was left out of the backup; write it here again, or remove the key"
			if key == "password_hash" {
				faults[name] = "was left out of the backup; make one with cairn password and write it in quotes"
			}
		}
	}
	return faults
}
