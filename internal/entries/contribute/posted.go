package contribute

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// seen returns the descriptor that the caller saw: the one that is read, or the one under another name. It returns Conflict if it is neither.
func (s *Service) seen(ctx context.Context, d Descriptor, posted PostedCopy, sync bool) (Descriptor, error) {
	if posted.matches(d) {
		return d, nil
	}
	for _, name := range s.DescriptorNames {
		if name == d.File {
			continue
		}
		if other, err := s.pull(ctx, d.RepositoryURL, []string{name}, sync); err == nil && posted.matches(other) {
			return other, nil
		}
	}
	return Descriptor{}, fault.New(fault.DescriptorChanged, "The descriptor changed. Pull it again.")
}

// decide applies what the caller decided about a descriptor that lacks something. It returns who added it if that isn't
// one of the authors.
func (d *Descriptor) decide(email string, posted NewRepository) (addedBy string, err error) {
	if slices.Contains(d.Missing, "privacy") {
		if posted.Privacy == nil || folded(*posted.Privacy) != "public" {
			return "", d.lacking(d.privacy, email)
		}
		d.Privacy = catalog.PrivacyPublic
	}
	switch {
	case len(d.Authors) == 0 && posted.AddAs != "adder":
		return "", d.withoutAddress("No author has an e-mail address.", email)
	case len(d.Authors) == 0:
		return email, nil
	case slices.Contains(d.Authors, email):
		return "", nil
	}
	place, line := d.lineForAuthor(email)
	refused := fault.New(fault.NotAuthor, "You (%s) aren't listed as an author in %s. Add this line to it, %s, then pull it again: %s",
		email, d.File, place, strings.TrimSpace(line))
	refused.Fields = []fault.Field{{Location: place, Message: line}}
	refused.Draft = d.withAuthor(d.from, email)
	return "", refused
}

// lacking refuses a descriptor that lacks what the caller didn't decide.
func (d *Descriptor) lacking(what fault.Field, email string) *fault.Fault {
	faults := []fault.Field{what}
	refused := descriptorFault(d.File, faults)
	refused.Draft = draftOf(d.from, d.content, faults, email)
	return refused
}

// withoutAddress refuses a descriptor in which no author has an address, with the line that adds the caller's.
func (d *Descriptor) withoutAddress(reason, email string) error {
	if len(d.authors.Texts) == 0 {
		location := "authors"
		if d.authors.Line > 0 {
			location = codehost.DescriptorPlace(d.authors.Line, location)
		}
		return d.lacking(fault.Field{Location: location, Message: reason + " Add to project: " + suggestion("authors", d.from, email)}, email)
	}
	place, line := d.lineForAuthor(email)
	refused := d.lacking(fault.Field{
		Location: codehost.DescriptorPlace(d.authors.Line, "authors"),
		Message:  fmt.Sprintf("%s Add one, such as yours %s: %s", reason, place, strings.TrimSpace(line)),
	}, email)
	refused.Draft = d.withAuthor(d.from, email)
	return refused
}

// reading returns the context in which a descriptor's repository is read: as the caller, if it is private.
func (d Descriptor) reading(ctx context.Context) context.Context {
	caller, _ := identity.From(ctx)
	if d.Audience == catalog.AudienceHost {
		return codehost.ReadAs(ctx, caller.AccountID)
	}
	return codehost.AskedBy(ctx, caller.AccountID)
}

// about asks the code host about a repository. Its limit may be used up: then an entry is known by its address alone.
func (s *Service) about(ctx context.Context, repository codehost.Repository) (codehost.About, error) {
	return s.Hosts.About(ctx, repository)
}

// commitTime limits the question for a commit, because people wait for what they add or sync.
const commitTime = 5 * time.Second

// commit asks for the commit of the branch that has the descriptor; "" if the host can't say it now: what the entry says is worth storing
// without it.
func (s *Service) commit(ctx context.Context, d Descriptor) string {
	ctx, cancel := context.WithTimeout(d.reading(ctx), commitTime)
	defer cancel()
	commit, err := s.Hosts.Commit(ctx, d.from.repository, d.Branch)
	if err != nil {
		return ""
	}
	return commit
}

// currentAddress returns the address of a repository under its present name if it was renamed, or where it is cloned if that isn't usual.
func currentAddress(address string, known codehost.Repository, now codehost.About) string {
	switch {
	case now.Address != "":
		return now.Address
	case now.Repository.Name == "" || now.Repository.Same(known):
		return address
	}
	return now.Repository.Address()
}

// matches reports whether the descriptor says what the caller saw, ignoring case, spaces and the order of tags. What the
// descriptor lacks isn't compared.
func (c PostedCopy) matches(d Descriptor) bool {
	same := func(posted *string, now string) bool {
		return posted == nil || foldedScalar(*posted) == foldedScalar(now)
	}
	people := make([]string, len(d.People))
	for i, person := range d.People {
		people[i] = person.Email
		if person.Email == "" {
			people[i] = person.Name
		}
	}
	return same(c.Name, d.Name) && same(c.Description, d.Description) && (d.Privacy == "" || same(c.Privacy, string(d.Privacy))) &&
		(c.Authors == nil || slices.Equal(foldedAll(*c.Authors), foldedTexts(d.Authors)) || slices.Equal(foldedAll(*c.Authors), foldedTexts(people))) &&
		(c.Tags == nil || slices.Equal(sorted(foldedAll(*c.Tags)), sorted(foldedTexts(d.Tags))))
}

func folded(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(text), " "))
}

// foldedScalar is folded, with one spelling for each number: programs read 3.10 and post 3.1.
func foldedScalar(text string) string {
	text = folded(text)
	if number, ok := new(big.Rat).SetString(text); ok && len(text) < 40 && !strings.ContainsAny(text, "/e_xop") {
		return number.RatString()
	}
	return text
}

// foldedAll compares items of any form: people are their addresses, or else their names.
func foldedAll(items []any) []string {
	texts := make([]string, 0, len(items))
	for _, item := range items {
		switch item := item.(type) {
		case nil:
		case map[string]any:
			group := map[string]string{}
			for key, value := range item {
				if text, ok := value.(string); ok {
					group[strings.ToLower(key)] = text
				}
			}
			text := group["email"]
			if text == "" {
				text = group["name"]
			}
			texts = append(texts, text)
		case json.Number:
			texts = append(texts, item.String())
		default:
			texts = append(texts, personText(fmt.Sprint(item)))
		}
	}
	return foldedTexts(texts)
}

// personText is the address in a text such as Ada <ada@example.org>, or the text itself.
func personText(text string) string {
	if mailbox := mailboxPattern.FindStringSubmatch(strings.TrimSpace(text)); mailbox != nil {
		return mailbox[2]
	}
	return text
}

// foldedTexts drops empty and repeated texts, as entries do.
func foldedTexts(texts []string) []string {
	var result []string
	seen := make(map[string]bool, len(texts))
	for _, text := range texts {
		if text = foldedScalar(identity.NormalizeEmail(text)); text != "" && !seen[text] {
			seen[text] = true
			result = append(result, text)
		}
	}
	return result
}

func sorted(texts []string) []string {
	slices.Sort(texts)
	return texts
}
