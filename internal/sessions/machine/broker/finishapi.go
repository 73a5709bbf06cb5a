package broker

// FinishPath is where the server of a session executes the rest of a notebook: POST a FinishRequest, which is answered with its
// FinishState, or with 409 and a Refusal; GET the states of all; DELETE, with the query id, cancels one.
const FinishPath = "cairn/finish"

// Refusal says why a request to finish is refused.
type Refusal struct {
	Code string `json:"code"`
}

// The codes of a Refusal.
const (
	RefusedBusy     = "busy"
	RefusedChanged  = "changed"
	RefusedNoKernel = "no_kernel"
	RefusedNoFile   = "no_file"
	RefusedNoCell   = "no_cell"
)

// Refusals are the errors of Finish that are refusals, by their codes.
var Refusals = map[string]error{
	RefusedBusy: ErrBusy, RefusedChanged: ErrChanged, RefusedNoKernel: ErrNoKernel, RefusedNoFile: ErrNoFile, RefusedNoCell: ErrNoCell,
}
