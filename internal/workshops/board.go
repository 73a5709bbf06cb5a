package workshops

import (
	"context"
	"time"

	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/sizes"
)

// SeatState is what is seen of a seat.
type SeatState string

// The states of seats.
const (
	Invited  SeatState = "invited" // nobody has it
	Starting SeatState = "starting"
	Running  SeatState = "running"
	Stopped  SeatState = "stopped" // by whoever has it, or because nothing happened in it
	Failed   SeatState = "failed"
)

// Board is what hosts see of all seats.
type Board struct {
	State       State           `json:"state" enum:"PLANNED,WARMING,OPEN,ENDED"`
	EndsAt      time.Time       `json:"endsAt"`
	EndingAt    *time.Time      `json:"endingAt,omitempty" doc:"When it ends, once a host has asked for that"`
	Seats       []BoardSeat     `json:"seats" nullable:"false"`
	Cells       []BoardCell     `json:"cells" nullable:"false" doc:"The code cells in which anything has happened"`
	Of          int             `json:"of" doc:"How many code cells the notebook has; 0: not known yet"`
	Machine     WorkshopMachine `json:"machine"`
	Messages    []Message       `json:"messages" nullable:"false" doc:"The last one first"`
	Handouts    []Handout       `json:"handouts" nullable:"false"`
	Code        string          `json:"code"`
	JoinAddress string          `json:"joinAddress"`
}

// WorkshopMachine is how full the machine is.
type WorkshopMachine struct {
	Used     int `json:"used" doc:"Places that are taken or set aside"`
	Capacity int `json:"capacity" doc:"0: no limit is known"`
}

// BoardSeat is a seat as hosts see it: never code, outputs or files.
type BoardSeat struct {
	Seat           int        `json:"seat"`
	Name           string     `json:"name" doc:"As they typed it; empty: nobody has it, or the names were deleted"`
	SignedIn       bool       `json:"signedIn" doc:"With an account"`
	State          SeatState  `json:"state" enum:"invited,starting,running,stopped,failed"`
	QueuePosition  int        `json:"queuePosition,omitempty" doc:"starting: the place in the queue, if it waits for room"`
	Cell           *SeatCell  `json:"cell,omitempty" doc:"The code cell that was executed last"`
	Passed         int        `json:"passed" doc:"How many code cells there are up to the furthest one that was done"`
	Error          *SeatError `json:"error,omitempty" doc:"The last failure, until that cell or a later one is done"`
	HandUp         bool       `json:"handUp"`
	HandUpAt       *time.Time `json:"handUpAt,omitempty"`
	LastActivityAt *time.Time `json:"lastActivityAt,omitempty" doc:"When something was last executed"`
	WaitingSeconds int        `json:"waitingSeconds" doc:"Since the hand went up"`
	SessionID      string     `json:"sessionId,omitempty" format:"uuid"`
}

// SeatCell is a code cell.
type SeatCell struct {
	Index int    `json:"index" doc:"Counts code cells from 0"`
	Of    int    `json:"of"`
	ID    string `json:"id,omitempty"`
}

// SeatError is a failure.
type SeatError struct {
	Cell int    `json:"cell" doc:"Counts code cells from 0"`
	Name string `json:"name" doc:"The class of the error"`
}

// BoardCell says at how many seats a code cell was done and has failed.
type BoardCell struct {
	Index  int `json:"index" doc:"Counts code cells from 0"`
	Done   int `json:"done"`
	Failed int `json:"failed" doc:"At least once, whatever came of it"`
}

// boardAt is a board that many see.
type boardAt struct {
	board Board
	about Workshop
}

// boardLife is how old a board may be: all hosts who follow one share it.
const boardLife = 900 * time.Millisecond

// Board returns what the host of a workshop sees of its seats.
func (s *Service) Board(ctx context.Context, id string) (Board, error) {
	if _, _, err := s.hosted(ctx, id); err != nil {
		return Board{}, err
	}
	found, err := s.board(ctx, id)
	return found.board, err
}

func (s *Service) board(ctx context.Context, id string) (boardAt, error) {
	return s.boards.get(id, s.Now(), boardLife, func() (boardAt, error) {
		about, err := s.store.get(ctx, id)
		if err != nil {
			return boardAt{}, err
		}
		made, err := s.makeBoard(ctx, about)
		return boardAt{made, about}, err
	})
}

func (s *Service) makeBoard(ctx context.Context, about Workshop) (made Board, err error) {
	shown, err := s.shown(ctx, about)
	if err != nil {
		return made, err
	}
	seats, err := s.store.taken(ctx, about.ID)
	if err != nil {
		return made, err
	}
	live, err := s.Seats.OfWorkshop(ctx, about.ID)
	if err != nil {
		return made, err
	}
	byID := map[string]sessions.Session{}
	for _, session := range live {
		byID[session.ID] = session
	}
	cells := cellsOf(about)
	made = Board{
		State: shown.State, EndsAt: shown.EndsAt, EndingAt: shown.EndingAt, Seats: make([]BoardSeat, about.Seats.Total), Cells: []BoardCell{}, Of: len(cells.Code),
		Code: about.Code, JoinAddress: shown.JoinAddress,
	}
	for i := range made.Seats {
		made.Seats[i] = BoardSeat{Seat: i + 1, State: Invited}
	}
	counts := map[int]*BoardCell{}
	for _, seat := range seats {
		if seat.number < 1 || seat.number > len(made.Seats) {
			continue
		}
		if made.Seats[seat.number-1], err = boardSeat(seat, byID[seat.sessionID], about, counts, s.Now()); err != nil {
			return made, err
		}
	}
	for index := range max(len(cells.Code), highest(counts)+1) {
		if count := counts[index]; count != nil {
			made.Cells = append(made.Cells, *count)
		}
	}
	if made.Messages, err = s.store.messages(ctx, about.ID); err != nil {
		return made, err
	}
	if made.Handouts, err = s.store.handouts(ctx, about.ID); err != nil {
		return made, err
	}
	for i := range made.Handouts {
		made.Handouts[i].Of = len(seats)
	}
	made.Machine, err = s.store.machine(ctx, s.Engines, about, s.Now())
	return made, err
}

func highest(counts map[int]*BoardCell) (index int) {
	index = -1
	for one := range counts {
		index = max(index, one)
	}
	return index
}

func boardSeat(seat Seat, session sessions.Session, about Workshop, counts map[int]*BoardCell, now time.Time) (BoardSeat, error) {
	shown := BoardSeat{Seat: seat.number, Name: seat.name, SignedIn: !seat.isGuest, State: stateOf(session), SessionID: seat.sessionID, QueuePosition: session.QueuePosition}
	cells := cellsOf(about)
	state, err := seat.state(cells)
	if err != nil {
		return shown, err
	}
	if state.Cell >= 0 {
		shown.Cell = &SeatCell{Index: state.Cell, Of: max(len(cells.Code), state.Cell+1), ID: state.CellID}
	}
	shown.Passed = state.Passed
	if state.Error != nil {
		shown.Error = &SeatError{Cell: state.Error.Cell, Name: state.Error.Name}
	}
	for index, cell := range state.Cells {
		count := counts[index]
		if count == nil {
			count = &BoardCell{Index: index}
			counts[index] = count
		}
		if cell.Done {
			count.Done++
		}
		if cell.Failed > 0 {
			count.Failed++
		}
	}
	shown.LastActivityAt = sessions.OptionalTime(state.LastActivityAt)
	if !seat.handAt.IsZero() {
		shown.HandUp, shown.HandUpAt = true, sessions.OptionalTime(seat.handAt)
		shown.WaitingSeconds = max(0, int(now.Sub(seat.handAt).Seconds()))
	}
	return shown, nil
}

// stateOf returns the state of a seat that somebody has, by its session.
func stateOf(session sessions.Session) SeatState {
	switch session.Status {
	case sessions.Running:
		return Running
	case sessions.Created, "":
		return Starting
	case sessions.Failed:
		return Failed
	}
	return Stopped
}

// machine returns how full the machine is.
func (s *Store) machine(ctx context.Context, engines sizes.Engines, about Workshop, now time.Time) (WorkshopMachine, error) {
	chosen, err := engines.Of(about.Engine)
	if err != nil {
		return WorkshopMachine{}, nil //nolint:nilerr // of an engine that was removed, nothing is known
	}
	names, capacity := engines.Sharing(chosen)
	if capacity == 0 {
		return WorkshopMachine{}, nil
	}
	used, err := s.usedPlaces(ctx, names, now)
	return WorkshopMachine{Used: min(used, capacity), Capacity: capacity}, err
}

// boardStill is Board for somebody who has been following it: whether they may still see it is asked of what is stored now.
func (s *Service) boardStill(ctx context.Context, id string) (Board, error) {
	caller, _ := identity.From(ctx)
	found, err := s.board(ctx, id)
	if err != nil {
		return Board{}, err
	}
	if err := s.Accounts.CheckSignIn(ctx, caller); err != nil {
		return Board{}, err
	}
	now, err := s.Accounts.Account(ctx, caller.AccountID)
	if err == nil {
		now.Operator = now.Operator && caller.Operator // a token of an operator isn't one
		err = hosts(now, found.about)
	}
	return found.board, err
}
