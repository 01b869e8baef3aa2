/** Judges single components of several firmwares, each by the rules that hold for it. */
import { judgeLicence, type LicenceOutcome } from '../../formats/licences/licence-rules.ts'
import { combineLicences } from '../../formats/licences/stated-licence.ts'
import { UNMATCHED_SCOPES } from '../../formats/sboms/model.ts'
import type { Db } from '../../platform/db/connect.ts'
import { startPauses } from '../../platform/pauses.ts'
import { type ChosenVersions, listLicencesOfVersions } from './kept-store.ts'
import * as store from './store.ts'

interface StatedComponent extends store.FirmwareLicences {
  /** As the document says: components for building and for tests are not judged, as they do not ship. */
  scope: string | null
}

/** null: the component does not ship, or there are no rules. Each expression is judged once. */
type LicenceJudge = (component: StatedComponent) => LicenceOutcome | null

export async function readLicenceJudge(
  db: Db,
  input: { workspaceId: string; firmwareIds: readonly string[] },
): Promise<LicenceJudge> {
  const rules = await store.listRules(db, input)
  const known = new Map<string, LicenceOutcome>()
  return ({ firmwareId, licenses, isSpdx, scope }) => {
    const held = rules.get(firmwareId) ?? rules.get(null)
    if (!held || UNMATCHED_SCOPES.some((one) => one === scope)) return null
    const licence = combineLicences(licenses, isSpdx)
    const key = JSON.stringify([rules.has(firmwareId) ? firmwareId : null, licence ?? null])
    const outcome = known.get(key) ?? judgeLicence(licence, held).outcome
    known.set(key, outcome)
    return outcome
  }
}

/** What components of the versions state that is judged so. */
export async function listLicencesOfOutcomes(
  db: Db,
  { outcomes, ...versions }: ChosenVersions & { outcomes: readonly LicenceOutcome[] },
): Promise<store.FirmwareLicences[]> {
  const { workspaceId } = versions
  const stated = await listLicencesOfVersions(db, versions)
  const firmwareIds = [...new Set(stated.map(({ firmwareId }) => firmwareId))]
  const judge = await readLicenceJudge(db, { workspaceId, firmwareIds })
  const pause = startPauses()
  const found: store.FirmwareLicences[] = []
  for (const one of stated) {
    await pause()
    const outcome = judge({ ...one, scope: null })
    if (outcome !== null && outcomes.includes(outcome)) found.push(one)
  }
  return found
}
