/** In which contexts versions stand: by what is stated of products and cohorts, and by the devices that run each. */
import type { Db } from '../../platform/db/connect.ts'
import { findMax } from '../../formats/extremes.ts'
import { encodeContexts } from '../../formats/ssvc/classes.ts'
import { POINTS } from '../../formats/ssvc/points.ts'
import type { SsvcCommand } from './schemas.ts'
import { readSettings, toRow } from './service.ts'
import * as store from './store.ts'

const EXPOSURE_KEYS = POINTS.exposure.values.map(({ key }) => key)

export interface VersionContexts {
  firmwareVersionId: string
  /** In `workspace_versions`. */
  number: number
  contexts: bigint
}

type Inputs = Pick<store.SettingsRow, 'products' | 'exposures' | 'manyDevices'>

/** In which contexts each version stands now. */
export async function listVersionContexts(db: Db, workspaceId: string): Promise<VersionContexts[]> {
  const settings = await readSettings(db, workspaceId)
  const fleet = await readFleet(db, workspaceId, [settings])
  return computeContexts(fleet, settings)
}

/** In which contexts each version stands now, and would by other settings: the devices are read once. */
export async function compareContexts(db: Db, workspaceId: string, command: SsvcCommand) {
  const [now, then] = [await readSettings(db, workspaceId), toRow(command)]
  const fleet = await readFleet(db, workspaceId, [now, then])
  return { before: computeContexts(fleet, now), after: computeContexts(fleet, then) }
}

interface Fleet {
  versions: store.FleetVersion[]
  cohorts: ReadonlyMap<string, readonly (string | null)[]>
}

/** Cohorts are looked up only where one of the settings has an exposure. */
async function readFleet(db: Db, workspaceId: string, settings: readonly Inputs[]): Promise<Fleet> {
  const versions = await store.listFleetVersions(db, workspaceId)
  const isExposed =
    settings.some(({ exposures }) => Object.keys(exposures).length > 0) &&
    versions.some(({ devices }) => devices > 0)
  const cohorts = isExposed ? await store.listVersionCohorts(db, workspaceId) : new Map()
  return { versions, cohorts }
}

function computeContexts(
  { versions, cohorts }: Fleet,
  { products, exposures, manyDevices }: Inputs,
): VersionContexts[] {
  return versions.map(({ firmwareVersionId, firmwareId, number, devices }) => {
    const product = products[firmwareId]
    const contexts = encodeContexts({
      missionPrevalence: product?.missionPrevalence ?? undefined,
      publicWellBeing: product?.publicWellBeing ?? undefined,
      exposure: findWorst(cohorts.get(firmwareVersionId) ?? [], exposures),
      prevalence: devices === 0 ? 'N' : devices < manyDevices ? 'F' : 'M',
    })
    return { firmwareVersionId, number, contexts }
  })
}

/** The worst exposure of the cohorts; undefined: that of one of them is not known. */
function findWorst(
  cohortIds: readonly (string | null)[],
  exposures: Inputs['exposures'],
): string | undefined {
  const places = cohortIds.map((id) =>
    EXPOSURE_KEYS.findIndex((key) => key === exposures[id ?? '']),
  )
  return places.includes(-1) ? undefined : EXPOSURE_KEYS[findMax(places)]
}
