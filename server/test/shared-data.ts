/** The folder of real SBOMs, advisories and conformance vectors, which are too large and varied in licence to ship. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, it } from 'vitest'

const folder = resolve(import.meta.dirname, '../../../shared/data')

export const sharedData = existsSync(folder) ? folder : undefined

if (sharedData === undefined && process.env['PLIMSOLL_REQUIRE_SHARED_DATA'] === '1')
  throw new Error(`The shared test data is required but absent: ${folder}`)

/** A suite over the shared data; skipped, saying so, where that folder is absent. */
export function describeWithSharedData(name: string, suite: (folder: string) => void): void {
  if (sharedData === undefined) {
    // The suite may read files to define its tests.
    it.skip(`${name} (skipped: ../shared/data is absent)`)
    return
  }
  describe(name, () => suite(sharedData))
}
