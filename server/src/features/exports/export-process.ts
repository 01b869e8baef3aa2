/** Writes the findings of a firmware version; runs in a process for calculations. */
import type { Calculation } from '../../platform/calculators.ts'
import { VERSION } from '../../version.ts'
import { writeFindingsCsv } from './csv.ts'
import { writeFindingsSarif } from './sarif.ts'
import type { WriteFindings } from './service.ts'
import { describeOutcome, readVersionOutcomes } from '../ssvc/index.ts'
import { readOwnersOfVersion } from '../owners/index.ts'
import type { Tx } from '../../platform/db/connect.ts'
import * as store from './store.ts'

export const calculate: Calculation<WriteFindings> = async ({ db, write }, asked) => {
  const { workspaceId, version, format } = asked
  const key = { workspaceId, firmwareVersionId: version.firmwareVersionId }
  const texts = store.readInOneSnapshot(db, (tx) =>
    format === 'csv'
      ? writeFindingsCsv(readDecided(tx, key), version)
      : writeFindingsSarif({
          version,
          release: VERSION,
          vulnerabilities: (most) => store.readVulnerabilities(tx, key, most),
          findings: () => readDecided(tx, key),
        }),
  )
  for await (const text of texts) await write(text)
}

/** Findings with what SSVC decides for them, and whom they belong to, in the same snapshot. */
export async function* readDecided(
  tx: Tx,
  version: { workspaceId: string; firmwareVersionId: string },
): AsyncGenerator<store.DecidedFinding> {
  const { decide } = await readVersionOutcomes(tx, version)
  const findOwner = await readOwnersOfVersion(tx, version)
  for await (const finding of store.readFindings(tx, version))
    yield { ...finding, ssvcOutcome: describeOutcome(decide(finding)), owner: findOwner(finding) }
}
