// Package explore has the notebook with which sessions of datasets begin.
package explore

import _ "embed" // of the notebook

// Name is the name of the notebook in a work folder.
const Name = "explore.ipynb"

// Notebook loads what is below CAIRN_DATASETS and plots the first numeric columns. It needs numpy, scipy and matplotlib
// alone.
//
//go:embed explore.ipynb
var Notebook []byte
