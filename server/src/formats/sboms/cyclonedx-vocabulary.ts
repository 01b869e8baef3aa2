/**
 * Words of CycloneDX 1.0 to 1.7 and the minor version that brought them (ECMA-424 and its predecessors, the JSON schemas
 * and XSDs at github.com/CycloneDX/specification).
 */
export const NEWEST_MINOR = 7

export type PropertyType = 'string' | 'boolean' | 'number' | 'list' | 'object' | 'any'
export interface Property {
  type: PropertyType
  since: number
}

export interface PropertyTable {
  owner: string
  properties: ReadonlyMap<string, Property>
}

function table(owner: string, ...groups: [string, Property][][]): PropertyTable {
  return { owner, properties: new Map(groups.flat()) }
}

function properties(since: number, type: PropertyType, names: string): [string, Property][] {
  return names.split(' ').map((name) => [name, { type, since }])
}

export const BOM_PROPERTIES = table(
  'BOM',
  properties(0, 'string', '$schema bomFormat specVersion serialNumber'),
  properties(0, 'number', 'version'),
  properties(0, 'list', 'components'),
  properties(1, 'list', 'externalReferences'),
  properties(2, 'object', 'metadata'),
  properties(2, 'list', 'services dependencies'),
  properties(3, 'list', 'compositions properties'),
  properties(4, 'list', 'vulnerabilities'),
  properties(4, 'object', 'signature'),
  properties(5, 'list', 'annotations formulation'),
  properties(6, 'object', 'declarations definitions'),
  properties(7, 'list', 'citations'),
)

export const METADATA_PROPERTIES = table(
  'metadata object',
  properties(2, 'string', 'timestamp'),
  properties(2, 'any', 'tools'),
  properties(2, 'list', 'authors'),
  properties(2, 'object', 'component manufacture supplier'),
  properties(3, 'list', 'licenses properties'),
  properties(5, 'list', 'lifecycles'),
  properties(6, 'object', 'manufacturer'),
  properties(7, 'object', 'distributionConstraints'),
)

export const COMPONENT_PROPERTIES = table(
  'component',
  properties(0, 'string', 'type mime-type publisher group name version description scope'),
  properties(0, 'string', 'copyright cpe purl bom-ref'),
  properties(0, 'list', 'hashes licenses components'),
  properties(0, 'boolean', 'modified'),
  properties(1, 'object', 'pedigree'),
  properties(1, 'list', 'externalReferences'),
  properties(2, 'string', 'author'),
  properties(2, 'object', 'supplier swid'),
  properties(3, 'object', 'evidence'),
  properties(3, 'list', 'properties'),
  properties(4, 'object', 'releaseNotes signature'),
  properties(5, 'object', 'modelCard'),
  properties(5, 'list', 'data'),
  properties(6, 'object', 'manufacturer cryptoProperties'),
  properties(6, 'list', 'authors tags omniborId swhid'),
  properties(7, 'string', 'versionRange'),
  properties(7, 'boolean', 'isExternal'),
  properties(7, 'list', 'patentAssertions'),
)

export const LICENSE_PROPERTIES = table(
  'license',
  properties(0, 'string', 'id name url'),
  properties(0, 'object', 'text'),
  properties(5, 'string', 'bom-ref'),
  properties(5, 'object', 'licensing'),
  properties(5, 'list', 'properties'),
  properties(6, 'string', 'acknowledgement'),
)

/** Component type → the minor version that brought it. */
export const COMPONENT_TYPES: ReadonlyMap<string, number> = new Map([
  ['application', 0],
  ['framework', 0],
  ['library', 0],
  ['operating-system', 0],
  ['device', 0],
  ['file', 1],
  ['container', 2],
  ['firmware', 2],
  ['platform', 5],
  ['device-driver', 5],
  ['machine-learning-model', 5],
  ['data', 5],
  ['cryptographic-asset', 6],
])

/** Hash algorithm → length of its value in hexadecimal digits. */
export const HASH_DIGITS: ReadonlyMap<string, readonly number[]> = new Map([
  ['MD5', [32]],
  ['SHA-1', [40]],
  ['SHA-256', [64]],
  ['SHA-384', [96]],
  ['SHA-512', [128]],
  ['SHA3-256', [64]],
  ['SHA3-384', [96]],
  ['SHA3-512', [128]],
  ['BLAKE2b-256', [64]],
  ['BLAKE2b-384', [96]],
  ['BLAKE2b-512', [128]],
  // Its output has no fixed length; the schemas take these.
  ['BLAKE3', [32, 40, 64, 96, 128]],
  ['Streebog-256', [64]],
  ['Streebog-512', [128]],
])

export const SCOPES: readonly string[] = ['required', 'optional', 'excluded']
export const PATCH_TYPES: readonly string[] = ['unofficial', 'monkey', 'backport', 'cherry-pick']
export const ISSUE_TYPES: readonly string[] = ['defect', 'enhancement', 'security']
export const DATA_FLOWS: readonly string[] = ['inbound', 'outbound', 'bi-directional', 'unknown']
