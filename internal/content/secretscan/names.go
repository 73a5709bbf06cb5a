package secretscan

import (
	"path"
	"slices"
	"strings"
)

// skippedFolders have what others published, or what a program recreates.
var skippedFolders = []string{
	"node_modules", "bower_components", "site-packages", "__pycache__", ".venv", "venv", "virtualenv", ".virtualenv", ".tox", ".nox", ".conda",
}

// isSkipped reports whether a path is inside a folder that isn't looked at.
func isSkipped(name string) bool {
	folders := strings.Split(strings.ToLower(name), "/")
	return slices.ContainsFunc(folders[:len(folders)-1], func(folder string) bool { return slices.Contains(skippedFolders, folder) })
}

// opaqueExtensions are of pictures, sounds, films, fonts, packed files and lock files: secrets in them, if any, can't be told from noise.
var opaqueExtensions = strings.Fields(`.png .jpg .jpeg .gif .webp .avif .bmp .tif .tiff .ico .svg .psd .eps .mp3 .wav .ogg .flac .mp4 .mov .avi .mkv
	.webm .woff .woff2 .ttf .otf .eot .pdf .zip .gz .bz2 .xz .zst .7z .rar .tgz .whl .lock .p12 .pfx .jks .keystore .kdbx`)

var lockFiles = []string{
	"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "conda-lock.yml", "go.sum", "manifest.toml", ".terraform.lock.hcl", "renv.lock",
}

// isOpaque reports whether a file isn't read.
func isOpaque(name string) bool {
	base := strings.ToLower(path.Base(name))
	return slices.Contains(opaqueExtensions, path.Ext(base)) || slices.Contains(lockFiles, base)
}

func isNotebook(name string) bool { return strings.EqualFold(path.Ext(name), ".ipynb") }

// credentialsFiles are where programs keep what they sign in with, as glob patterns of names in lower case.
var credentialsFiles = strings.Fields(`.netrc _netrc .pypirc .git-credentials credentials credentials.json credentials.toml kaggle.json .pgpass .my.cnf
	.htpasswd .dockercfg .s3cfg .boto rclone.conf kubeconfig .cdsapirc .ecmwfapirc .zenodo_token .vault_pass secrets.toml secrets.yml
	secrets.yaml secrets.json client_secret*.json service_account*.json service-account*.json application_default_credentials.json`)

var keyFiles = strings.Fields(`id_rsa* id_dsa* id_ecdsa* id_ed25519* *.p12 *.pfx *.jks *.keystore *.ppk *.kdbx`)

var envFiles = strings.Fields(`.env .env.* *.env .envrc .renviron`)

// patternEndings are of files that show what a real one looks like.
var patternEndings = strings.Fields(`.example .sample .template .dist .defaults .default .tmpl .tpl .schema`)

// kindOfName is what a file's name alone says; "" if it says nothing.
func kindOfName(name string) Kind {
	base := strings.ToLower(path.Base(name))
	is := func(pattern string) bool {
		matches, err := path.Match(pattern, base)
		return err == nil && matches
	}
	switch {
	case slices.Contains(patternEndings, path.Ext(base)), slices.Contains(patternEndings, path.Ext(strings.TrimSuffix(base, ".env"))):
		return ""
	case slices.ContainsFunc(keyFiles, is) && path.Ext(base) != ".pub":
		return PrivateKey
	case slices.ContainsFunc(credentialsFiles, is):
		return CredentialsFile
	case slices.ContainsFunc(envFiles, is):
		return EnvFile
	}
	return ""
}
