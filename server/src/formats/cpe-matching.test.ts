import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeWithSharedData } from '../../test/shared-data.ts'
import { compareAttributes, compareNames } from './cpe-matching.ts'
import { type Cpe, CPE_ATTRIBUTES, readCpeValue, parseCpe } from './cpe.ts'
import { compareVersions } from './versions/compare.ts'

/** Table 6-2 of NISTIR 7696, by its numbers. */
it.each`
  number | source     | target     | relation
  ${1}   | ${'*'}     | ${'*'}     | ${'Equal'}
  ${2}   | ${'*'}     | ${'-'}     | ${'Superset'}
  ${3}   | ${'*'}     | ${'foo'}   | ${'Superset'}
  ${4}   | ${'*'}     | ${'foo*'}  | ${'Undefined'}
  ${5}   | ${'-'}     | ${'*'}     | ${'Subset'}
  ${6}   | ${'-'}     | ${'-'}     | ${'Equal'}
  ${7}   | ${'-'}     | ${'foo'}   | ${'Disjoint'}
  ${8}   | ${'-'}     | ${'foo*'}  | ${'Undefined'}
  ${9}   | ${'foo'}   | ${'foo'}   | ${'Equal'}
  ${10}  | ${'foo'}   | ${'bar'}   | ${'Disjoint'}
  ${11}  | ${'foo'}   | ${'foo*'}  | ${'Undefined'}
  ${12}  | ${'foo'}   | ${'-'}     | ${'Disjoint'}
  ${13}  | ${'foo'}   | ${'*'}     | ${'Subset'}
  ${14}  | ${'fo*'}   | ${'foo'}   | ${'Superset'}
  ${14}  | ${'fo*'}   | ${'bar'}   | ${'Disjoint'}
  ${15}  | ${'foo*'}  | ${'*'}     | ${'Subset'}
  ${16}  | ${'foo*'}  | ${'-'}     | ${'Disjoint'}
  ${17}  | ${'foo*'}  | ${'fo*'}   | ${'Undefined'}
  ${17}  | ${'foo*'}  | ${'foo*'}  | ${'Equal'}
  ${14}  | ${'?oo'}   | ${'foo'}   | ${'Superset'}
  ${14}  | ${'?oo'}   | ${'oo'}    | ${'Superset'}
  ${14}  | ${'?oo'}   | ${'fooo'}  | ${'Disjoint'}
  ${14}  | ${'??o'}   | ${'fooo'}  | ${'Disjoint'}
  ${14}  | ${'*.1?'}  | ${'8.10'}  | ${'Superset'}
  ${14}  | ${'*.1?'}  | ${'8.100'} | ${'Disjoint'}
  ${10}  | ${'fo\\?'} | ${'foo'}   | ${'Disjoint'}
  ${14}  | ${'\\+*'}  | ${'\\+1'}  | ${'Superset'}
`(
  'no. $number: $source is to $target: $relation',
  ({ source, target, relation }: { source: string; target: string; relation: string }) => {
    expect(compareAttributes(source, target)).toBe(relation)
  },
)

describe('compareNames', () => {
  it.each`
    source                     | target                       | relation       | because
    ${'cpe:2.3:a:haxx:curl'}   | ${'cpe:2.3:a:haxx:curl:8.0'} | ${'Superset'}  | ${'the source states no version'}
    ${'cpe:2.3:a:haxx:curl:8'} | ${'cpe:2.3:*:*:curl:8'}      | ${'Subset'}    | ${'the target states no vendor'}
    ${'cpe:2.3:a:haxx:curl:8'} | ${'cpe:2.3:a:haxx:curl:8'}   | ${'Equal'}     | ${'they are the same'}
    ${'cpe:2.3:a:haxx:curl:8'} | ${'cpe:2.3:a:haxx:curl:7'}   | ${'Disjoint'}  | ${'versions differ'}
    ${'cpe:2.3:a:haxx:curl'}   | ${'cpe:2.3:*:*:curl:8'}      | ${'Undefined'} | ${'each says more in one place'}
    ${'cpe:2.3:a:haxx:curl'}   | ${'cpe:2.3:a:haxx:curl:8.*'} | ${'Undefined'} | ${'the target is a pattern'}
  `(
    '$source is to $target: $relation, as $because',
    ({ source, target, relation }: { source: string; target: string; relation: string }) => {
      expect(compareNames(cpe(source), cpe(target)).name).toBe(relation)
    },
  )
})

function cpe(text: string): Cpe {
  const parsed = parseCpe(text)
  if (parsed === undefined) throw new Error(`no CPE: ${text}`)
  return parsed
}

interface RelationCase {
  source: string
  target: string
  relation: string
}

interface MatchingCase {
  source: string
  target: string
  range: unknown
  matches: boolean
}

interface NvdMatch {
  matchString: {
    criteria: string
    versionEndIncluding?: string
    versionEndExcluding?: string
    versionStartIncluding?: string
    versionStartExcluding?: string
    matches: { cpeName: string }[]
  }
}

/** What nvdtools says and we answer otherwise, with the reason. */
const NVDTOOLS: Record<string, string> = {
  '* ': 'Its empty text is ANY, which equals ANY',
  'fo?? foo': 'NISTIR 7696 has a question mark stand for one character or none',
}

const NOT_LOOKED_UP =
  'Dependency-Track looks up no product of ANY or NA and no pattern of a vendor: its policy, not a relation'
const NO_RELATION =
  'NISTIR 7696 leaves the relation of ANY and a pattern undefined (table 6-2, no. 4)'

/** What Dependency-Track says and we answer otherwise, by what is special in source and target, with the reason. */
const DEPENDENCY_TRACK: Record<string, string> = {
  'product *, *': NOT_LOOKED_UP,
  'product *, -': NOT_LOOKED_UP,
  'product -, *': NOT_LOOKED_UP,
  'product -, -': NOT_LOOKED_UP,
  'product product, *': NOT_LOOKED_UP,
  'product pro*, *': NOT_LOOKED_UP,
  'vendor ven*, vendor': NOT_LOOKED_UP,
  'all *': NOT_LOOKED_UP,
  'all -': NOT_LOOKED_UP,
  'cpe:2.3:a:pascom_cloud_phone_system:*:*:*:*:*:*:*:*:* cpe:2.3:a:*:util-linux-setarch:2.37.4:*:*:*:*:*:*:*':
    NOT_LOOKED_UP,
  'vendor *, ven*': NO_RELATION,
  'product *, pro*': NO_RELATION,
  'version *, 1.*': NO_RELATION,
  'edition *, edi*': NO_RELATION,
  'targetSw *, tar*': NO_RELATION,
  'targetHw *, tar*': NO_RELATION,
  'other *, oth*': NO_RELATION,
}

describeWithSharedData('CPE matching vectors', (folder) => {
  const read = (file: string) => readFileSync(join(folder, 'conformance/cpe', file), 'utf8')

  it('of nvdtools hold, 11 of 13', () => {
    const cases = JSON.parse(read('nvdtools-attribute-relation.json')) as RelationCase[]

    const failed = cases
      .filter(
        ({ source, target, relation }) => compareAttributes(source, target || '*') !== relation,
      )
      .map(({ source, target }) => `${source} ${target}`)

    expect(failed.toSorted()).toEqual(Object.keys(NVDTOOLS).toSorted())
    expect(cases.length - failed.length).toBe(11)
  })

  it('of Dependency-Track hold, 128 of the 145 that are names without ranges', () => {
    const published = JSON.parse(read('dependency-track-matching.json')) as MatchingCase[]
    const cases = published.filter(isCaseOfNames)

    const failed = cases
      .filter(({ source, target, matches }) => meet(source, target) !== matches)
      .map(({ source, target }) => summary(source, target))

    expect(failed.toSorted()).toEqual(Object.keys(DEPENDENCY_TRACK).toSorted())
    expect(cases.length - failed.length).toBe(128)
  })

  it('of NVD: every name it lists is in the range of its criterion', () => {
    const lines = read('nvd-cpematch-samples.jsonl').trim().split('\n')
    const criteria = lines.map((line) => JSON.parse(line) as NvdMatch)

    const outside = criteria.flatMap(({ matchString }) =>
      matchString.matches.filter(({ cpeName }) => !isInRange(matchString, cpeName)),
    )

    expect(criteria).toHaveLength(4)
    expect(outside).toEqual([])
  })
})

function isCaseOfNames({ source, range }: MatchingCase): boolean {
  return source.startsWith('cpe:') && range === null
}

/** Every attribute of one holds all or part of the other's. */
function meet(source: string, target: string): boolean {
  const relations = Object.values(compareNames(cpe(source), cpe(target)).attributes)
  return relations.every((relation) => relation !== 'Disjoint' && relation !== 'Undefined')
}

function summary(source: string, target: string): string {
  const left = cpe(source)
  const right = cpe(target)
  const values = [...Object.values(left), ...Object.values(right)]
  if (new Set(values).size === 1) return `all ${values[0]}`
  const usual =
    /^(?:a|vendor|product|1\.0\.0|update|edition|lang|swedition|targetsw|targethw|other)$/
  const special = CPE_ATTRIBUTES.filter(
    (name) => !usual.test(left[name]) || !usual.test(right[name]),
  )
  const [attribute] = special
  if (attribute === undefined || special.length > 1) return `${source} ${target}`
  return `${attribute} ${left[attribute]}, ${right[attribute]}`
}

/** NVD counts `-`, a product without version, to every range. */
function isInRange(range: NvdMatch['matchString'], cpeName: string): boolean {
  const declared = cpe(cpeName)
  const version = readCpeValue(declared.version)
  if (version === undefined) return true
  const update = readCpeValue(declared.update)
  const text = update === undefined ? version : `${version}-${update}`
  const to = (bound: string | undefined, otherwise: number) =>
    bound === undefined ? otherwise : (compareVersions('generic', text, bound) ?? NaN)
  return (
    to(range.versionStartIncluding, 0) >= 0 &&
    to(range.versionStartExcluding, 1) > 0 &&
    to(range.versionEndIncluding, 0) <= 0 &&
    to(range.versionEndExcluding, -1) < 0
  )
}
