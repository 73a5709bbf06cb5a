{{- define "cairn.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 63 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "cairn.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "cairn.labels" -}}
{{ include "cairn.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "cairn.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (ternary (include "cairn.name" .) "default" .Values.serviceAccount.create) }}
{{- end }}

{{- /* What the server reads: the given configuration, and what follows from the chart. */}}
{{- define "cairn.config" -}}
{{- $own := dict
  "listen" "0.0.0.0:8080"
  "session_listen" "0.0.0.0:8081"
  "public_url" (printf "https://%s" .Values.publicHost)
  "session_url" (printf "https://{kind}-{id}.%s" .Values.sessionHost)
  "trusted_proxies" .Values.trustedProxies
  "shutdown" (dict "notice" (printf "%ds" (int .Values.shutdownNotice)))
}}
{{- if .Values.siteConfigMap }}{{ $_ := set $own "site" "/etc/cairn-site/site.yaml" }}{{ end }}
{{- toYaml (merge $own (deepCopy .Values.config)) }}
{{- end }}

{{- define "cairn.agentName" -}}
{{- printf "%s-agent" (include "cairn.name" . | trunc 57 | trimSuffix "-") }}
{{- end }}

{{- /* Its name differs from that of cairn.selector, so that nothing of the catalog's selects the agent's pod. */}}
{{- define "cairn.agentSelector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}-agent
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "cairn.agentLabels" -}}
{{ include "cairn.agentSelector" . }}
app.kubernetes.io/version: {{ .Values.agent.image.tag | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}
