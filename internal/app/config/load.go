package config

import (
	"errors"
	"io"
	"os"
	"reflect"
	"strings"

	"cairn/internal/foundation/fault"

	"go.yaml.in/yaml/v3"
)

// Load reads the file, if one is named, and the environment (texts such as NAME=value) over the defaults. One
// Invalid fault names all unknown keys and variables, and unreadable values.
func Load(path string, environment []string) (Config, error) {
	settings := Default()
	var faults []string
	if path != "" {
		faults, settings.Reading.whole = readConfigFile(path, &settings)
	}
	faults = append(faults, readEnvironment(&settings, environment)...)
	faults = append(faults, settings.Sessions.readTokens()...)
	settings.Reading.faults = faults
	return settings, Fault(faults)
}

// Fault returns an Invalid fault that lists what is wrong with a configuration; nil if nothing is.
func Fault(faults []string) error {
	if len(faults) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "The configuration can't be used:\n  %s", strings.Join(faults, "\n  "))
}

// readConfigFile returns what of a file can't be read, and whether that is the whole file.
func readConfigFile(path string, settings *Config) (faults []string, whole bool) {
	file, err := os.Open(path)
	if err != nil {
		return []string{"the file can't be read: " + err.Error()}, true
	}
	defer file.Close()
	decoder := yaml.NewDecoder(io.LimitReader(file, 1<<20))
	decoder.KnownFields(true)
	err = decoder.Decode(settings)
	if wrong, ok := errors.AsType[*yaml.TypeError](err); ok {
		faults = make([]string, len(wrong.Errors))
		for i, text := range wrong.Errors {
			faults[i] = path + ": " + unknownKey(text)
		}
		return faults, false
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return []string{path + ": " + err.Error()}, true
	}
	return nil, false
}

// unknownKey rephrases the library's message about an unknown key for operators.
func unknownKey(text string) string {
	line, rest, found := strings.Cut(text, ": field ")
	if name, section, isUnknown := strings.Cut(rest, " not found in type "); found && isUnknown {
		return line + ": there is no key " + name + didYouMean(name, "", keysOf(reflect.TypeFor[Config](), section))
	}
	return text
}

// keysOf returns the keys of a type of this name below another type.
func keysOf(below reflect.Type, name string) (keys []string) {
	switch below.Kind() {
	case reflect.Slice:
		return keysOf(below.Elem(), name)
	case reflect.Struct:
		for field := range below.Fields() {
			if key := yamlKey(field); below.String() == name && key != "" {
				keys = append(keys, key)
			}
			keys = append(keys, keysOf(field.Type, name)...)
		}
	}
	return keys
}
