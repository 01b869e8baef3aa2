/** Settings with which the service starts, but which are probably not meant. */
import { similarNames } from '../formats/similar-names.ts'
import { areKeysInClear, type HttpPort } from './http-settings.ts'
import type { SettingsReader } from './reader.ts'

export interface ConfigWarning {
  code: 'keys-in-clear' | 'unknown-setting'
  detail: string
}

export function warningsOf(reader: SettingsReader, http: HttpPort): ConfigWarning[] {
  const unknown = reader.unknownNames().map((name) => unknownSetting(name, reader.known))
  return areKeysInClear(http) ? [KEYS_IN_CLEAR, ...unknown] : unknown
}

/** Names of variables are the operator's business alone. */
export function warningsForOwners({ warnings }: { warnings: readonly ConfigWarning[] }) {
  return warnings.filter(({ code }) => code === 'keys-in-clear')
}

const KEYS_IN_CLEAR: ConfigWarning = {
  code: 'keys-in-clear',
  detail:
    'PLIMSOLL_PUBLIC_URL begins with http: and is not on this machine: API keys, device keys and passwords can be read by others on the way. Set PLIMSOLL_TLS_CERT and PLIMSOLL_TLS_KEY, or put a proxy with TLS in front and set PLIMSOLL_PUBLIC_URL to its https: address.',
}

const PREFIX = 'PLIMSOLL_'
const withoutPrefix = (name: string) => name.slice(PREFIX.length)

function unknownSetting(name: string, known: ReadonlySet<string>): ConfigWarning {
  const names = [...known].filter((one) => one.startsWith(PREFIX)).map(withoutPrefix)
  const [similar] = similarNames(withoutPrefix(name), names, 1)
  const hint = similar === undefined ? '' : ` Did you mean ${PREFIX}${similar}?`
  return { code: 'unknown-setting', detail: `${name} is set, but is not a setting.${hint}` }
}
