/** The standards' own JSON schemas of VEX documents, from the shared data. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Ajv, type AnySchemaObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

export type ExportFormat = 'openvex' | 'cyclonedx' | 'csaf'

/** The violations of the format's schema; empty for a valid document. */
export function vexSchemas(folder: string): (format: ExportFormat, document: unknown) => string[] {
  const read = (path: string) =>
    JSON.parse(readFileSync(join(folder, 'schemas', path), 'utf8')) as AnySchemaObject
  const options = { strict: false, logger: false, validateFormats: false, allErrors: true } as const

  const csaf = withFastUniqueItems(new Ajv2020(options))
  for (const version of ['2.0', '3.0', '3.1']) {
    const { $schema: _, $id: __, id: ___, ...schema } = read(`cvss/cvss-v${version}.json`)
    csaf.addSchema({ ...schema }, `https://www.first.org/cvss/cvss-v${version}.json`)
  }
  const cyclonedx = withFastUniqueItems(new Ajv(options))
  for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs'])
    cyclonedx.addSchema(read(`cyclonedx/${name}.schema.json`))
  const validators = {
    openvex: withFastUniqueItems(new Ajv2020(options)).compile(
      read('openvex/openvex_json_schema.json'),
    ),
    cyclonedx: cyclonedx.compile(read('cyclonedx/bom-1.6.schema.json')),
    csaf: csaf.compile(read('csaf/csaf_2.0_json_schema.json')),
  }
  return (format, document) => {
    const validate = validators[format]
    if (validate(document)) return []
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
  }
}

/** Ajv compares each item with each other one, which takes seconds for thousands of statements. */
function withFastUniqueItems<Validator extends Ajv>(ajv: Validator): Validator {
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (isUnique: boolean, items: readonly unknown[]) => !isUnique || areUnique(items),
  })
  return ajv
}

/** Equal items have texts of equal length, whatever the order of their members. */
function areUnique(items: readonly unknown[]): boolean {
  const byLength = Map.groupBy(items, (item) => JSON.stringify(item).length)
  return [...byLength.values()].every((alike) =>
    alike.every((one, index) =>
      alike.slice(index + 1).every((two) => !isDeepStrictEqual(one, two)),
    ),
  )
}
