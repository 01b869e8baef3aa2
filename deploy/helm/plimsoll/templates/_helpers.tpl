{{- define "plimsoll.image" -}}
{{- $image := .Values.image -}}
{{- $tag := default .Chart.AppVersion $image.tag -}}
{{ $image.repository }}:{{ $tag }}{{ with $image.digest }}@{{ . }}{{ end }}
{{- end }}

{{- define "plimsoll.selector" -}}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "plimsoll.labels" -}}
app.kubernetes.io/name: plimsoll
{{ include "plimsoll.selector" . }}
{{- end }}

{{/* Each name once: settingsFrom, then settings, then what the chart knows itself. */}}
{{- define "plimsoll.environment" -}}
{{- $values := .root.Values -}}
{{- $mqtt := $values.mqtt -}}
{{- $texts := dict "PLIMSOLL_PUBLIC_URL" $values.publicUrl "PLIMSOLL_MANAGEMENT_HOST" "0.0.0.0" "PLIMSOLL_DRAIN_SECONDS" "5" -}}
{{- if not (and $mqtt.enabled $mqtt.plain) }}{{ $_ := set $texts "PLIMSOLL_MQTT_PORT" "off" }}{{ end -}}
{{- if eq (include "plimsoll.hasMqttTls" .) "true" -}}
{{- $_ := set $texts "PLIMSOLL_MQTT_TLS_CERT_FILE" "/etc/plimsoll/mqtt-tls/tls.crt" -}}
{{- $_ := set $texts "PLIMSOLL_MQTT_TLS_KEY_FILE" "/etc/plimsoll/mqtt-tls/tls.key" -}}
{{- end -}}
{{- with $values.trustedProxies }}{{ $_ := set $texts "PLIMSOLL_TRUST_PROXY" (join "," .) }}{{ end -}}
{{- range $name, $value := $values.settings -}}
{{- if hasKey $values.settingsFrom $name }}{{ fail (printf "%s is in settings and in settingsFrom; keep it in one of them." $name) }}{{ end -}}
{{- $_ := set $texts $name $value -}}
{{- end -}}
{{- $entries := list -}}
{{- range $name, $value := $texts -}}
{{- if not (hasKey $values.settingsFrom $name) }}{{ $entries = append $entries (dict "name" $name "value" (toString $value)) }}{{ end -}}
{{- end -}}
{{- range $name, $source := $values.settingsFrom -}}
{{- $entries = append $entries (dict "name" $name "valueFrom" $source) -}}
{{- end -}}
{{ toYaml $entries }}
{{- end }}

{{/* What the pods of the roles and of the migration share. */}}
{{- define "plimsoll.pod" -}}
automountServiceAccountToken: false
# Else Kubernetes sets PLIMSOLL_MQTT_PORT and the like for the services: addresses in place of settings.
enableServiceLinks: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
volumes:
  - name: scratch
    emptyDir: { sizeLimit: {{ .root.Values.scratch.sizeLimit | quote }} }
  {{- if eq (include "plimsoll.hasMqttTls" .) "true" }}
  - name: mqtt-tls
    secret: { secretName: {{ .root.Values.mqtt.tls.secret }}, defaultMode: 0440 }
  {{- end }}
  {{- with .root.Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "plimsoll.container" -}}
image: {{ include "plimsoll.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
env: {{- include "plimsoll.environment" . | nindent 2 }}
{{- with .root.Values.existingSecret }}
envFrom:
  - secretRef: { name: {{ . }} }
{{- end }}
volumeMounts:
  - { name: scratch, mountPath: /tmp, subPath: tmp }
  - { name: scratch, mountPath: /data, subPath: data }
  {{- if eq (include "plimsoll.hasMqttTls" .) "true" }}
  - { name: mqtt-tls, mountPath: /etc/plimsoll/mqtt-tls, readOnly: true }
  {{- end }}
  {{- with .root.Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "plimsoll.hasMqttTls" -}}
{{- $mqtt := .root.Values.mqtt -}}
{{ and $mqtt.enabled $mqtt.tls.enabled (eq .role "gateway") }}
{{- end }}
