package nbformat_test

import (
	"encoding/json"
	"strings"
	"testing"

	"cairn/internal/content/nbformat"
)

// Numbers that Python writes and JSON doesn't have are null; texts, and what isn't JSON otherwise, stay.
func TestStrict(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`{"alpha": NaN}`:                               `{"alpha": null}`,
		`[NaN,Infinity,-Infinity, -1]`:                 `[null,null,null, -1]`,
		`{"NaN": "a NaN, \"-Infinity\" \\", "b": NaN}`: `{"NaN": "a NaN, \"-Infinity\" \\", "b": null}`,
		`{"a": "NaN`:                                   `{"a": "NaN`,
		`{"a": "NaN\`:                                  `{"a": "NaN\`,
		`[Nothing, Inf, -]`:                            `[Nothing, Inf, -]`,
		`[true, -1e9]`:                                 `[true, -1e9]`,
		``:                                             ``,
	} {
		if made := string(nbformat.Strict([]byte(source))); made != want {
			t.Errorf("%s becomes %s", source, made)
		}
	}
	file, err := nbformat.Read([]byte(`{"nbformat": 4.0, "metadata": {"papermill": {"alpha": NaN, "b": -Infinity}}, "cells": [{}]}`))
	if err != nil || file.Format != 4 || len(file.Cells) != 1 {
		t.Errorf("%+v, %v", file, err)
	}
	if _, err := nbformat.Read([]byte("{\"a\": NaN,\n\"b\": nan}")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("%v", err)
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]nbformat.Count{"3": 3, "3.0": 3, "3e0": 3, "-1": -1, "null": 0} {
		var count nbformat.Count
		if err := json.Unmarshal([]byte(source), &count); err != nil || count != want {
			t.Errorf("%s is %d: %v", source, count, err)
		}
	}
	for _, source := range []string{"3.5", `"3"`, "[]", "1e300", "true"} {
		var count nbformat.Count
		if err := json.Unmarshal([]byte(source), &count); err == nil {
			t.Errorf("%s is %d", source, count)
		}
	}
}
