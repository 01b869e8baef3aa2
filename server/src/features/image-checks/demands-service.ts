/** Which demands of the release gate the images of versions do not meet. */
import { listUnmet } from '../../formats/images/image-demands.ts'
import type { FileDemand, ImageDemand } from '../../formats/gate-rules.ts'
import type { AppContext } from '../../platform/context.ts'
import { IMAGE, isPartRole } from '../artifacts/index.ts'
import { readTrustedKeys } from '../trusted-keys/index.ts'
import { judgeRow } from './service.ts'
import * as store from './store.ts'

export interface UnmetDemand {
  firmwareVersionId: string
  versionName: string
  /** null: the version has no full image. */
  fileName: string | null
  demand: ImageDemand
  detail: string
}

export async function listUnmetDemands(
  ctx: Pick<AppContext, 'db' | 'now'>,
  given: {
    workspaceId: string
    firmwareVersionIds: readonly string[]
    demands: readonly FileDemand[]
  },
): Promise<UnmetDemand[]> {
  const { workspaceId, demands } = given
  const trusted = await readTrustedKeys(ctx.db, workspaceId)
  const rows = await store.listExamined(ctx.db, given)
  const versions = await store.listVersions(ctx.db, given)
  const unmet: UnmetDemand[] = []
  for (const { id: firmwareVersionId, name: versionName, predecessor } of versions) {
    const named = { firmwareVersionId, versionName }
    const leastCounter = predecessor && {
      value: predecessor.securityCounter,
      because: `as the predecessor ${predecessor.name} has`,
    }
    const own = rows.filter((row) => row.firmwareVersionId === firmwareVersionId)
    if (!own.some(({ role }) => role === IMAGE))
      for (const demand of demands) unmet.push({ ...named, fileName: null, demand, detail: NONE })
    for (const row of own) {
      const judged = judgeRow(row, { name: versionName, trusted, now: ctx.now() })
      const { version: statedVersion, securityCounter } = judged.statement
      const image = { ...judged, versionName, statedVersion, securityCounter, leastCounter }
      const asked = isPartRole(row.role) ? demands.filter((one) => OF_PARTS.has(one)) : demands
      for (const { demand, detail } of listUnmet(image, asked))
        unmet.push({ ...named, fileName: row.fileName, demand, detail })
    }
  }
  return unmet
}

/** A boot loader beside the image has a version and a counter of its own. */
const OF_PARTS: ReadonlySet<FileDemand> = new Set(['Signed', 'NoTestKey'])

const NONE = 'The version has no artifact. Upload it first.'
