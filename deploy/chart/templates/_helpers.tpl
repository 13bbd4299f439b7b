{{- define "services-stack.labels" -}}
app.kubernetes.io/name: services-stack
{{- end }}

{{- define "services-stack.image" -}}
{{- with .Values.image }}
{{- if .digest }}
{{- .repository }}@{{ .digest }}
{{- else }}
{{- .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The subjects of all bindings: the service account of the process. */}}
{{- define "services-stack.subjects" -}}
- kind: ServiceAccount
  namespace: {{ .Release.Namespace | quote }}
  name: {{ .Values.serviceAccount.name | quote }}
{{- end }}
