/** The list of devices in the words of its address: `?show=silent&tag=lab&text=gx4`. */
import type { DeviceFilter as ApiFilter } from '@plimsoll/api-client'
import { listWorst } from '../../components/exposure/exposure-rows.ts'
import type { DevicesSearch } from '../../searches.ts'

const DAY = 86_400_000

type Worst = NonNullable<ApiFilter['worst']>

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
  marks?: NonNullable<ApiFilter['marks']>
  tags?: string[]
  text?: string
}

const SHOWN: Record<NonNullable<DevicesSearch['show']>, (now: Date) => DeviceFilter> = {
  connected: () => ({ connected: true }),
  silent: (now) => ({ lastSeenBefore: new Date(now.getTime() - 7 * DAY).toISOString() }),
  never: () => ({ neverSeen: true }),
  unknown: () => ({ blindSpot: true }),
  vulnerable: () => ({ vulnerable: true }),
  loose: () => ({ inCohort: false }),
}

/** Times are whole minutes, so that the same view asks the same. */
export function readFilter(search: DevicesSearch, now: Date): DeviceFilter {
  const minute = new Date(Math.floor(now.getTime() / 60_000) * 60_000)
  const { show, cohort, firmware, version, cve, worst, mark, tag, text } = search
  return {
    ...(show !== undefined && SHOWN[show](minute)),
    ...(cohort !== undefined && { cohortIds: [cohort] }),
    ...(firmware !== undefined && { firmwareIds: [firmware] }),
    ...(version !== undefined && { firmwareVersionIds: [version] }),
    ...(cve !== undefined && { cveIds: [cve] }),
    ...(worst !== undefined && { worst: [...listWorst(worst)] }),
    ...(mark !== undefined && { marks: [mark] }),
    ...(tag !== undefined && { tags: [tag] }),
    ...(text !== undefined && { text }),
  }
}
