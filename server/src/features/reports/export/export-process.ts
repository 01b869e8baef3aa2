/** Writes the findings of a firmware version; runs in a process for calculations. */
import type { Calculation } from '../../../platform/calculators.ts'
import { VERSION } from '../../../version.ts'
import { findingsCsv } from './csv.ts'
import { findingsSarif } from './sarif.ts'
import type { WriteFindings } from './service.ts'
import * as store from './store.ts'

export const calculate: Calculation<WriteFindings> = async ({ db, write }, asked) => {
  const { workspaceId, version, format } = asked
  const key = { workspaceId, firmwareVersionId: version.firmwareVersionId }
  const texts = store.inOneSnapshot(db, (tx) =>
    format === 'csv'
      ? findingsCsv(store.readFindings(tx, key), version)
      : findingsSarif({
          version,
          release: VERSION,
          vulnerabilities: () => store.readVulnerabilities(tx, key),
          findings: () => store.readFindings(tx, key),
        }),
  )
  for await (const text of texts) await write(text)
}
