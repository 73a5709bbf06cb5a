package app

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/sessions/shares"
	"cairn/internal/sessions/sizes"
	"cairn/internal/site"

	"github.com/danielgtaylor/huma/v2"
)

// PublicConfig is the configuration that the page needs before anybody signs in. It contains no secrets.
type PublicConfig struct {
	Product         string         `json:"product"`
	Tagline         string         `json:"tagline"`
	Version         string         `json:"version"`
	Demo            bool           `json:"demo"`
	DescriptorNames []string       `json:"descriptorNames" doc:"The first is the one that people are told"`
	OIDC            PublicOIDC     `json:"oidc"`
	Workflow        WorkflowConfig `json:"workflow"`
	Sessions        PublicSessions `json:"sessions"`
	Accounts        PublicAccounts `json:"accounts"`
	Sharing         PublicSharing  `json:"sharing"`
	Runs            bool           `json:"runs" doc:"Whether this server runs entries to see whether they still run"`
	Site            *site.Site     `json:"site"`
}

// PublicOIDC says where and how to sign in.
type PublicOIDC struct {
	Issuer          string            `json:"issuer" format:"uri"`
	DiscoveryURL    string            `json:"discoveryUrl" format:"uri"`
	ClientID        string            `json:"clientId"`
	Scope           string            `json:"scope"`
	Prompt          string            `json:"prompt"`
	ExtraParams     map[string]string `json:"extraParams"`
	InstitutionHint *HintConfig       `json:"institutionHint,omitempty"`
}

// HintConfig is the parameter of the sign-in request that names the institution.
type HintConfig struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// WorkflowConfig is the platform to which models link.
type WorkflowConfig struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// PublicSessions says which sessions are possible.
type PublicSessions struct {
	Kinds   []SessionKind `json:"kinds" doc:"The engines; the first is the default"`
	Limit   int           `json:"limit" doc:"Sessions that one account may have running or starting"`
	Network string        `json:"network"`
	URL     string        `json:"url" doc:"Template of the session origin"`
	// Undelete is how long deleted sessions can be undeleted.
	Undelete int `json:"undelete,omitempty" doc:"For how many seconds deleted sessions can be undeleted; absent: forever"`
}

// PublicSharing says how sessions can be shared.
type PublicSharing struct {
	HelpDesk bool              `json:"helpDesk" doc:"Whether owners of sessions can ask for help"`
	Links    shares.LinkPolicy `json:"links" enum:"signed_in,anyone,none" doc:"For whom links to sessions work"`
}

// SessionKind is an engine as users choose it.
type SessionKind struct {
	Name      string `json:"name"`
	Label     string `json:"label"`
	Available bool   `json:"available"`
	Reason    string `json:"reason" doc:"Why it is not available, for a person"`

	Languages  []KernelLanguage  `json:"languages" doc:"The programming languages in which notebooks run there, by the kernels that are installed"`
	Can        []sizes.Ability   `json:"can" enum:"archives,datasets,environments,runs,ssh,undelete,usage,versions,vscode,warm" doc:"What sessions there can have"`
	Interfaces []sizes.Interface `json:"interfaces" enum:"jupyter,vscode" doc:"In which sessions can be opened there; the first is the default"`

	Profiles []sizes.PublicProfile `json:"profiles,omitempty" doc:"The sizes that everyone may choose; the first is the default. Those that the caller may choose: GET /sessions/profiles"`
}

// KernelLanguage is a programming language of notebooks.
type KernelLanguage struct {
	Name  string `json:"name" doc:"As its kernel calls it" example:"R"`
	Label string `json:"label" doc:"The name of the kernel for people"`
}

// PublicAccounts says whom to ask about accounts.
type PublicAccounts struct {
	Contact string `json:"contact"`
}

type publicConfigOutput struct{ Body PublicConfig }

func (p *program) publicConfig(ctx context.Context, content *site.Site) PublicConfig {
	c := p.config
	result := PublicConfig{
		Product: content.Brand.Name, Tagline: content.Brand.Tagline, Version: p.version, Demo: c.Demo,
		DescriptorNames: c.Descriptor.Names, Workflow: WorkflowConfig(c.Workflow), Site: content,
		OIDC: PublicOIDC{
			Issuer: p.issuer, DiscoveryURL: p.issuer + "/.well-known/openid-configuration", ClientID: c.OIDC.ClientID,
			Scope: c.OIDC.Scope, Prompt: c.OIDC.Prompt, ExtraParams: c.OIDC.ExtraParams,
		},
		Sessions: PublicSessions{Kinds: p.kinds.of(ctx, p.engines), Limit: c.Sessions.Limit, Network: c.Sessions.Network, URL: p.sessionURL, Undelete: int(config.Duration(c.Sessions.Undelete).Seconds())},
		Accounts: PublicAccounts{Contact: c.Accounts.Contact},
		Runs:     slices.ContainsFunc(p.engines, sizes.Engine.RunsBatches),
		Sharing:  PublicSharing{HelpDesk: len(p.config.Together.Sharing.HelpDesk) > 0, Links: shares.LinkPolicy(p.config.Together.Sharing.Links)},
	}
	if hint := c.OIDC.InstitutionHint; hint.Name != "" && hint.Value != "" {
		result.OIDC.InstitutionHint = new(HintConfig(hint))
	}
	if result.OIDC.ExtraParams == nil {
		result.OIDC.ExtraParams = map[string]string{}
	}
	return result
}

// kindsKeep is how long it is remembered whether engines can start anything. Every document says it, and finding out takes
// longer than the rest of some documents.
const kindsKeep = time.Second

// sessionKinds are what the engines said last.
type sessionKinds struct {
	sync.Mutex

	asked time.Time
	found []SessionKind
}

func (k *sessionKinds) of(ctx context.Context, engines []sizes.Engine) []SessionKind {
	k.Lock()
	defer k.Unlock()
	if k.found == nil || time.Since(k.asked) > kindsKeep {
		found := []SessionKind{}
		for _, one := range engines {
			found = append(found, sessionKind(context.WithoutCancel(ctx), one)) // others get the answer too
		}
		k.asked, k.found = time.Now(), found
	}
	return slices.Clone(k.found)
}

func sessionKind(ctx context.Context, one sizes.Engine) SessionKind {
	kind := SessionKind{Name: one.Name, Label: one.Label, Available: true, Can: one.Can(), Interfaces: one.Interfaces()}
	for _, kernel := range one.Kernels(ctx) {
		kind.Languages = append(kind.Languages, KernelLanguage{kernel.Language, kernel.Label})
	}
	for _, size := range one.Profiles {
		if size.For.Everyone() {
			kind.Profiles = append(kind.Profiles, size.Public())
		}
	}
	if err := one.Check(ctx); err != nil {
		kind.Available, kind.Reason = false, fault.MessageOf(err)
	}
	return kind
}

// Routes registers the operations about the program itself.
func (p *program) Routes(api *httpapi.API) {
	p.licenseRoutes(api)
	httpapi.Register(api, httpapi.Open, huma.Operation{
		OperationID: "get-config", Method: http.MethodGet, Path: "/config", Tags: []string{"Configuration"},
		Summary: "Settings that a page needs before anyone signs in", Description: "A token is ignored here.",
	}, func(ctx context.Context, _ *struct{}) (*publicConfigOutput, error) {
		return &publicConfigOutput{Body: p.publicConfig(ctx, p.site.Current())}, nil
	})
}

// signInOrigins returns the origins that the page contacts to sign people in.
func (p *program) signInOrigins() []string {
	origins := slices.Clone(p.config.OIDC.Origins)
	if p.config.OIDC.Issuer != "" {
		origins = append(origins, config.OriginOf(p.issuer))
		origins = append(origins, p.discovery.Origins()...)
	}
	slices.Sort(origins)
	return slices.Compact(origins)
}
