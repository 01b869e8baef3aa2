/** What SPDX 2 states, of JSON and tag-value alike. */
import type { Hash } from '../sboms/model.ts'
import {
  type ComponentFact,
  isTimestamp,
  isUri,
  noteText,
  type StatedFacts,
} from './stated-facts.ts'

/** `Organization: name (e-mail)` (SPDX 2.3, sections 6.8 and 7.5). */
const EMAIL_IN_AGENT = /\(\s*(\S+@\S+\.\S+)\s*\)\s*$/
const PERSON = /^(?:Person|Organization):\s*\S/i
const TOOL = /^Tool:\s*\S/i
const NOTHING = /^NONE$/i

export interface StatedPackage {
  name: string | undefined
  version: string | undefined
  supplier: string | undefined
  originator: string | undefined
  downloadLocation: string | undefined
  fileName: string | undefined
  concludedLicense: string | undefined
  declaredLicense: string | undefined
  hashes: readonly Hash[]
  purl: string | undefined
  cpes: readonly string[]
  /** It has an identifier of another kind: SWID, SWHID, gitoid. */
  hasOtherIdentifier: boolean
}

export function noteSpdx2Package(
  spdxPackage: StatedPackage,
  facts: StatedFacts,
  node: number,
): void {
  const note = (fact: ComponentFact, text: string | undefined) => {
    noteText(facts, node, { fact, text })
  }
  const { supplier, originator, hashes, downloadLocation } = spdxPackage
  note('name', spdxPackage.name)
  note('version', spdxPackage.version)
  note('producer', supplier)
  note('producer', originator)
  // The originator is said where it is not the supplier (section 7.6).
  note('creatorContact', EMAIL_IN_AGENT.exec(originator ?? supplier ?? '')?.[1])
  for (const text of [spdxPackage.purl, ...spdxPackage.cpes]) note('identifier', text)
  if (spdxPackage.hasOtherIdentifier) note('identifier', 'other')
  for (const { algorithm, value } of hashes) {
    note('hash', value)
    if (!/^SHA-?512$/i.test(algorithm)) continue
    note('sha512', value)
    note('deployableHash', value)
  }
  const { concludedLicense, declaredLicense } = spdxPackage
  note('licence', concludedLicense)
  note('licence', declaredLicense)
  note('concludedLicence', concludedLicense)
  note('declaredLicence', declaredLicense)
  note('fileName', spdxPackage.fileName)
  if (!NOTHING.test(downloadLocation ?? '')) note('deployableUri', downloadLocation)
}

export interface Spdx2Creation {
  created: string | undefined
  creators: readonly string[]
  namespace: string | undefined
}

export function noteSpdx2Document(
  { created, creators, namespace }: Spdx2Creation,
  { ofDocument }: StatedFacts,
): void {
  if (isTimestamp(created)) ofDocument.add('timestamp')
  if (isUri(namespace)) ofDocument.add('uri')
  for (const creator of creators) {
    if (TOOL.test(creator)) ofDocument.add('tool')
    if (!PERSON.test(creator)) continue
    ofDocument.add('author')
    if (EMAIL_IN_AGENT.test(creator)) ofDocument.add('authorContact')
  }
}
