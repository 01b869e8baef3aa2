/** software_Package and the classes derived from it → components. */
import { declareComponent } from './document.ts'
import { checkIdentifiers } from './identifiers.ts'
import { isObject, isText, textOf, type JsonObject } from './json-values.ts'
import { buildScopeByName } from './scope-by-name.ts'
import { declared } from './spdx-values.ts'
import { idOf, listOf, referenceTo, spaceOf, type Spdx3Reading } from './spdx3-reading.ts'
import { quoted } from './warnings.ts'
import type { Hash } from './model.ts'

export function readPackage(element: JsonObject, reading: Spdx3Reading): void {
  const { draft } = reading
  const id = idOf(element, reading)
  if (id === undefined)
    draft.faults.add('Package without spdxId', quoted(textOf(element['name']) ?? ''))
  const place = id ?? 'a package without spdxId'
  const where = () => quoted(place)
  const { purls, cpes } = readIdentifiers(element, reading)
  const purl = declared(textOf(element['software_packageUrl'])) ?? purls[0]
  checkIdentifiers(purl, cpes, draft.faults, where)
  const name = declared(textOf(element['name']))
  if (name === undefined) draft.faults.add('Package without name', where())
  const packageName = name ?? purl ?? cpes[0] ?? place
  const supplier = agentName(element['suppliedBy'], reading)
  const node = declareComponent(draft, id === undefined ? reading.local : spaceOf(id, reading), {
    node: -1,
    ref: id,
    vendor: supplier ?? agentName(element['originatedBy'], reading),
    packageName,
    version: declared(textOf(element['software_packageVersion'])),
    purl,
    cpes,
    licenses: [],
    hashes: readHashes(element['verifiedUsing'], reading),
    supplier,
    downloadLocation: declared(textOf(element['software_downloadLocation'])),
    scope: buildScopeByName(packageName, purl),
    builtFrom: undefined,
    ...addressesOf(element),
  })
  if (element['software_primaryPurpose'] === 'source') draft.sources.add(node)
}

function addressesOf(element: JsonObject): { addresses?: string[] } {
  const homepage = declared(textOf(element['software_homePage']))
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
      quoted(idOf(element, reading) ?? ''),
    )
  for (const entry of listOf(element['externalIdentifier'])) {
    const identifier = isText(entry) ? reading.byId.get(reading.expand(entry)) : entry
    if (!isObject(identifier)) continue
    const type = identifier['externalIdentifierType']
    const value = textOf(identifier['identifier'])
    if (value === undefined) continue
    // microsoft/sbom-tool writes "purl".
    if (type === 'packageUrl' || type === 'purl') purls.push(value)
    else if (type === 'cpe23' || type === 'cpe22') cpes.push(value)
  }
  return { purls, cpes }
}

function agentName(value: unknown, reading: Spdx3Reading): string | undefined {
  for (const agent of listOf(value)) {
    const element = isObject(agent) ? agent : reading.byId.get(referenceTo(agent, reading) ?? '')
    const name = element && declared(textOf(element['name']))
    if (name !== undefined) return name
  }
  return undefined
}

function readHashes(value: unknown, reading: Spdx3Reading): Hash[] {
  const hashes: Hash[] = []
  for (const entry of listOf(value)) {
    const method = isText(entry) ? reading.byId.get(reading.expand(entry)) : entry
    if (!isObject(method)) continue
    const algorithm = textOf(method['algorithm'])
    const hash = textOf(method['hashValue'])
    if (algorithm !== undefined && hash !== undefined) hashes.push({ algorithm, value: hash })
  }
  return hashes
}
