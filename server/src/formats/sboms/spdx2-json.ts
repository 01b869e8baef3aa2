/** SPDX 2 JSON → draft. */
import { noteSpdx2Document } from '../sbom-profiles/stated-in-spdx2.ts'
import type { Draft } from './draft.ts'
import { isObject, isText, listObjects, readText, type JsonObject } from './json-values.ts'
import { SbomError } from './sbom-error.ts'
import { readDeclared } from './spdx-values.ts'
import {
  addExternalRef,
  closeSpdx2,
  contain,
  declareFile,
  declarePackage,
  describe,
  openSpdx2,
  relate,
  type Spdx2Package,
  type Spdx2Reading,
} from './spdx2.ts'
import { quote } from './warnings.ts'
import { isWest } from './west.ts'
import type { Hash } from './model.ts'

export function readSpdx2Json(document: JsonObject, draft: Draft): void {
  const { spdxVersion } = document
  if (!isText(spdxVersion))
    throw new SbomError(
      'malformed',
      'The value of spdxVersion is not a text of the form "SPDX-2.3".',
    )
  checkHeader(document, draft)
  const reading = openSpdx2(draft, {
    version: readText(spdxVersion),
    namespace: readText(document['documentNamespace']),
    externalDocuments: readExternalDocuments(document['externalDocumentRefs']),
  })
  readList(document, 'packages').forEach((entry, i) => {
    const where = () => `/packages/${i}`
    if (isObject(entry)) readPackage(entry, reading, where)
    else if (entry === null) draft.faults.add('Package that is null, left out', where())
    else throw new SbomError('malformed', `The package at ${where()} is not an object.`)
  })
  listObjects(document['files']).forEach((file, i) => {
    const types = file['fileTypes']
    const read = { id: readText(file['SPDXID']), name: readText(file['fileName']) }
    const where = () => `/files/${i}`
    const hashes = listObjects(file['checksums']).map(({ algorithm, checksumValue }) => ({
      algorithm: String(algorithm),
      value: String(checksumValue),
    }))
    declareFile(reading, { ...read, types: Array.isArray(types) ? types : [], hashes }, where)
  })
  listObjects(document['snippets']).forEach((snippet, i) => {
    const id = readText(snippet['SPDXID'])
    declareFile(reading, { id, name: undefined, types: [], hashes: [] }, () => `/snippets/${i}`)
  })
  readRelationships(document, reading)
  noteCreation(document, reading)
  closeSpdx2(reading)
}

function noteCreation(document: JsonObject, { draft, header }: Spdx2Reading): void {
  const info = document['creationInfo']
  if (!isObject(info)) return
  const list: unknown = info['creators']
  const creators = Array.isArray(list) ? list.filter(isText) : []
  const created = readText(info['created'])
  noteSpdx2Document({ created, creators, namespace: header.namespace }, draft.facts)
}

function readList(document: JsonObject, name: string): unknown[] {
  const list = document[name]
  if (list === undefined || list === null) return []
  if (Array.isArray(list)) return list
  throw new SbomError('malformed', `The value at /${name} is not a list.`)
}

/** Members every document must have (SPDX 2.3, section 6). */
function checkHeader(document: JsonObject, draft: Draft): void {
  const { faults } = draft
  for (const name of ['SPDXID', 'name', 'dataLicense'])
    if (!isText(document[name])) faults.add(`The document has no ${name}`)
  const creation = document['creationInfo']
  if (!isObject(creation)) faults.add('The document has no creationInfo')
  else {
    if (readText(creation['created']) === undefined)
      faults.add('The creationInfo has no date "created"')
    const { creators } = creation
    if (!Array.isArray(creators) || creators.length === 0 || !creators.every(isText))
      faults.add('The value of creators is not a list of texts', '/creationInfo/creators')
    else if (creators.some(isWest)) draft.isOfWest = true
  }
}

function readExternalDocuments(list: unknown): Map<string, string> {
  const documents = new Map<string, string>()
  for (const { externalDocumentId, spdxDocument } of listObjects(list))
    if (isText(externalDocumentId) && isText(spdxDocument))
      documents.set(externalDocumentId, spdxDocument)
  return documents
}

function readPackage(entry: JsonObject, reading: Spdx2Reading, where: () => string): void {
  const { faults } = reading.draft
  const { filesAnalyzed, name } = entry
  if (filesAnalyzed !== undefined && typeof filesAnalyzed !== 'boolean')
    faults.add('Property of the wrong type, ignored', `${where()} ("filesAnalyzed")`)
  if (name !== undefined && !isText(name))
    faults.add('Property of the wrong type, ignored', `${where()} ("name")`)
  const id = readText(entry['SPDXID'])
  const spdxPackage: Spdx2Package = {
    id,
    name: readText(name),
    version: readText(entry['versionInfo']),
    supplier: readText(entry['supplier']),
    originator: readText(entry['originator']),
    downloadLocation: readText(entry['downloadLocation']),
    homepage: readText(entry['homepage']),
    licenses: [readText(entry['licenseConcluded']), readText(entry['licenseDeclared'])],
    concludedLicense: readText(entry['licenseConcluded']),
    declaredLicense: readText(entry['licenseDeclared']),
    fileName: readText(entry['packageFileName']),
    hashes: readChecksums(entry['checksums'], reading, where),
    purl: undefined,
    cpes: [],
    hasOtherIdentifier: false,
    purpose: readText(entry['primaryPackagePurpose']),
    sourceInfo: readText(entry['sourceInfo']),
    comment: readText(entry['comment']),
    remarks: readRemarks(entry),
  }
  readExternalRefs(entry['externalRefs'], spdxPackage, () => {
    faults.add('External reference without referenceType or referenceLocator', where())
  })
  declarePackage(reading, spdxPackage, where)
  const files = entry['hasFiles']
  if (id !== undefined && Array.isArray(files))
    for (const file of files) if (isText(file)) contain(reading, id, file)
}

function readRemarks(entry: JsonObject): (string | undefined)[] {
  const texts: unknown = entry['attributionTexts']
  const list: unknown[] = Array.isArray(texts) ? texts : []
  const comments = listObjects(entry['annotations']).map(({ comment }) => comment)
  return [...list, ...comments].map((text) => readText(text))
}

function readChecksums(list: unknown, { draft }: Spdx2Reading, where: () => string): Hash[] {
  const hashes: Hash[] = []
  if (!Array.isArray(list)) return hashes
  for (const checksum of list) {
    const algorithm = isObject(checksum) ? readText(checksum['algorithm']) : undefined
    const value = isObject(checksum) ? readText(checksum['checksumValue']) : undefined
    if (algorithm !== undefined && value !== undefined) hashes.push({ algorithm, value })
    else draft.faults.add('Checksum without algorithm or checksumValue', where())
  }
  return hashes
}

function readExternalRefs(list: unknown, spdxPackage: Spdx2Package, fault: () => void): void {
  if (!Array.isArray(list)) return
  for (const reference of list) {
    const type = isObject(reference) ? readText(reference['referenceType']) : undefined
    const locator = isObject(reference) ? readText(reference['referenceLocator']) : undefined
    if (type === undefined || locator === undefined) fault()
    else addExternalRef(spdxPackage, type, locator)
  }
}

function readRelationships(document: JsonObject, reading: Spdx2Reading): void {
  const { draft } = reading
  const described = document['documentDescribes']
  if (Array.isArray(described)) for (const id of described) if (isText(id)) describe(reading, id)
  const relationships = readList(document, 'relationships')
  for (let i = 0; i < relationships.length; i++) {
    const relationship = relationships[i]
    if (!isObject(relationship) || !readRelationship(relationship, reading))
      draft.faults.add(
        'Relationship without spdxElementId, relationshipType or relatedSpdxElement',
        `/relationships/${i}`,
      )
  }
  checkVersionTexts(document, reading)
}

function readRelationship(relationship: JsonObject, reading: Spdx2Reading): boolean {
  const from = relationship['spdxElementId']
  const type = relationship['relationshipType']
  const to = relationship['relatedSpdxElement']
  if (!isText(from) || !isText(type) || !isText(to)) return false
  relate(reading, from, type, to)
  return true
}

function checkVersionTexts(document: JsonObject, { draft }: Spdx2Reading): void {
  const dataLicense = readText(document['dataLicense'])
  if (dataLicense !== undefined && readDeclared(dataLicense) !== 'CC0-1.0')
    draft.faults.add('The dataLicense is not CC0-1.0', quote(dataLicense))
}
