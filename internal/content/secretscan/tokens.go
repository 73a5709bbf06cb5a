package secretscan

// form is what tokens of a service look like: a beginning, and then from least to most characters.
type form struct {
	host, prefix string
	letters      *alphabet
	least, most  int
}

// forms are of services whose tokens can be known by how they begin. Those of Zenodo, Gitea and Weights & Biases can't.
var forms = []form{
	{"anthropic", "sk-ant-", urlSafe, 60, 200},
	{"atlassian", "ATATT3", urlSafe, 100, 300},
	{"aws", "AKIA", upperOrDigit, 16, 16},
	{"aws", "ASIA", upperOrDigit, 16, 16},
	{"databricks", "dapi", hex, 32, 32},
	{"digitalocean", "dop_v1_", hex, 64, 64},
	{"docker", "dckr_pat_", urlSafe, 24, 60},
	{"figma", "figd_", urlSafe, 38, 60},
	{"github", "ghp_", alphanumeric, 36, 251},
	{"github", "gho_", alphanumeric, 36, 251},
	{"github", "ghu_", alphanumeric, 36, 251},
	{"github", "ghs_", alphanumeric, 36, 251},
	{"github", "ghr_", alphanumeric, 36, 251},
	{"github", "github_pat_", urlSafe, 60, 251},
	{"gitlab", "glpat-", dotted, 20, 300},
	{"gitlab", "gldt-", dotted, 20, 300},
	{"gitlab", "glrt-", dotted, 20, 300},
	{"gitlab", "glcbt-", dotted, 20, 300},
	{"gitlab", "glptt-", dotted, 20, 300},
	{"google", "AIza", urlSafe, 35, 35},
	{"google", "GOCSPX-", urlSafe, 28, 28},
	{"google", "ya29.", dotted, 60, 2000},
	{"grafana", "glsa_", urlSafe, 40, 60},
	{"groq", "gsk_", alphanumeric, 40, 80},
	{"huggingface", "hf_", alphanumeric, 34, 40},
	{"kaggle", "KGAT_", hex, 32, 32},
	{"npm", "npm_", alphanumeric, 36, 36},
	{"notion", "ntn_", alphanumeric, 40, 60},
	{"openai", "sk-proj-", urlSafe, 40, 300},
	{"openai", "sk-svcacct-", urlSafe, 40, 300},
	{"openai", "sk-", alphanumeric, 48, 48}, // names of styles in outputs of scikit-learn begin with sk- too, and have hyphens
	{"openrouter", "sk-or-v1-", hex, 64, 64},
	{"pypi", "pypi-AgE", urlSafe, 50, 1000},
	{"replicate", "r8_", alphanumeric, 37, 37},
	{"rubygems", "rubygems_", hex, 48, 48},
	{"sendgrid", "SG.", dotted, 60, 80},
	{"slack", "xoxb-", urlSafe, 24, 255},
	{"slack", "xoxp-", urlSafe, 24, 255},
	{"slack", "xoxa-", urlSafe, 24, 255},
	{"slack", "xapp-", urlSafe, 24, 255},
	{"slack", "hooks.slack.com/services/", slashed, 36, 100},
	{"stripe", "sk_live_", alphanumeric, 20, 255},
	{"stripe", "rk_live_", alphanumeric, 20, 255},
	{"vault", "hvs.", urlSafe, 60, 300},
	{"wandb", "wandb_v1_", urlSafe, 40, 200},
}

// match reports whether a token of this form begins at a place where its prefix was found.
func (f form) match(text []byte, at int) bool {
	if !startsWord(text, at) && f.letters != slashed {
		return false
	}
	body := run(text[at+len(f.prefix):], f.letters, f.most+1)
	return len(body) >= f.least && len(body) <= f.most && entropy(body) >= 3 && !isPlaceholder(body)
}

// startsWord reports whether no word goes on at a place, so that words in which tokens are looked for don't overlap. In JSON that
// wasn't unescaped, the n of \n is no letter.
func startsWord(text []byte, at int) bool {
	return at == 0 || !dotted[text[at-1]] || at > 1 && text[at-2] == '\\'
}
