// Package workshops lets hosts prepare a workshop, and everybody with its code take a seat in it: a hosted session, without an account. It
// keeps sessions warm before the start, shows hosts how far each seat is and who needs help, hands out files beside what people changed,
// ends everything at its time, and reports.
//
// It stands on top of sessions. A seat's session is an ordinary one of the account that has the seat, with the id of the workshop; what is
// special about it is here, or asked from here: sessions.PlanSeats and StartSeat start them, sessions.Reservation sets their part of the
// machine aside, reconcile.Seats keeps them warm, and origin.Seats has the gateway show what is said to all and observe which cells run.
// Guests are accounts that package identity knows, and package app says which operations they may call.
//
// State: the tables that begin with workshop, and reservation. Progress at the seats is in memory for a second before it is stored. Run
// does what is to be done: every server looks at every workshop once a second, and whatever it does there may be done twice.
package workshops
