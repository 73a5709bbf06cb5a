package workshops

import (
	"context"
	"net/http"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/sessions/shares"

	"github.com/danielgtaylor/huma/v2"
)

type (
	idInput struct {
		ID string `path:"id"`
	}
	seatInput struct {
		ID   string `path:"id"`
		Seat int    `path:"seat" minimum:"1"`
	}
	workshopOutput struct {
		CacheControl string `header:"Cache-Control"`
		Body         Workshop
	}
	workshopsOutput struct{ Body []Workshop }
	roomOutput      struct{ Body Room }
	doneOutput      struct{ Body bool }
	messageOutput   struct{ Body Message }
	handoutOutput   struct{ Body Handout }
	requestOutput   struct{ Body shares.Request }
	reportOutput    struct{ Body Report }
	heldOutput      struct{ Body []Held }
)

var tags = []string{"Workshops"}

// Routes registers the operations on workshops.
func (s *Service) Routes(api *httpapi.API) {
	prepareRoutes(api, s)
	hostRoutes(api, s)
	seatRoutes(api, s)
	boardRoutes(api, s)
	joinRoutes(api, s)
}

func prepareRoutes(api *httpapi.API, s *Service) {
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "prepare-workshop", Method: http.MethodPost, Path: "/workshops", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary: "Prepare a workshop", Description: "For those whom operators named as hosts, and operators. 409 no_room if this server can't carry it at that time.",
	}, func(ctx context.Context, input *struct{ Body WorkshopDraft }) (*workshopOutput, error) {
		made, err := s.Create(ctx, input.Body)
		return &workshopOutput{"no-store", made}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-workshops", Method: http.MethodGet, Path: "/workshops", Tags: tags, Summary: "The workshops that the caller hosts",
	}, func(ctx context.Context, _ *struct{}) (*workshopsOutput, error) {
		found, err := s.List(ctx)
		return &workshopsOutput{found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-room", Method: http.MethodGet, Path: "/workshops/room", Tags: tags, Summary: "What this server can carry at some time",
	}, func(ctx context.Context, input *struct {
		Engine   string    `query:"engine" maxLength:"100"`
		Profile  string    `query:"profile" maxLength:"100"`
		StartsAt time.Time `query:"startsAt" required:"true"`
		EndsAt   time.Time `query:"endsAt" required:"true"`
		Seats    int       `query:"seats" minimum:"1" maximum:"500" default:"1"`
		Except   string    `query:"except" maxLength:"100" doc:"The id of a workshop that is being changed"`
	},
	) (*roomOutput, error) {
		found, err := s.Room(ctx, RoomQuery{input.Engine, input.Profile, input.StartsAt, input.EndsAt, input.Seats, input.Except})
		return &roomOutput{found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-workshop", Method: http.MethodGet, Path: "/workshops/{id}", Tags: tags, Summary: "A workshop, for its hosts",
	}, func(ctx context.Context, input *idInput) (*workshopOutput, error) {
		found, err := s.Get(ctx, input.ID)
		return &workshopOutput{"no-store", found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "change-workshop", Method: http.MethodPatch, Path: "/workshops/{id}", Tags: tags, Summary: "Change a workshop",
		Description: "Fields that are absent stay as they are.",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body Changes
	},
	) (*workshopOutput, error) {
		changed, err := s.Change(ctx, input.ID, input.Body)
		return &workshopOutput{"no-store", changed}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "delete-workshop", Method: http.MethodDelete, Path: "/workshops/{id}", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Delete a workshop that isn't open", Description: "With its report and the work of its guests.",
	}, func(ctx context.Context, input *idInput) (*doneOutput, error) {
		return &doneOutput{true}, s.Delete(ctx, input.ID)
	})
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "list-workshops-of-events", Method: http.MethodGet, Path: "/workshops/of-events", Tags: tags, Summary: "The workshops that took place as part of an event, the last first",
	}, func(ctx context.Context, _ *struct{}) (*heldOutput, error) {
		found, err := s.OfEvents(ctx)
		return &heldOutput{found}, err
	})
}

func hostRoutes(api *httpapi.API, s *Service) {
	act := func(id, path, summary, description string, do func(ctx context.Context, id string) (Workshop, error)) {
		httpapi.Register(api, httpapi.SignedIn, huma.Operation{
			OperationID: id, Method: http.MethodPost, Path: "/workshops/{id}/" + path, Tags: tags, DefaultStatus: http.StatusOK, Summary: summary, Description: description,
		}, func(ctx context.Context, input *idInput) (*workshopOutput, error) {
			found, err := do(ctx, input.ID)
			return &workshopOutput{"no-store", found}, err
		})
	}
	act("open-workshop", "open", "Let people join before the time", "", func(ctx context.Context, id string) (Workshop, error) { return s.Open(ctx, id) })
	act("renew-workshop", "code", "Replace the address and the code", "Those from before lead nowhere. Seats stay.", func(ctx context.Context, id string) (Workshop, error) { return s.Renew(ctx, id) })
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "extend-workshop", Method: http.MethodPost, Path: "/workshops/{id}/extend", Tags: tags, DefaultStatus: http.StatusOK, Summary: "Give a workshop more time",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body struct {
			Minutes int `json:"minutes" minimum:"1" maximum:"720"`
		}
	},
	) (*workshopOutput, error) {
		found, err := s.Extend(ctx, input.ID, input.Body.Minutes)
		return &workshopOutput{"no-store", found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "end-workshop", Method: http.MethodPost, Path: "/workshops/{id}/end", Tags: tags, DefaultStatus: http.StatusOK, Summary: "End a workshop",
		Description: "Its sessions stop after the notice, and their work is kept.",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body *struct {
			Notice string `json:"notice,omitempty" maxLength:"20" doc:"A duration such as 2m, which is meant if it is absent; 0s: at once"`
		}
	},
	) (*workshopOutput, error) {
		notice := 2 * time.Minute
		if input.Body != nil && input.Body.Notice != "" {
			var err error
			if notice, err = time.ParseDuration(input.Body.Notice); err != nil {
				return nil, fault.InvalidField("body.notice", "%s isn't a duration. Write it like 2m or 30s.", fault.Quote(input.Body.Notice))
			}
		}
		found, err := s.End(ctx, input.ID, notice)
		return &workshopOutput{"no-store", found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "tell-workshop", Method: http.MethodPost, Path: "/workshops/{id}/messages", Tags: tags, DefaultStatus: http.StatusCreated, Summary: "Show a sentence in the pages of all seats",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body struct {
			Text string `json:"text" maxLength:"4000" doc:"1 to 500 characters"`
		}
	},
	) (*messageOutput, error) {
		made, err := s.Tell(ctx, input.ID, input.Body.Text)
		return &messageOutput{made}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "hand-out", Method: http.MethodPost, Path: "/workshops/{id}/handouts", Tags: tags, DefaultStatus: http.StatusCreated, MaxBodyBytes: 16 << 20,
		Summary:     "Hand out a file, or the files of a newer commit",
		Description: "They are laid beside what people changed, never over it, and their pages say where.",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body HandingOut
	},
	) (*handoutOutput, error) {
		made, err := s.HandOut(ctx, input.ID, input.Body)
		return &handoutOutput{made}, err
	})
}

func seatRoutes(api *httpapi.API, s *Service) {
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "free-seat", Method: http.MethodDelete, Path: "/workshops/{id}/seats/{seat}", Tags: tags, DefaultStatus: http.StatusOK, Summary: "Free a seat",
		Description: "Its session ends. The work stays with whoever had it.",
	}, func(ctx context.Context, input *seatInput) (*doneOutput, error) {
		return &doneOutput{true}, s.FreeSeat(ctx, input.ID, input.Seat)
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "raise-hand", Method: http.MethodPost, Path: "/workshops/{id}/seats/{seat}/hand", Tags: tags, DefaultStatus: http.StatusOK, Summary: "Raise the hand, by whoever has the seat",
	}, func(ctx context.Context, input *seatInput) (*doneOutput, error) {
		return &doneOutput{true}, s.SetHand(ctx, input.ID, input.Seat, true)
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "lower-hand", Method: http.MethodDelete, Path: "/workshops/{id}/seats/{seat}/hand", Tags: tags, DefaultStatus: http.StatusOK, Summary: "Lower the hand, by whoever has the seat, or a host",
	}, func(ctx context.Context, input *seatInput) (*doneOutput, error) {
		return &doneOutput{true}, s.SetHand(ctx, input.ID, input.Seat, false)
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "ask-seat", Method: http.MethodPost, Path: "/workshops/{id}/seats/{seat}/requests", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary: "Ask whoever has a seat to let the host in", Description: "They answer in their session's page, as with other requests about sessions.",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Seat int    `path:"seat" minimum:"1"`
		Body struct {
			Can shares.Level `json:"can" enum:"see,edit"`
		}
	},
	) (*requestOutput, error) {
		made, err := s.AskSeat(ctx, input.ID, input.Seat, input.Body.Can)
		return &requestOutput{made}, err
	})
}
