package sessions

import "cairn/internal/sessions/sizes"

// Interface is what a session is used in; empty: the first that its engine has.
type Interface = sizes.Interface

// The interfaces.
const (
	Jupyter = sizes.Jupyter
	VSCode  = sizes.VSCode
)
