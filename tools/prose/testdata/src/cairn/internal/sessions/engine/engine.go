package engine

type Status struct{ Phase, Reason string }
