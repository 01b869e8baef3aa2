/** How people sign in. */
import { DAY_MS, HOUR_MS } from '../formats/instants.ts'
import { type OidcProvider, readOidcProviders } from './oidc-settings.ts'
import type { SettingsReader } from './reader.ts'

export interface PeopleSettings {
  /** A session ends when it is not used for as long. */
  sessionIdleMs: number
  /** A session ends after this time in any case. */
  sessionMs: number
  signsInByPassword: boolean
  signsInByPasskey: boolean
  providers: readonly OidcProvider[]
  /** Only tests change it. */
  passwordCost: PasswordCost
}

/** Parameters of argon2id. */
export interface PasswordCost {
  memoryKibibytes: number
  passes: number
  parallelism: number
}

/** The second setting that OWASP recommends. Raised ones apply to each person at the next sign-in. */
const PASSWORD_COST: PasswordCost = { memoryKibibytes: 19_456, passes: 2, parallelism: 1 }

export function readPeople(reader: SettingsReader): PeopleSettings {
  const people: PeopleSettings = {
    sessionIdleMs:
      reader.integer('PLIMSOLL_SESSION_IDLE_HOURS', 12, { min: 1, max: 8_760 }) * HOUR_MS,
    sessionMs: reader.integer('PLIMSOLL_SESSION_DAYS', 30, { min: 1, max: 365 }) * DAY_MS,
    signsInByPassword: reader.flag('PLIMSOLL_PASSWORD_SIGN_IN', true),
    signsInByPasskey: reader.flag('PLIMSOLL_PASSKEY_SIGN_IN', true),
    providers: readOidcProviders(reader),
    passwordCost: PASSWORD_COST,
  }
  const { signsInByPassword, signsInByPasskey, providers } = people
  if (!signsInByPassword && !signsInByPasskey && providers.length === 0)
    reader.faults.push(
      'Nobody can sign in: switch PLIMSOLL_PASSWORD_SIGN_IN on, or set PLIMSOLL_OIDC_PROVIDERS.',
    )
  return people
}
