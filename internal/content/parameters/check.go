package parameters

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"cairn/internal/foundation/fault"
)

// maxFaults is how many values a fault names: a caller may send any number of names that the notebook doesn't have.
const maxFaults = 20

// wanted says what a parameter of a type takes.
var wanted = map[Type]string{
	String:  `text, such as "north"`,
	Integer: "a whole number, such as 5",
	Number:  "a number, such as 0.5",
	Boolean: "true or false",
	List:    "a list, such as [1, 2]",
	Object:  `an object, such as {"a": 1}`,
}

// Check returns nil if the notebook can be run with these values in JSON, and else a fault of kind Invalid about each of at
// most 20 that it can't be run with, at "body.parameters.NAME" and in the order of their names: one that the notebook doesn't
// have or whose type is unknown, one of another type, and one that is missing because the notebook assigns nothing. 3.0 is an
// integer, and every integer is a number. null is a value where the default or the annotation allows it. A value has at most
// 64 KiB of JSON, 32 lists and objects in each other, and numbers of at most 4300 characters below 1.8e308. An object can't
// have a name twice. In R, texts can't contain NUL, and names in objects have from 1 to 1000 bytes.
func (d Declared) Check(values map[string]json.RawMessage) error {
	_, err := d.check(values)
	return err
}

// check returns the values that were read.
func (d Declared) check(values map[string]json.RawMessage) (map[string]value, error) {
	declared := map[string]Parameter{}
	for _, each := range d.Parameters {
		declared[each.Name] = each
	}
	names := slices.Collect(maps.Keys(values))
	for name, each := range declared {
		if _, given := values[name]; !given && each.Type != Unknown && each.Default == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	chosen := map[string]value{}
	var fields []fault.Field
	for _, name := range names {
		source, given := values[name]
		each, known := declared[name]
		field := fault.Field{Location: "body.parameters." + name}
		switch {
		case !known:
			field.Message = fmt.Sprintf("The notebook has no parameter %s. Leave it out.", fault.Quote(name))
		case !given:
			field.Message = fmt.Sprintf("The notebook assigns nothing to the parameter %s. Give it a value: %s.", fault.Quote(name), wanted[each.Type])
			field.Ask = "Give " + wanted[each.Type] + "."
		default:
			var problem string
			chosen[name], problem = d.read(each, source)
			if problem != "" {
				field.Message = fmt.Sprintf("The parameter %s %s.", fault.Quote(name), problem)
			}
		}
		if field.Message != "" {
			fields = append(fields, field)
		}
	}
	switch len(fields) {
	case 0:
		return chosen, nil
	case 1:
		made := fault.InvalidField(fields[0].Location, "%s", fields[0].Message)
		made.Fields = fields
		return nil, made
	}
	return nil, fault.InvalidFields(fields[:min(len(fields), maxFaults)])
}

// read reads a value for a parameter. It also says what the parameter would have instead of one that it doesn't take.
func (d Declared) read(p Parameter, source json.RawMessage) (value, string) {
	if p.Type == Unknown || wanted[p.Type] == "" {
		return value{}, "can't be set from outside, because the notebook doesn't assign plain text, a number, a list or an object to it. Leave it out"
	}
	read, problem := parse(source, d.Language == languageR)
	if problem != "" {
		return value{}, "has a value that " + problem
	}
	fits := read.kind == p.Type
	switch {
	case read.kind == null:
		fits = p.Nullable
	case p.Type == Integer && read.kind == Number:
		read.text, fits = whole(read.text)
	case p.Type == Number:
		fits = fits || read.kind == Integer
	}
	if !fits {
		problem = "takes " + wanted[p.Type]
		if p.Nullable {
			problem += ", or null"
		}
		return value{}, problem
	}
	return read, ""
}
