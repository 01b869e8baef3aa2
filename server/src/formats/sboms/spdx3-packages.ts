/** software_Package and the classes derived from it → components. */
import { noteSpdx3Package } from '../sbom-profiles/stated-in-spdx3.ts'
import { declareComponent } from './document.ts'
import { checkIdentifiers } from './identifiers.ts'
import { isObject, isText, readText, type JsonObject } from './json-values.ts'
import { buildScopeByName } from './scope-by-name.ts'
import { readDeclared } from './spdx-values.ts'
import {
  readElementId,
  readList,
  readReference,
  chooseIdSpace,
  type Spdx3Reading,
} from './spdx3-reading.ts'
import { quote } from './warnings.ts'
import type { Hash } from './model.ts'

export function readPackage(element: JsonObject, reading: Spdx3Reading): void {
  const { draft } = reading
  const id = readElementId(element, reading)
  if (id === undefined)
    draft.faults.add('Package without spdxId', quote(readText(element['name']) ?? ''))
  const place = id ?? 'a package without spdxId'
  const where = () => quote(place)
  const { purls, cpes } = readIdentifiers(element, reading)
  const purl = readDeclared(readText(element['software_packageUrl'])) ?? purls[0]
  checkIdentifiers(purl, cpes, draft.faults, where)
  const name = readDeclared(readText(element['name']))
  if (name === undefined) draft.faults.add('Package without name', where())
  const packageName = name ?? purl ?? cpes[0] ?? place
  noteSpdx3Package(element, reading, draft.components.length)
  const supplier = agentName(element['suppliedBy'], reading)
  const node = declareComponent(
    draft,
    id === undefined ? reading.local : chooseIdSpace(id, reading),
    {
      node: -1,
      ref: id,
      vendor: supplier ?? agentName(element['originatedBy'], reading),
      packageName,
      version: readDeclared(readText(element['software_packageVersion'])),
      purl,
      cpes,
      licenses: [],
      hashes: readHashes(element['verifiedUsing'], reading),
      supplier,
      downloadLocation: readDeclared(readText(element['software_downloadLocation'])),
      scope: buildScopeByName(packageName, purl),
      builtFrom: undefined,
      ...readAddresses(element),
    },
  )
  if (element['software_primaryPurpose'] === 'source') draft.sources.add(node)
}

function readAddresses(element: JsonObject): { addresses?: string[] } {
  const homepage = readDeclared(readText(element['software_homePage']))
  return homepage === undefined ? {} : { addresses: [homepage] }
}

/** Inline or by reference. */
function readIdentifiers(
  element: JsonObject,
  reading: Spdx3Reading,
): { purls: string[]; cpes: string[] } {
  const purls: string[] = []
  const cpes: string[] = []
  if ('externalIdentifiers' in element)
    reading.draft.faults.add(
      'Property "externalIdentifiers", ignored; SPDX knows "externalIdentifier"',
      quote(readElementId(element, reading) ?? ''),
    )
  for (const entry of readList(element['externalIdentifier'])) {
    const identifier = isText(entry) ? reading.byId.get(reading.expand(entry)) : entry
    if (!isObject(identifier)) continue
    const type = identifier['externalIdentifierType']
    const value = readText(identifier['identifier'])
    if (value === undefined) continue
    // microsoft/sbom-tool writes "purl".
    if (type === 'packageUrl' || type === 'purl') purls.push(value)
    else if (type === 'cpe23' || type === 'cpe22') cpes.push(value)
  }
  return { purls, cpes }
}

function agentName(value: unknown, reading: Spdx3Reading): string | undefined {
  for (const agent of readList(value)) {
    const element = isObject(agent) ? agent : reading.byId.get(readReference(agent, reading) ?? '')
    const name = element && readDeclared(readText(element['name']))
    if (name !== undefined) return name
  }
  return undefined
}

export function readHashes(value: unknown, reading: Spdx3Reading): Hash[] {
  const hashes: Hash[] = []
  for (const entry of readList(value)) {
    const method = isText(entry) ? reading.byId.get(reading.expand(entry)) : entry
    if (!isObject(method)) continue
    const algorithm = readText(method['algorithm'])
    const hash = readText(method['hashValue'])
    if (algorithm !== undefined && hash !== undefined) hashes.push({ algorithm, value: hash })
  }
  return hashes
}
