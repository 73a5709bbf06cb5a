package requirements

import "go.yaml.in/yaml/v3"

// Open returns the file that a repository's descriptor opens, as it is written there; "" if it names none. Descriptors are
// the names that the descriptor may have; the first one that exists is read.
func Open(repository Source, descriptors []string) string {
	for _, name := range descriptors {
		text, err := repository(name)
		if err != nil {
			return ""
		}
		if text == "" {
			continue
		}
		var descriptor struct {
			Project struct {
				Open string `yaml:"open"`
			} `yaml:"project"`
		}
		if yaml.Unmarshal([]byte(text), &descriptor) != nil {
			return "" // its entry says what is wrong with it
		}
		return descriptor.Project.Open
	}
	return ""
}
