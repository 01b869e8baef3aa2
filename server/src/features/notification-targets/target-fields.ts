/** Checks the fields of a target beyond what the schema checks. */
import { findNameFault } from '../../formats/one-line-name.ts'
import type { FieldError } from '../../platform/errors.ts'
import { type Digest, isTimeZone, type QuietHours } from '../notifications/index.ts'
import { type EmailAddress, readEmailAddress } from './email-address.ts'

export interface WrittenTarget {
  name: string
  emailAddresses: readonly string[]
  quietHours: QuietHours | null
  digest: Digest | null
}

/** The addresses of the target, and all faults of its fields. */
export function readTarget(target: WrittenTarget): {
  addresses: EmailAddress[]
  faults: FieldError[]
} {
  const { addresses, faults } = readAddresses(target.emailAddresses)
  const others = [
    ...faultsOfName(target.name),
    ...faultsOfQuietHours(target.quietHours),
    ...faultsOfDigest(target.digest),
  ]
  return { addresses, faults: [...others, ...faults] }
}

function readAddresses(written: readonly string[]) {
  const addresses: EmailAddress[] = []
  const faults: FieldError[] = []
  const places = new Map<string, number>()
  for (const [place, text] of written.entries()) {
    const pointer = `/emailAddresses/${place}`
    const read = readEmailAddress(text)
    if ('fault' in read) {
      faults.push({ pointer, detail: `The address ${read.fault}.` })
      continue
    }
    const first = places.get(read.address)
    if (first === undefined) places.set(read.address, place)
    else for (const each of duplicate(`/emailAddresses/${first}`, pointer)) faults.push(each)
    addresses.push(read)
  }
  return { addresses, faults }
}

function duplicate(first: string, second: string): FieldError[] {
  const same = (pointer: string, other: string) => ({
    pointer,
    detail: `The address is the same as ${other}: the case of letters does not matter.`,
  })
  return [same(first, second), same(second, first)]
}

function faultsOfName(name: string): FieldError[] {
  const detail = findNameFault(name)
  return detail === undefined ? [] : [{ pointer: '/name', detail }]
}

function faultsOfQuietHours(hours: QuietHours | null): FieldError[] {
  if (!hours) return []
  const faults = faultsOfTimeZone(hours.timeZone, '/quietHours/timeZone')
  if (hours.from !== hours.to) return faults
  const detail =
    'The quiet hours end at the time they begin. To stop all mail, set the state to Disabled.'
  return [...faults, { pointer: '/quietHours/to', detail }]
}

function faultsOfDigest(digest: Digest | null): FieldError[] {
  if (!digest) return []
  const { every, at, timeZone } = digest
  if (every === '1d')
    return timeZone === undefined ? [] : faultsOfTimeZone(timeZone, '/digest/timeZone')
  const given = Object.entries({ at, timeZone }).filter(([, value]) => value !== undefined)
  return given.map(([field]) => ({
    pointer: `/digest/${field}`,
    detail: `An hourly digest has no ${field}.`,
  }))
}

function faultsOfTimeZone(timeZone: string, pointer: string): FieldError[] {
  if (isTimeZone(timeZone)) return []
  const shown = JSON.stringify(timeZone)
  return [
    { pointer, detail: `${shown} is not a time zone of the IANA database, such as Europe/Berlin.` },
  ]
}
