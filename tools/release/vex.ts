/** What the maintainers decided about vulnerabilities of the parts, as documents of the release: CycloneDX 1.6 and OpenVEX 0.2.0. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExportedThing, VexVerdict } from '../../server/src/formats/vex/export.ts'
import {
  AS_CYCLONEDX,
  type OpenVexJustification,
  type VexAssessment,
} from '../../server/src/formats/vex/vocabulary.ts'
import { STATES } from '../../server/src/formats/vex/write-cyclonedx.ts'
import { writeVex } from '../../server/src/formats/vex/write-vex.ts'
import { writeMetadata, SCHEMA } from './cyclonedx.ts'
import { type Inventory, deriveUuid } from './inventory.ts'

/** One reason, for all the vulnerabilities of a part that it holds for. */
export interface Decision {
  purl: string
  vulnerabilities: string[]
  assessment: VexAssessment
  /** Of what is not affected. */
  justification?: OpenVexJustification
  /** Why it is so; of what is exploitable, what users can do. */
  detail: string
}

export function readDecisions(
  inventory: Inventory,
  text = readFileSync(join(import.meta.dirname, 'vex.json'), 'utf8'),
): Decision[] {
  const decisions = JSON.parse(text) as Decision[]
  const decided = new Set<string>()
  for (const { purl, vulnerabilities, assessment, justification } of decisions) {
    if (!inventory.parts.some((part) => part.purl === purl))
      throw new Error(`vex.json: ${purl} is no part of the release. Decide anew about what is.`)
    if ((assessment === 'NotAffected') !== (justification !== undefined))
      throw new Error(
        `vex.json: ${purl}: a justification goes with NotAffected, and with nothing else`,
      )
    for (const id of vulnerabilities) {
      if (decided.has(`${id} ${purl}`))
        throw new Error(`vex.json: ${id} of ${purl} is decided twice`)
      decided.add(`${id} ${purl}`)
    }
  }
  return decisions
}

/** It refers to the release's SBOM by BOM-Links. */
export function writeCycloneDxVex(inventory: Inventory, decisions: readonly Decision[]): object {
  const bom = `urn:cdx:${inventory.uuid}/1`
  return {
    $schema: SCHEMA,
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: writeMetadata(inventory),
    vulnerabilities: decisions.flatMap(
      ({ purl, vulnerabilities, assessment, justification, detail }) =>
        vulnerabilities.map((id) => ({
          id,
          analysis: {
            state: STATES[assessment],
            ...(justification !== undefined && { justification: AS_CYCLONEDX[justification] }),
            detail,
          },
          affects: [{ ref: `${bom}#${encodeURIComponent(purl)}` }],
        })),
    ),
  }
}

/** For scanners that know no BOM-Links. */
export function writeOpenVex(inventory: Inventory, decisions: readonly Decision[]): object {
  const { version, instant, purl, uuid, parts } = inventory
  const things = new Map(parts.map((part) => [part.purl, thingOf(part)]))
  const verdicts = decisions.flatMap((decision) =>
    decision.vulnerabilities.map((vulnerability): VexVerdict => ({
      vulnerability,
      title: undefined,
      components: [things.get(decision.purl) ?? []].flat(),
      assessment: decision.assessment,
      justification: decision.justification,
      detail: decision.detail,
      responses: [],
      statedAt: instant,
      received: undefined,
    })),
  )
  return writeVex('openvex', {
    id: deriveUuid(JSON.stringify([uuid, decisions])),
    publisher: {
      name: 'Plimsoll',
      namespace: 'https://plimsoll.invalid',
      category: 'vendor',
      contact: undefined,
    },
    statedAt: instant,
    tool: { name: 'plimsoll-release', version },
    product: thingOf({ purl, name: 'plimsoll', version }),
    verdicts,
  })
}

function thingOf(part: {
  purl: string
  name: string
  version: string
  cpe?: string
}): ExportedThing {
  const { purl, name, version, cpe } = part
  return { ref: purl, name, version, purl, cpe }
}
