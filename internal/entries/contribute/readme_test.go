package contribute

import "testing"

func TestBeginningsOfReadmes(t *testing.T) {
	t.Parallel()
	for readme, want := range map[string][2]string{
		"Machine Learning Notes\n======================\n\nWhat this is about.\n\n```sh\n# Get the repository\ngit clone x\n```\n\n# FAQ\n": {"Machine Learning Notes", "What this is about."},
		"```\n# a comment\n```\n\n# Spike *sorting* with `kilo`\r\n\r\nSorts the spikes\r\nof electrodes.\r\n":                              {"Spike sorting with kilo", "Sorts the spikes of electrodes."},
		"    # code by its indent\n\n# Real\n\ntext\n": {"Real", "text"},
		"[![CI](a.svg)](b)\n\n# [Spikes](https://x.example)\n\n[Docs](a) | [Paper](b)\n\n> note\n\n- list\n\nSee [the docs](a) first.\n": {"Spikes", "See the docs first."},
		"# ![logo](a.png) Tool <img src=x>\n\n| a | b |\n|---|---|\n\n~~~python\n# no\n~~~\n\nDoes things.\n":                            {"Tool", "Does things."},
		"## Only a part\n\n<!-- # hidden -->\n<p align=\"center\">A tool.</p>\n":                                                         {"", "A tool."},
		"": {"", ""},
	} {
		if heading, paragraph := beginning(readme); heading != want[0] || paragraph != want[1] {
			t.Errorf("%q begins with %q and %q", readme, heading, paragraph)
		}
	}
	for readme, want := range map[string][2]string{
		"Guide\n=====\n\nThe text of the guide.\n": {"Guide", "The text of the guide."},
		".. image:: a.svg\n   :target: b\n\n===========\nSpike **x**\n===========\n\n:Author: Ada\n\n* a list\n\nSorts ``spikes`` with `kilo <https://x>`_\nand :py:func:`go`.\n": {"Spike x", "Sorts spikes with kilo and go."},
		"===========\nSpike Tools\n===========\r\n\r\n.. contents::\n\nSorts ``spikes`` with `kilo <https://x>`_\nand :py:func:`go`.\n":                                           {"Spike Tools", "Sorts spikes with kilo and go."},
		"Words\n--\n": {"", ""},
	} {
		if heading, paragraph := beginningOfRST(readme); heading != want[0] || paragraph != want[1] {
			t.Errorf("%q begins with %q and %q", readme, heading, paragraph)
		}
	}
}
