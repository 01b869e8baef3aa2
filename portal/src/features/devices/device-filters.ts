/** The list of devices in the words of its address: `?show=silent&tag=lab&text=gx4`. */
import type { DeviceFilter as ApiFilter } from '@plimsoll/api-client'
import { listWorst } from '../../components/exposure/exposure-rows.ts'
import type { DevicesSearch } from '../../searches.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

type Worst = NonNullable<ApiFilter['worst']>

export interface DeviceFilter {
  connected?: boolean
  neverSeen?: boolean
  blindSpot?: boolean
  blindSpotKinds?: NonNullable<ApiFilter['blindSpotKinds']>
  imageHashes?: string[]
  vulnerable?: boolean
  exploited?: boolean
  inCohort?: boolean
  lastSeenBefore?: string
  cohortIds?: string[]
  firmwareIds?: string[]
  firmwareVersionIds?: string[]
  cveIds?: string[]
  worst?: Worst
  marks?: NonNullable<ApiFilter['marks']>
  keyRotation?: NonNullable<ApiFilter['keyRotation']>
  ownKey?: boolean
  ownKeyMadeBefore?: string
  tags?: string[]
  text?: string
}

/** The kinds of blind spots that these views show; the view `unknown` shows all. */
export const BLIND_KINDS = {
  unregistered: ['UnknownVersion'],
  otherImage: ['UnknownImage', 'OtherImage', 'NotAHash'],
} as const

const SHOWN: Record<NonNullable<DevicesSearch['show']>, (now: Date) => DeviceFilter> = {
  connected: () => ({ connected: true }),
  silent: (now) => ({
    connected: false,
    lastSeenBefore: new Date(startOfHour(now) - 7 * DAY).toISOString(),
  }),
  never: () => ({ neverSeen: true }),
  unknown: () => ({ blindSpot: true }),
  unregistered: () => ({ blindSpotKinds: [...BLIND_KINDS.unregistered] }),
  otherImage: () => ({ blindSpotKinds: [...BLIND_KINDS.otherImage] }),
  unjudged: () => ({ worst: ['NotJudged'] }),
  vulnerable: () => ({ vulnerable: true }),
  exploited: () => ({ exploited: true }),
  loose: () => ({ inCohort: false }),
}

/** As the service counts them: the week begins at a full hour, and the same view asks the same. */
const startOfHour = (at: Date) => Math.floor(at.getTime() / HOUR) * HOUR

function readKeys({ rotation, key }: DevicesSearch, now: Date): DeviceFilter {
  const age = key === undefined || key === 'none' ? undefined : Number(key) * DAY
  return {
    ...(rotation !== undefined && { keyRotation: [rotation] }),
    ...(key === 'none' && { ownKey: false }),
    ...(age !== undefined && {
      ownKeyMadeBefore: new Date(startOfHour(now) - age).toISOString(),
    }),
  }
}

export function readFilter(search: DevicesSearch, now: Date): DeviceFilter {
  const { show, cohort, firmware, version, cve, worst, mark, tag, text, image } = search
  return {
    ...(show !== undefined && SHOWN[show](now)),
    ...(cohort !== undefined && { cohortIds: [cohort] }),
    ...(firmware !== undefined && { firmwareIds: [firmware] }),
    ...(version !== undefined && { firmwareVersionIds: [version] }),
    ...(cve !== undefined && { cveIds: [cve] }),
    ...(worst !== undefined && { worst: [...listWorst(worst)] }),
    ...(mark !== undefined && { marks: [mark] }),
    ...readKeys(search, now),
    ...(image !== undefined && { imageHashes: [image] }),
    ...(tag !== undefined && { tags: [tag] }),
    ...(text !== undefined && { text }),
  }
}
