/** The list of devices in the words of its address: `?show=silent&tag=lab&text=gx4`. */
import type { BodyOf } from '@plimsoll/api-client'
import { isLayerId, worstOf } from '../../components/exposure/exposure-rows.ts'

const DAY = 86_400_000

export interface DevicesSearch {
  show?: string
  text?: string
  cohort?: string
  firmware?: string
  version?: string
  tag?: string
  cve?: string
  /** The layer of the exposure chart that counts it: `critical`. */
  worst?: string
  sort?: string
}

type Worst = NonNullable<NonNullable<BodyOf<'listDevices'>['filter']>['worst']>

export interface DeviceFilter {
  connected?: boolean
  neverSeen?: boolean
  blindSpot?: boolean
  vulnerable?: boolean
  inCohort?: boolean
  lastSeenBefore?: string
  cohortIds?: string[]
  firmwareIds?: string[]
  firmwareVersionIds?: string[]
  cveIds?: string[]
  worst?: Worst
  tags?: string[]
  text?: string
}

const SHOWN: Record<string, (now: Date) => DeviceFilter> = {
  connected: () => ({ connected: true }),
  silent: (now) => ({ lastSeenBefore: new Date(now.getTime() - 7 * DAY).toISOString() }),
  never: () => ({ neverSeen: true }),
  unknown: () => ({ blindSpot: true }),
  vulnerable: () => ({ vulnerable: true }),
  loose: () => ({ inCohort: false }),
}

/** Times are whole minutes, so that the same view asks the same. */
export function filterOf(search: DevicesSearch, now: Date): DeviceFilter {
  const minute = new Date(Math.floor(now.getTime() / 60_000) * 60_000)
  const { cohort, firmware, version, cve, worst, tag, text = '' } = search
  return {
    ...SHOWN[search.show ?? '']?.(minute),
    ...(cohort !== undefined && { cohortIds: [cohort] }),
    ...(firmware !== undefined && { firmwareIds: [firmware] }),
    ...(version !== undefined && { firmwareVersionIds: [version] }),
    ...(cve !== undefined && { cveIds: [cve] }),
    ...(isLayerId(worst) && { worst: [...worstOf(worst)] }),
    ...(tag !== undefined && { tags: [tag] }),
    ...(text !== '' && { text }),
  }
}

/** What people read of the filters in use, to drop them by. */
export function filtersInUse(search: DevicesSearch): { name: keyof DevicesSearch; text: string }[] {
  const texts: Record<keyof DevicesSearch, string> = {
    show: 'the chip',
    text: `“${search.text ?? ''}”`,
    cohort: 'the cohort',
    firmware: 'the firmware',
    version: 'the version',
    tag: `the tag ${search.tag ?? ''}`,
    cve: search.cve ?? '',
    worst: `worst finding ${search.worst ?? ''}`,
    sort: '',
  }
  const names = Object.keys(texts) as (keyof DevicesSearch)[]
  return names
    .filter((name) => name !== 'sort' && (search[name] ?? '') !== '')
    .map((name) => ({ name, text: texts[name] }))
}
