package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	variablePrefix = "CAIRN_"
	fileSuffix     = "_FILE"
)

// foreignVariable matches names that begin like ours and come from others: those of cairn search, get and run, the scripts of our own tests, and Kubernetes, which tells each
// container about every service of its namespace, such as one called cairn.
var foreignVariable = regexp.MustCompile(`^CAIRN_(?:URL|TOKEN|TOKEN_FILE)$|^CAIRN_(?:TEST|POSTGRES)_|_(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT(?:_[0-9]+_(?:TCP|UDP|SCTP)(?:_(?:ADDR|PORT|PROTO))?)?)$`)

var envName = strings.NewReplacer(".", "_", "-", "_")

// variables are environment variables of ours, by name.
type variables struct {
	given  map[string]string
	known  []string // the names of all keys
	faults []string
}

// readEnvironment sets every string, number, boolean and list of strings from its variable among texts such as NAME=value.
// It returns what is wrong, which includes names that no key has.
func readEnvironment(settings *Config, environment []string) []string {
	v := variables{given: map[string]string{}}
	for _, one := range environment {
		if name, text, _ := strings.Cut(one, "="); strings.HasPrefix(name, variablePrefix) && !foreignVariable.MatchString(name) {
			v.given[name] = text
		}
	}
	v.read(reflect.ValueOf(settings).Elem(), strings.TrimSuffix(variablePrefix, "_"))
	for _, name := range slices.Sorted(maps.Keys(v.given)) {
		if !slices.Contains(v.known, name) {
			v.faults = append(v.faults, v.unknown(name))
		}
	}
	return v.faults
}

func (v *variables) read(value reflect.Value, prefix string) {
	for i := range value.NumField() {
		field := value.Type().Field(i)
		if isInline(field) {
			v.read(value.Field(i), prefix)
			continue
		}
		key := yamlKey(field)
		if key == "" {
			continue
		}
		name := prefix + "_" + strings.ToUpper(envName.Replace(key))
		target := value.Field(i)
		if target.Kind() == reflect.Struct && target.Type() != reflect.TypeFor[EnablePolicy]() {
			v.read(target, name)
			continue
		}
		if text, ok := v.text(name, field.Tag.Get("secret") == "true"); ok {
			if err := setFromText(target, text); err != nil {
				v.faults = append(v.faults, name+": "+err.Error())
			}
		}
	}
}

// text returns the text of a variable; that of a secret may be in a file.
func (v *variables) text(name string, secret bool) (text string, ok bool) {
	v.known = append(v.known, name)
	text, ok = v.given[name]
	if !secret {
		return text, ok
	}
	file := name + fileSuffix
	v.known = append(v.known, file)
	path, isFile := v.given[file]
	if ok || !isFile {
		return text, ok
	}
	content, err := os.ReadFile(path)
	text = strings.TrimSpace(string(content))
	switch {
	case err != nil:
		v.faults = append(v.faults, file+": the file cannot be read: "+err.Error())
	case text == "":
		v.faults = append(v.faults, file+": the file "+path+" is empty; write the secret into it, or remove the variable")
	}
	return text, text != ""
}

// unknown says of a variable that no key has its name.
func (v *variables) unknown(name string) string {
	if key := strings.TrimSuffix(name, fileSuffix); key != name && slices.Contains(v.known, key) {
		return name + ": only secrets are read from files; set " + key + " itself"
	}
	return name + ": there is no such variable" + didYouMean(name, variablePrefix, v.known)
}

// isInline reports whether the keys of a field are beside the others.
func isInline(field reflect.StructField) bool { return field.Tag.Get("yaml") == ",inline" }

// yamlKey returns the key of a field; "" if it has none.
func yamlKey(field reflect.StructField) string {
	key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
	if key == "-" || !field.IsExported() {
		return ""
	}
	return key
}

// didYouMean returns the end of a sentence about an unknown name: a known one that is spelled almost alike, or that has
// more or fewer parts; "" if there is none. All names begin with prefix.
func didYouMean(name, prefix string, known []string) string {
	const few = 2 // letters
	best, least := "", len(name)
	for _, one := range known {
		a, b := strings.TrimPrefix(name, prefix), strings.TrimPrefix(one, prefix)
		distance := editDistance(a, b)
		near := distance <= min(few, len(b)/3) || isPart(a, b) || isPart(b, a)
		if near && distance < least {
			best, least = one, distance
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// isPart reports whether a name is the first or the last parts of another.
func isPart(part, whole string) bool {
	return strings.HasPrefix(whole, part+"_") || strings.HasSuffix(whole, "_"+part)
}

// editDistance returns how many bytes have to be added, removed or replaced to turn one text into another.
func editDistance(from, to string) int {
	row := make([]int, len(to)+1)
	for i := range row {
		row[i] = i
	}
	for i := range len(from) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(to) {
			replaced := diagonal
			if from[i] != to[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}

func setFromText(target reflect.Value, text string) error {
	switch value := target.Addr().Interface().(type) {
	case *string:
		*value = text
	case *bool:
		parsed, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		*value = parsed
	case *int:
		parsed, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%q isn't a whole number", text)
		}
		*value = parsed
	case *[]string:
		*value = nil
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				*value = append(*value, part)
			}
		}
	case *EnablePolicy:
		value.Mode = text
		if domains, found := strings.CutPrefix(text, "domains:"); found {
			value.Mode, value.Domains = "domains", strings.Split(domains, ",")
		}
	default:
		return errors.New("this can be set in the configuration file only")
	}
	return nil
}
