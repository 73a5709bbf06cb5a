package jupyterhub

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/front"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/engine/requirements"
)

// How long the hub may take to begin a request: longer than a launch may go on without progress.
const (
	permitLife   = 5 * time.Minute
	permitMargin = 2 * time.Minute
)

// limited returns the limits of a session of a size.
func limited(standard Limits, size engine.Profile) Limits {
	return Limits{Memory: cmp.Or(size.Memory, standard.Memory), CPU: cmp.Or(size.CPU, standard.CPU), Disk: cmp.Or(size.Disk, standard.Disk)}
}

// Limits are the session's limits; zero: the hub's operators decide.
type Limits = agentapi.Limits

// signer signs what is sent to the hub's hook, and recognizes it.
type signer struct {
	token       string
	dataRoot    string
	limits      Limits        // of each session
	descriptors []string      // names of the file in a repository that may list packages
	timeout     time.Duration // of a launch
	front       front.Options // what sessions have beside Jupyter
	now         func() time.Time
}

func newSigner(options Options) signer {
	return signer{
		options.Token, options.DataRoot, options.Limits, options.Descriptors, options.LaunchTimeout,
		front.Options{VSCode: options.VSCode, Gallery: options.ExtensionGallery, SSH: options.SSH},
		options.Now,
	}
}

// permit returns the user options of a launch.
func (s signer) permit(r record) (map[string]string, error) {
	asked := agentapi.Permit{
		Session: r.Spec.ID, Owner: r.user(), Launch: r.Launch, Until: s.now().Add(max(permitLife, s.timeout+permitMargin)).Unix(),
		Datasets: []agentapi.Dataset{}, Limits: limited(s.limits, r.Spec.Profile),
		Files: requirements.FileNames(s.descriptors), Open: r.Spec.Open, Notebook: r.Spec.Notebook.Name,
	}
	asked.Environment = r.Spec.Repository.URL != ""
	asked.Person, asked.From, asked.Descriptors = r.Spec.Owner, r.Spec.From, s.descriptors
	asked.VSCode, asked.Gallery, asked.SSH = s.front.VSCode, s.front.Gallery, s.front.SSH
	if batch := r.Spec.Batch; batch != nil {
		asked.Batch = &agentapi.Batch{Network: batch.Network}
	}
	wanted := agentapi.Repository{URL: r.Spec.Repository.URL, Folder: r.Spec.Repository.Folder, Ref: r.Spec.Repository.Ref, Private: r.Spec.Repository.Private}
	if wanted.Ref == "" {
		asked.Repository = wanted
	} else {
		asked.Checkout = &wanted
	}
	if size := r.Spec.Profile; size.Name != "" {
		asked.Profile = &agentapi.Profile{Name: size.Name, GPUs: size.GPUs, Image: size.Image}
	}
	for _, dataset := range r.Spec.Datasets {
		asked.Datasets = append(asked.Datasets, s.reference(dataset))
	}
	return s.seal(asked)
}

// packageList say which packages a launch installs; signed like a permit, whose place they can't take because of their kind.
type packageList struct {
	Kind     string   `json:"kind"`
	Session  string   `json:"session"`
	Owner    string   `json:"owner"`
	Launch   int64    `json:"launch"`
	Until    int64    `json:"until"`
	Packages []string `json:"packages"` // lines for pip
}

// seal signs what is sent to the hub's hook.
func (s signer) seal(asked any) (map[string]string, error) {
	text, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	return map[string]string{"cairn": string(text), "signature": sign(s.token, text)}, nil
}

// signed returns the permit of a server and its launch; false if we didn't sign it.
func (s signer) signed(options map[string]any) (spec engine.Spec, launch int64, ours bool) {
	if inner, nested := options["user_options"].(map[string]any); nested {
		options = inner
	}
	text, _ := options["cairn"].(string)
	signature, _ := options["signature"].(string)
	var asked agentapi.Permit
	if !hmac.Equal([]byte(sign(s.token, []byte(text))), []byte(signature)) || json.Unmarshal([]byte(text), &asked) != nil {
		return spec, 0, false
	}
	asked.Repository = asked.Wanted()
	spec = engine.Spec{
		ID: asked.Session, Owner: asked.WorkOwner(), From: asked.From, Open: asked.Open, Notebook: engine.Notebook{Name: asked.Notebook},
		Repository: engine.Repository{URL: asked.Repository.URL, Folder: asked.Repository.Folder, Ref: asked.Repository.Ref, Private: asked.Repository.Private},
	}
	if batch := asked.Batch; batch != nil {
		spec.Batch = &engine.Batch{Network: batch.Network}
	}
	if size := asked.Profile; size != nil {
		spec.Profile = engine.Profile{Name: size.Name, Memory: asked.Limits.Memory, CPU: asked.Limits.CPU, Disk: asked.Limits.Disk, GPUs: size.GPUs, Image: size.Image}
	}
	for _, ref := range asked.Datasets {
		dataset := engine.Dataset{ID: ref.ID, Name: ref.Name, Folder: ref.Folder, URL: ref.URL, Unavailable: ref.Unavailable, Files: ref.Files, Key: ref.Key}
		if ref.Path != "" {
			dataset.Path = filepath.Join(s.dataRoot, ref.Path)
		}
		spec.Datasets = append(spec.Datasets, dataset)
	}
	return spec, asked.Launch, true
}

// sign returns the signature of a text. The token itself isn't the key of anything else. The name in the key is part of
// the protocol with the hooks that operators have installed.
func sign(token string, text []byte) string {
	digest := func(key, content []byte) []byte {
		mac := hmac.New(sha256.New, key)
		mac.Write(content)
		return mac.Sum(nil)
	}
	return hex.EncodeToString(digest(digest([]byte(token), []byte("cairn grant 1")), text))
}

// reference returns a dataset's path below the folder that both machines have.
func (s signer) reference(dataset engine.Dataset) agentapi.Dataset {
	named := agentapi.Dataset{ID: dataset.ID, Name: dataset.Name, Folder: dataset.Folder, URL: dataset.URL, Unavailable: dataset.Unavailable, Files: dataset.Files, Key: dataset.Key}
	if dataset.Path == "" {
		return named
	}
	named.Files, named.Key = nil, ""
	root, err := filepath.EvalSymlinks(s.dataRoot)
	if err == nil {
		named.Path, err = filepath.Rel(root, dataset.Path)
	}
	if s.dataRoot == "" || err != nil || named.Path == ".." || strings.HasPrefix(named.Path, "../") {
		named.Path = ""
		if len(dataset.Files) > 0 {
			named.Files, named.Key = dataset.Files, dataset.Key
			return named
		}
		named.Unavailable = "The dataset " + strconv.Quote(dataset.Name) + " isn't available: the hub doesn't have it."
	}
	return named
}
