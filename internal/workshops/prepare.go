package workshops

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/sizes"
)

// WorkshopDraft is a workshop that is to be prepared.
type WorkshopDraft struct {
	Name     string    `json:"name" maxLength:"255"`
	Entry    string    `json:"entry,omitempty" maxLength:"100" doc:"The id of the entry whose sessions people get, or"`
	Project  string    `json:"project,omitempty" maxLength:"100" doc:"the id of a project"`
	Event    string    `json:"event,omitempty" maxLength:"100" doc:"The slug of the event that it belongs to"`
	File     string    `json:"file,omitempty" maxLength:"1000" doc:"The file of the repository that opens"`
	Ref      string    `json:"ref,omitempty" maxLength:"255" doc:"A branch, tag or commit of the repository"`
	Profile  string    `json:"profile,omitempty" maxLength:"100" doc:"The size of its sessions"`
	Engine   string    `json:"engine,omitempty" maxLength:"100"`
	Seats    int       `json:"seats" minimum:"1" maximum:"500"`
	StartsAt time.Time `json:"startsAt"`
	EndsAt   time.Time `json:"endsAt"`
	Timezone string    `json:"timezone" maxLength:"100" doc:"From the IANA database, such as Europe/Berlin"`
	Network  Network   `json:"network,omitempty" enum:"none,internet" doc:"Absent: internet, which means what other sessions on the engine reach"`
	Guests   *bool     `json:"guests,omitempty" doc:"Whether people without an account can join; absent: they can"`
	Hosts    []string  `json:"hosts,omitempty" maxItems:"20" doc:"E-mail addresses of those who host it too"`
}

const (
	longest  = 7 * 24 * time.Hour
	aheadMax = 2 * 366 * 24 * time.Hour
)

// Create prepares a workshop. NoRoom if the machine can't carry it at that time, and what StartFrom says about what it runs.
func (s *Service) Create(ctx context.Context, draft WorkshopDraft) (Workshop, error) {
	caller, err := s.mayHost(ctx)
	if err != nil {
		return Workshop{}, err
	}
	made := Workshop{ID: newID(), accountID: caller.AccountID, Owner: caller.Email, key: newKey(), Code: newCode()}
	if err := s.fill(ctx, caller, &made, draft); err != nil {
		return Workshop{}, err
	}
	if err := s.save(ctx, made, true); err != nil {
		return Workshop{}, err
	}
	return s.Get(ctx, made.ID)
}

// Change changes a workshop that hasn't ended. What its sessions hold is up to who prepared it, by whose rights they start, and stays, with
// the start, once it is open.
func (s *Service) Change(ctx context.Context, id string, changes Changes) (Workshop, error) {
	var err error = errOutdated
	for range 3 { // somebody else may change it at the same time
		if err = s.change(ctx, id, changes); !errors.Is(err, errOutdated) {
			break
		}
	}
	if err != nil {
		return Workshop{}, err
	}
	return s.Get(ctx, id)
}

func (s *Service) change(ctx context.Context, id string, changes Changes) error {
	caller, made, err := s.hosted(ctx, id)
	if err != nil {
		return err
	}
	before, draft := made, changes.of(made)
	state := made.stateAt(s.Now())
	if state == Ended {
		return errEnded
	}
	owner, err := s.Accounts.Account(ctx, made.accountID)
	if err != nil {
		return err
	}
	if err := s.fill(ctx, owner, &made, draft); err != nil {
		return err
	}
	runsAs := made.runsAs(before)
	switch {
	case state == Open && (!runsAs || !made.StartsAt.Equal(before.StartsAt)):
		return fault.New(fault.Conflict, "The workshop is open, so what its sessions hold and when it starts can't be changed any more. Its name, its seats, its end and its hosts can.")
	case !runsAs && caller.AccountID != made.accountID:
		return fault.New(fault.Forbidden, "Only %s, who prepared the workshop, can change what its sessions hold.", made.Owner)
	case !runsAs:
		made.cells = ""
	}
	seats, err := s.store.taken(ctx, id)
	if err != nil {
		return err
	}
	if count := len(seats); count > 0 && seats[count-1].number > made.Seats.Total {
		return fault.InvalidField("body.seats", "Seat %d is taken. Keep at least that many seats, or free it first.", seats[count-1].number)
	}
	return s.save(ctx, made, false)
}

// Changes are fields of a WorkshopDraft that are to be different.
type Changes struct {
	Name     *string    `json:"name,omitempty" maxLength:"255"`
	Entry    *string    `json:"entry,omitempty" maxLength:"100"`
	Project  *string    `json:"project,omitempty" maxLength:"100"`
	Event    *string    `json:"event,omitempty" maxLength:"100"`
	File     *string    `json:"file,omitempty" maxLength:"1000"`
	Ref      *string    `json:"ref,omitempty" maxLength:"255"`
	Profile  *string    `json:"profile,omitempty" maxLength:"100"`
	Engine   *string    `json:"engine,omitempty" maxLength:"100"`
	Seats    *int       `json:"seats,omitempty" minimum:"1" maximum:"500"`
	StartsAt *time.Time `json:"startsAt,omitempty"`
	EndsAt   *time.Time `json:"endsAt,omitempty"`
	Timezone *string    `json:"timezone,omitempty" maxLength:"100"`
	Network  *Network   `json:"network,omitempty" enum:"none,internet"`
	Guests   *bool      `json:"guests,omitempty"`
	Hosts    *[]string  `json:"hosts,omitempty" maxItems:"20"`
}

// of returns what a workshop is to be.
func (c Changes) of(w Workshop) WorkshopDraft {
	draft := WorkshopDraft{
		Name: w.Name, Event: w.Event, File: w.File, Ref: w.Ref, Profile: w.Profile, Engine: w.Engine, Seats: w.Seats.Total, StartsAt: w.StartsAt, EndsAt: w.EndsAt,
		Timezone: w.Timezone, Network: w.Network, Guests: &w.Guests, Hosts: w.Hosts,
	}
	if w.Entry != nil {
		draft.Entry = w.Entry.ID
	}
	if w.Project != nil {
		draft.Project = w.Project.ID
	}
	if c.Entry != nil || c.Project != nil { // one replaces the other
		draft.Entry, draft.Project, draft.Engine, draft.Profile = "", "", "", ""
	}
	replace(&draft.Name, c.Name)
	replace(&draft.Entry, c.Entry)
	replace(&draft.Project, c.Project)
	replace(&draft.Event, c.Event)
	replace(&draft.File, c.File)
	replace(&draft.Ref, c.Ref)
	replace(&draft.Profile, c.Profile)
	replace(&draft.Engine, c.Engine)
	replace(&draft.Seats, c.Seats)
	replace(&draft.StartsAt, c.StartsAt)
	replace(&draft.EndsAt, c.EndsAt)
	replace(&draft.Timezone, c.Timezone)
	replace(&draft.Network, c.Network)
	replace(&draft.Hosts, c.Hosts)
	if c.Guests != nil {
		draft.Guests = c.Guests
	}
	return draft
}

func replace[V any](value, by *V) {
	if by != nil {
		*value = *by
	}
}

// fill checks a draft and makes a workshop what it says.
func (s *Service) fill(ctx context.Context, owner identity.Caller, made *Workshop, draft WorkshopDraft) error {
	made.Name = strings.TrimSpace(draft.Name)
	if made.Name == "" {
		return fault.InvalidField("body.name", "Give the workshop a name, which participants see.")
	}
	if message := catalog.CheckName(made.Name); message != "" {
		return fault.InvalidField("body.name", "The name %s.", message)
	}
	if (draft.Entry == "") == (draft.Project == "") {
		return fault.InvalidField("body.entry", "Name what people get: either an entry (entry) or a project (project).")
	}
	if err := made.fillTimes(s.Now(), draft); err != nil {
		return err
	}
	if draft.Event != "" && !slices.Contains(s.Events(), draft.Event) {
		return fault.InvalidField("body.event", "There is no event %s on this site.", fault.Quote(draft.Event))
	}
	if err := made.fillHosts(draft.Hosts); err != nil {
		return err
	}
	made.Event, made.File, made.Ref, made.Engine, made.Profile = draft.Event, draft.File, draft.Ref, draft.Engine, draft.Profile
	made.Seats.Total, made.Network, made.Guests = draft.Seats, draft.Network, draft.Guests == nil || *draft.Guests
	if made.Network == "" {
		made.Network = Internet
	}
	made.Entry, made.Project = nil, nil
	if draft.Entry != "" {
		made.Entry = &WorkshopPart{ID: draft.Entry}
	} else {
		made.Project = &WorkshopPart{ID: draft.Project}
	}
	planned, err := s.Seats.PlanSeats(ctx, owner, made.request())
	if err != nil {
		return err
	}
	chosen, err := s.Engines.Of(planned.Engine)
	switch {
	case err != nil:
		return err
	case planned.Project.Repository.Private:
		return fault.InvalidField("body.entry", "The repository is private, and those who take seats couldn't read it. Make it public at its code host, and publish its entry.")
	case !chosen.KeepsWarm():
		return fault.InvalidField("body.engine", "The engine %s can't keep sessions ready before people come, so no workshop is held there.", fault.Quote(chosen.Label))
	case made.Network == NoNetwork && !chosen.Local:
		return fault.InvalidField("body.network", "On the engine %s, sessions can't be kept from the network. Choose internet.", fault.Quote(chosen.Label))
	}
	made.Engine, made.Profile, made.holdsName = planned.Engine, planned.Source.Profile, planned.Project.Name
	made.holdsType = ""
	switch {
	case made.Project != nil:
	case planned.Resource != nil:
		made.holdsType = planned.Resource.Type
	default:
		made.holdsType = catalog.Repository
	}
	return nil
}

// fillTimes checks when a workshop is.
func (w *Workshop) fillTimes(now time.Time, draft WorkshopDraft) error {
	if _, err := time.LoadLocation(draft.Timezone); err != nil || draft.Timezone == "" || draft.Timezone == "Local" {
		invalid := fault.InvalidField("body.timezone", "There is no time zone %s. Write it like Europe/Berlin.", fault.Quote(draft.Timezone))
		invalid.Code = fault.TimezoneUnknown
		return invalid
	}
	switch {
	case draft.StartsAt.IsZero():
		return fault.InvalidField("body.startsAt", "Say when the workshop starts.")
	case !draft.EndsAt.After(draft.StartsAt):
		return fault.InvalidField("body.endsAt", "The workshop must end after it starts.")
	case !draft.EndsAt.After(now):
		return fault.InvalidField("body.endsAt", "That is over already. Choose a day to come.")
	case draft.EndsAt.Sub(draft.StartsAt) > longest:
		return fault.InvalidField("body.endsAt", "A workshop lasts a week at most.")
	case draft.StartsAt.Sub(now) > aheadMax:
		return fault.InvalidField("body.startsAt", "That is more than two years ahead.")
	}
	w.StartsAt, w.EndsAt, w.Timezone = draft.StartsAt.UTC().Truncate(time.Second), draft.EndsAt.UTC().Truncate(time.Second), draft.Timezone
	return nil
}

// fillHosts checks who hosts a workshop besides its owner.
func (w *Workshop) fillHosts(emails []string) error {
	hosts := []string{}
	for _, email := range emails {
		email = identity.NormalizeEmail(email)
		switch {
		case !identity.ValidEmail(email):
			return fault.InvalidField("body.hosts", "%s isn't an e-mail address, such as ada@example.org.", fault.Quote(email))
		case email != w.Owner && !slices.Contains(hosts, email):
			hosts = append(hosts, email)
		}
	}
	slices.Sort(hosts)
	w.Hosts = hosts
	return nil
}

// save stores a workshop and what it reserves, if the machine carries that beside what is reserved already.
func (s *Service) save(ctx context.Context, made Workshop, isNew bool) error {
	chosen, err := s.Engines.Of(made.Engine)
	if err != nil {
		return err
	}
	size, known := chosen.Profile(made.Profile)
	if !known {
		return sizes.ErrGone
	}
	hold := sessions.Reservation{
		Workshop: made.ID, Engine: made.Engine, Places: place(s.PlaceBytes).of(size, made.Seats.Total), Sessions: made.Seats.Total, Together: chosen.StartsTogether(),
		From: made.StartsAt.Add(-warmBefore), Until: made.EndsAt,
	}
	if !made.openedAt.IsZero() && made.openedAt.Before(hold.From) {
		hold.From = made.openedAt
	}
	check := s.roomFor(chosen, made, hold.From, func(fits int) error {
		return fault.New(fault.NoRoom, "At that time this server can carry %d of %d seats at this size. Take fewer seats, a smaller size, or another time.", fits, made.Seats.Total)
	})
	err = s.store.put(ctx, made, hold, isNew, check)
	if err == nil {
		s.changed()
	}
	return err
}

// freeOf returns how many places of a capacity a workshop can have between two times, when others have reserved some. A tenth is never
// reserved, so that everybody else can work too.
func freeOf(capacity int, others []sessions.Reservation, from, until time.Time) int {
	kept := (capacity + 9) / 10
	if capacity == 1 {
		kept = 0
	}
	return max(0, capacity-kept-sessions.PeakPlaces(others, from, until))
}

// place is the memory in bytes that a place of the capacity stands for; 0: unknown.
type place int64

// of returns how many places so many seats of a size take. A session takes one, whatever its size, but small ones share it.
func (p place) of(size sizes.Profile, seats int) int {
	if memory := size.Limits.MemoryBytes; memory > 0 && memory < int64(p) {
		return int((int64(seats)*memory + int64(p) - 1) / int64(p))
	}
	return seats
}

// seatsIn returns how many seats of a size there are in so many places.
func (p place) seatsIn(size sizes.Profile, places int) int {
	if memory := size.Limits.MemoryBytes; memory > 0 && memory < int64(p) {
		return int(int64(places) * int64(p) / memory)
	}
	return places
}

// Room is what this server can carry at some time.
type Room struct {
	Seats    int        `json:"seats" doc:"How many were asked for"`
	Fits     int        `json:"fits" doc:"How many of them it carries at the chosen size; -1: no limit is known"`
	Capacity int        `json:"capacity" doc:"The places of this machine; 0: no limit is known"`
	Free     int        `json:"free" doc:"Those that are free in that time"`
	Places   int        `json:"places" doc:"Those that the seats take, in every hour of the workshop"`
	Sizes    []RoomSize `json:"sizes" nullable:"false"`
}

// RoomSize is a size that a workshop can have.
type RoomSize struct {
	Engine      string `json:"engine"`
	EngineLabel string `json:"engineLabel"`
	Profile     string `json:"profile"`
	Label       string `json:"label"`
	MemoryBytes int64  `json:"memoryBytes,omitempty"`
	Fits        int    `json:"fits" doc:"How many seats of it this server carries; -1: no limit is known"`
}

// RoomQuery says for what there should be room.
type RoomQuery struct {
	Engine, Profile  string
	StartsAt, EndsAt time.Time
	Seats            int
	Except           string // a workshop whose reservation doesn't count
}

// Room returns what this server can carry at some time.
func (s *Service) Room(ctx context.Context, query RoomQuery) (Room, error) {
	caller, err := s.mayHost(ctx)
	if err != nil {
		return Room{}, err
	}
	if !query.EndsAt.After(query.StartsAt) {
		return Room{}, fault.InvalidField("query.endsAt", "The workshop must end after it starts.")
	}
	from := query.StartsAt.Add(-warmBefore)
	found := Room{Seats: query.Seats, Sizes: []RoomSize{}}
	chosen := -1
	for _, engine := range s.Engines.All {
		if !engine.KeepsWarm() {
			continue
		}
		names, capacity := s.Engines.Sharing(engine)
		others, err := s.store.reserved(ctx, names, from, query.EndsAt)
		if err != nil {
			return Room{}, err
		}
		others = slices.DeleteFunc(others, func(other sessions.Reservation) bool { return other.Workshop == query.Except })
		free := freeOf(capacity, others, from, query.EndsAt)
		for _, size := range engine.Offered(caller) {
			one := RoomSize{Engine: engine.Name, EngineLabel: engine.Label, Profile: size.Name, Label: size.Label, MemoryBytes: size.Limits.MemoryBytes, Fits: -1}
			if capacity > 0 {
				one.Fits = place(s.PlaceBytes).seatsIn(size, free)
			}
			if chosen < 0 && (query.Engine == "" || query.Engine == engine.Name) && (query.Profile == "" || query.Profile == size.Name) {
				chosen = len(found.Sizes)
				found.Capacity, found.Free, found.Fits, found.Places = capacity, free, one.Fits, place(s.PlaceBytes).of(size, query.Seats)
			}
			found.Sizes = append(found.Sizes, one)
		}
	}
	if chosen < 0 {
		return Room{}, fault.InvalidField("query.profile", "There is no such size for workshops on this server.")
	}
	return found, nil
}

// extend moves the end of a workshop to the one that it has now, if the machine carries it until then.
func (s *Service) extend(ctx context.Context, longer Workshop) error {
	if longer.EndsAt.Sub(longer.StartsAt) > longest {
		return fault.InvalidField("body.minutes", "A workshop lasts a week at most.")
	}
	chosen, err := s.Engines.Of(longer.Engine)
	if err != nil {
		return err
	}
	from := s.Now()
	if begins := longer.StartsAt.Add(-warmBefore); longer.openedAt.IsZero() && begins.After(from) {
		from = begins
	}
	return s.store.moveEnd(ctx, longer, longer.EndsAt, false, s.roomFor(chosen, longer, from, func(int) error {
		return fault.New(fault.NoRoom, "Another workshop has reserved that time, so this one can't go on for so long.")
	}))
}

// openNow opens a workshop, if the machine carries it from now on.
func (s *Service) openNow(ctx context.Context, about Workshop) error {
	if about.EndsAt.Sub(s.Now()) > longest {
		return fault.New(fault.Conflict, "It ends more than a week from now, and a workshop lasts a week at most. Open it later, or change its day.")
	}
	chosen, err := s.Engines.Of(about.Engine)
	if err != nil {
		return err
	}
	return s.store.open(ctx, about, s.roomFor(chosen, about, s.Now(), func(int) error {
		return fault.New(fault.NoRoom, "Another workshop has reserved this server until then, so this one can't be opened before its time.")
	}))
}

// roomFor returns a check of whether the machine carries a workshop from a time on until its end, with what to say if it doesn't.
func (s *Service) roomFor(on sizes.Engine, about Workshop, from time.Time, otherwise func(fits int) error) roomCheck {
	names, capacity := s.Engines.Sharing(on)
	size, _ := on.Profile(about.Profile)
	return roomCheck{engines: names, from: from, until: about.EndsAt, except: about.ID, decide: func(others []sessions.Reservation) error {
		if capacity == 0 {
			return nil
		}
		if fits := place(s.PlaceBytes).seatsIn(size, freeOf(capacity, others, from, about.EndsAt)); fits < about.Seats.Total {
			return otherwise(fits)
		}
		return nil
	}}
}
