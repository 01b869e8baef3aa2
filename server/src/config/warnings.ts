/** Settings with which the service starts, but which are probably not meant. */
import { findSimilarNames } from '../formats/similar-names.ts'
import { areKeysInClear, type HttpPort } from './http-settings.ts'
import { isMqttInClear, type MqttSettings } from './mqtt-settings.ts'
import type { SettingsReader } from './reader.ts'

export interface ConfigWarning {
  code: 'keys-in-clear' | 'mqtt-in-clear' | 'unknown-setting'
  detail: string
}

export function listConfigWarnings(
  reader: SettingsReader,
  { http, mqtt }: { http: HttpPort; mqtt: MqttSettings },
): ConfigWarning[] {
  return [
    ...(areKeysInClear(http) ? [KEYS_IN_CLEAR] : []),
    ...(isMqttInClear(mqtt, http) ? [MQTT_IN_CLEAR] : []),
    ...reader.unknownNames().map((name) => unknownSetting(name, reader.known)),
  ]
}

/** Names of variables are the operator's business alone. */
export function hideVariableNames({ warnings }: { warnings: readonly ConfigWarning[] }) {
  return warnings.filter(({ code }) => code !== 'unknown-setting')
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
