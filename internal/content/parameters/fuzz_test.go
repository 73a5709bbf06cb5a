package parameters

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"
)

// FuzzPython compares what is read from any cell with what Python reads, and none of it is executed.
func FuzzPython(f *testing.F) { fuzzCells(f, languagePython) }

// FuzzR does so with R.
func FuzzR(f *testing.F) { fuzzCells(f, languageR) }

func fuzzCells(f *testing.F, language string) {
	for _, row := range tables[language] {
		f.Add(row.code)
	}
	ask := startOracle(f, language)
	f.Fuzz(func(t *testing.T, code string) {
		if utf8.ValidString(code) {
			agrees(t, ask, language, code)
		}
		for _, each := range read(t, language, code).Parameters {
			if each.Default != nil && !json.Valid(each.Default) {
				t.Errorf("%q gave %s", code, each.Default)
			}
		}
	})
}

// FuzzWrite writes any values into any notebook. What comes out has the same parameters, and writing again changes nothing.
func FuzzWrite(f *testing.F) {
	for _, language := range []string{languagePython, languageR} {
		f.Add(notebookOf(f, language, "x = 1; y = 'a'\nz = 1.5\n"), `{"x": 5, "y": "\"", "z": 1e5}`)
		f.Add(notebookOf(f, language, "x = c(1)\ny = list(a = 1)\n"), `{"x": [1, "a", null], "y": {"b": {}}}`)
		f.Add(notebookOf(f, language, "x = [1]\ny = {}\n"), `{"x": [], "y": {"b": [[]]}}`)
	}
	f.Add([]byte(`{"nbformat": 4, "metadata": {"kernelspec": {"name": "ir"}}, "cells": [5, {"cell_type": "code", "metadata": {"tags": ["injected-parameters", "parameters"]}, "source": ["x = 5"]} , {"cell_type": "code", "metadata": {"tags": ["injected-parameters"]}}], "a": [NaN]}`), `{"x": 5}`)
	f.Fuzz(func(t *testing.T, source []byte, text string) {
		declared, err := Read(source)
		if err != nil {
			return
		}
		var given map[string]json.RawMessage
		_ = json.Unmarshal([]byte(text), &given) // anything else stands for no values
		for _, chosen := range []map[string]json.RawMessage{given, nil} {
			got, err := Write(source, chosen)
			if refused := declared.Check(chosen); (err == nil) != (refused == nil) {
				t.Fatalf("Write gave %v and Check %v", err, refused)
			}
			if err != nil {
				continue
			}
			again, err := Read(got)
			if err != nil || !reflect.DeepEqual(again, declared) {
				t.Fatalf("%s\nbecame\n%s\nin which %v is read, and not %v", source, got, again, declared)
			}
			if twice, err := Write(got, chosen); err != nil || !bytes.Equal(twice, got) {
				t.Fatalf("%s\nbecame\n%s\nand then\n%s", source, got, twice)
			}
		}
	})
}
