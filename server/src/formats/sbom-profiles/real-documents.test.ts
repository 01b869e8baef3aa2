/** Every SBOM of the shared data that is read, graded; and the counts of CycloneDX compared with a plain recount. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { isObject, listObjects, type JsonObject } from '../sboms/json-values.ts'
import { parseSbom } from '../sboms/parse.ts'
import { SbomError } from '../sboms/sbom-error.ts'
import { gradeSbom, type GradedElement } from './grade.ts'
import { SBOM_PROFILES } from './profiles.ts'

function listPaths(folder: string): string[] {
  if (folder === '') return []
  const lines = readFileSync(`${folder}/sbom/INDEX.tsv`, 'utf8').trim().split('\n').slice(1)
  return lines.map((line) => line.split('\t')[0] ?? '')
}

function gradeAll(file: Uint8Array) {
  const document = parseSbom(file)
  return SBOM_PROFILES.map((profile) => gradeSbom(document, profile))
}

/** Components at any depth, as a reader of the JSON would count them. */
function walk(bom: JsonObject): JsonObject[] {
  const { metadata, components } = bom
  const root = isObject(metadata) && isObject(metadata['component']) ? [metadata['component']] : []
  const pending = [...root, ...listObjects(components)]
  const found: JsonObject[] = []
  for (let next = pending.pop(); next; next = pending.pop()) {
    found.push(next)
    pending.push(...listObjects(next['components']))
  }
  return found
}

const isSaid = (text: unknown) =>
  typeof text === 'string' && text !== '' && !/^(?:noassertion|unknown)$/i.test(text)
const nameOf = (value: unknown) => (isObject(value) ? value['name'] : undefined)

describeWithSharedData('grades of real SBOMs', (folder) => {
  it.each(listPaths(folder).filter((path) => !path.includes('adversarial')))(
    '%s: counts add up, and outcomes follow from them',
    (path) => {
      const file = readFileSync(`${folder}/${path}`)
      let grades
      try {
        grades = gradeAll(file)
      } catch (error) {
        expect(error).toBeInstanceOf(SbomError)
        return
      }
      for (const { elements, outcome } of grades) {
        for (const { stated, unknown, total, examples, outcome: one } of elements) {
          expect(stated + unknown).toBeLessThanOrEqual(total)
          expect(examples.length).toBeLessThanOrEqual(Math.min(5, total - stated))
          if (one === 'cannotSay') expect(stated).toBe(0)
        }
        const required = elements.filter(({ level }) => level === 'required')
        expect(outcome === 'met').toBe(required.every((one) => one.outcome === 'met'))
      }
      if (!/cyclonedx-json\/.*\.json$/.test(path)) return
      const all = walk(JSON.parse(file.toString('utf8').replace(/^\uFEFF/, '')) as JsonObject)
      const [bsi, , ntia, cisa] = grades
      const statedOf = (list: readonly GradedElement[] | undefined, id: string) =>
        list?.find((one) => one.id === id)?.stated
      const count = (has: (component: JsonObject) => boolean) => all.filter(has).length
      expect(statedOf(ntia?.elements, 'name')).toBe(count(({ name }) => isSaid(name)))
      expect(statedOf(bsi?.elements, 'component-version')).toBe(
        count(({ version }) => isSaid(version)),
      )
      expect(statedOf(cisa?.elements, 'hash')).toBe(
        count(({ hashes }) => listObjects(hashes).some(({ content }) => isSaid(content))),
      )
      expect(statedOf(ntia?.elements, 'supplier')).toBe(
        count(
          ({ supplier, manufacturer, publisher }) =>
            isSaid(nameOf(supplier)) || isSaid(nameOf(manufacturer)) || isSaid(publisher),
        ),
      )
    },
  )
})
