/** Which demands of the release gate the images of versions do not meet. */
import { type DemandedImage, findUnmet } from '../../formats/images/image-demands.ts'
import type { ImageDemand } from '../../formats/gate-rules.ts'
import type { AppContext } from '../../platform/context.ts'
import { readTrustedKeys } from '../trusted-keys/index.ts'
import { judgeRow } from './service.ts'
import * as store from './store.ts'

export interface UnmetDemand {
  firmwareVersionId: string
  versionName: string
  /** null: the version has no artifact. */
  fileName: string | null
  demand: ImageDemand
  detail: string
}

export async function listUnmetDemands(
  ctx: Pick<AppContext, 'db' | 'now'>,
  asked: {
    workspaceId: string
    firmwareVersionIds: readonly string[]
    demands: readonly ImageDemand[]
  },
): Promise<UnmetDemand[]> {
  const { workspaceId, demands } = asked
  const trusted = await readTrustedKeys(ctx.db, workspaceId)
  const rows = await store.listExamined(ctx.db, asked)
  const versions = await store.listVersions(ctx.db, asked)
  const unmet: UnmetDemand[] = []
  for (const { id: firmwareVersionId, name: versionName, predecessor } of versions) {
    const named = { firmwareVersionId, versionName }
    const own = rows.filter((row) => row.firmwareVersionId === firmwareVersionId)
    if (own.length === 0)
      for (const demand of demands) unmet.push({ ...named, fileName: null, demand, detail: NONE })
    for (const row of own) {
      const judged = judgeRow(row, { name: versionName, trusted, now: ctx.now() })
      const { version: statedVersion, securityCounter } = judged.statement
      const image = { ...judged, versionName, statedVersion, securityCounter, predecessor }
      for (const { demand, detail } of listUnmet(image, demands))
        unmet.push({ ...named, fileName: row.fileName, demand, detail })
    }
  }
  return unmet
}

const listUnmet = (image: DemandedImage, demands: readonly ImageDemand[]) =>
  demands.flatMap((demand) => {
    const detail = findUnmet(image, demand)
    return detail === undefined ? [] : [{ demand, detail }]
  })

const NONE = 'The version has no artifact. Upload it first.'
