/** Settings with which the service starts, but which are probably not meant. */
import { findSimilarNames } from '../formats/similar-names.ts'
import { isLoopbackHost } from '../platform/loopback.ts'
import type { EncryptionKeys } from '../platform/secret-encryption.ts'
import type { BackupSettings } from './backup-settings.ts'
import { areKeysInClear, type HttpPort } from './http-settings.ts'
import { isMqttInClear, type MqttSettings } from './mqtt-settings.ts'
import type { SettingsReader } from './reader.ts'

export interface ConfigWarning {
  code: 'keys-in-clear' | 'mqtt-in-clear' | 'secrets-in-clear' | 'unknown-setting'
  detail: string
}

interface ReadSettings extends HttpPort {
  mqtt: MqttSettings
  databaseUrl: string | undefined
  backups: BackupSettings
  s3: { endpoint?: string | undefined }
  encryptionKeys: EncryptionKeys
}

export function listConfigWarnings(reader: SettingsReader, config: ReadSettings): ConfigWarning[] {
  return [
    ...(areKeysInClear(config) ? [KEYS_IN_CLEAR] : []),
    ...(isMqttInClear(config.mqtt, config) ? [MQTT_IN_CLEAR] : []),
    ...listSecretsInClear(config),
    ...reader.unknownNames().map((name) => unknownSetting(name, reader.known)),
  ]
}

/** Names of variables, and where the database and its backups are, are the operator's business alone. */
export function hideVariableNames({ warnings }: { warnings: readonly ConfigWarning[] }) {
  return warnings.filter(({ code }) => code !== 'unknown-setting' && code !== 'secrets-in-clear')
}

/** Whoever keeps the database, or what leaves this machine of it, can read them. */
export function listSecretsInClear(config: ReadSettings): ConfigWarning[] {
  if (config.encryptionKeys.currentId !== undefined) return []
  const places = [
    ...(isElsewhere(config.databaseUrl) ? ['DATABASE_URL names another host'] : []),
    ...(leavesUnencrypted(config) ? ['backups go unencrypted to a bucket'] : []),
  ]
  if (places.length === 0) return []
  const detail = `Secrets of authenticator apps and webhooks and the signing key are not encrypted, and ${places.join(' and ')}. Set PLIMSOLL_ENCRYPTION_KEY; plimsoll-admin key-encryption create prints a key.`
  return [{ code: 'secrets-in-clear', detail }]
}

function leavesUnencrypted({ backups, s3 }: ReadSettings): boolean {
  if (backups.to?.startsWith('s3://') !== true || backups.encryptTo.length > 0) return false
  return s3.endpoint === undefined || isElsewhere(s3.endpoint)
}

/** A URL without a host, or with a folder in the place of one, is a Unix socket (libpq, section 32.1.1.2). */
function isElsewhere(text: string | undefined): boolean {
  const url = text === undefined ? null : URL.parse(text)
  const host = url?.searchParams.get('host') ?? url?.hostname ?? ''
  return host !== '' && !/^(?:\/|%2f)/i.test(host) && !isLoopbackHost(host)
}

const KEYS_IN_CLEAR: ConfigWarning = {
  code: 'keys-in-clear',
  detail:
    'PLIMSOLL_PUBLIC_URL begins with http: and is not on this machine: API keys, device keys and passwords can be read by others on the way. Set PLIMSOLL_TLS_CERT and PLIMSOLL_TLS_KEY, or put a proxy with TLS in front and set PLIMSOLL_PUBLIC_URL to its https: address.',
}

const MQTT_IN_CLEAR: ConfigWarning = {
  code: 'mqtt-in-clear',
  detail:
    'PLIMSOLL_PUBLIC_URL begins with https:, but MQTT listens without TLS: device keys can be read by others on the way. Set PLIMSOLL_MQTT_TLS_CERT and PLIMSOLL_MQTT_TLS_KEY, and PLIMSOLL_MQTT_PORT=off; behind a balancer that ends TLS set PLIMSOLL_MQTT_HOST=127.0.0.1 where it is on this machine; without devices by MQTT set PLIMSOLL_MQTT_PORT=off.',
}

const PREFIX = 'PLIMSOLL_'
const withoutPrefix = (name: string) => name.slice(PREFIX.length)

function unknownSetting(name: string, known: ReadonlySet<string>): ConfigWarning {
  const names = [...known].filter((one) => one.startsWith(PREFIX)).map(withoutPrefix)
  const [similar] = findSimilarNames(withoutPrefix(name), names, 1)
  const hint = similar === undefined ? '' : ` Did you mean ${PREFIX}${similar}?`
  return { code: 'unknown-setting', detail: `${name} is set, but is not a setting.${hint}` }
}
