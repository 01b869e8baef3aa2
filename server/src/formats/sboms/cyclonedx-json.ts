import { JSON_PLACES } from './cyclonedx-reading.ts'
import { readCycloneDx } from './cyclonedx.ts'
import type { Draft } from './draft.ts'
import type { JsonObject } from './json-values.ts'

export function readCycloneDxJson(bom: JsonObject, draft: Draft): void {
  if (bom['bomFormat'] === undefined) draft.faults.add('The property bomFormat is missing')
  readCycloneDx(bom, draft, JSON_PLACES)
}
