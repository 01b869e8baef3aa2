/** Grades a document against a profile, element by element. */
import { NEWEST_MINOR } from '../sboms/cyclonedx-vocabulary.ts'
import { isBuildReport, type SbomFormat } from '../sboms/model.ts'
import type {
  ComponentElement,
  FormatElement,
  ProfileElement,
  ProfileId,
  SbomProfile,
} from './profile.ts'
import { SBOM_PROFILES } from './profiles.ts'
import { canSay, describeFormat } from './sayable.ts'
import { combineBits, type StatedFacts } from './stated-facts.ts'

/** `cannotSay`: the format has no place for it. */
export const ELEMENT_OUTCOMES = ['met', 'missing', 'cannotSay'] as const
type ElementOutcome = (typeof ELEMENT_OUTCOMES)[number]

export interface GradedElement {
  id: string
  title: string
  section: string
  level: ProfileElement['level']
  of: ProfileElement['of']
  outcome: ElementOutcome
  /** How many components, or documents (1), were looked at. */
  total: number
  /** How many state it. */
  stated: number
  /** How many say that it is unknown. */
  unknown: number
  /** How many of those that lack it are named in `examples`, and which. */
  examples: string[]
  /** What is wrong, where counts do not tell it. */
  reason: string | null
}

export interface SbomGrade {
  profile: ProfileId
  title: string
  /** The worst outcome of the elements that are required; `missing` is worse than `cannotSay`. */
  outcome: ElementOutcome
  elements: GradedElement[]
  outside: { title: string; section: string }[]
}

/** What a document states, and what its components are called. */
export interface GradableSbom {
  format: SbomFormat
  specVersion: string | undefined
  facts: StatedFacts
  components: readonly { packageName: string; version: string | undefined }[]
}

const MOST_EXAMPLES = 5

/** By all profiles; a report of a build is no SBOM, and has no grades. */
export function gradeByAll(sbom: GradableSbom): SbomGrade[] {
  if (isBuildReport(sbom.format)) return []
  return SBOM_PROFILES.map((profile) => gradeSbom(sbom, profile))
}

export function gradeSbom(sbom: GradableSbom, profile: SbomProfile): SbomGrade {
  const elements = profile.elements.map((element) => gradeElement(sbom, element))
  const required = elements.filter(({ level }) => level === 'required')
  const outcome = (['missing', 'cannotSay'] as const).find((one) =>
    required.some((element) => element.outcome === one),
  )
  const { id, title } = profile
  return { profile: id, title, outcome: outcome ?? 'met', elements, outside: [...profile.outside] }
}

function gradeElement(sbom: GradableSbom, element: ProfileElement): GradedElement {
  const { id, title, section, level, of } = element
  return { id, title, section, level, of, ...judge(sbom, element) }
}

type Judgement = Omit<GradedElement, 'id' | 'title' | 'section' | 'level' | 'of'>

function judge(sbom: GradableSbom, element: ProfileElement): Judgement {
  if (element.of === 'format') return judgeFormat(sbom, element)
  if (element.of === 'component') return judgeComponents(sbom, element)
  const isStated = element.facts.some((fact) => sbom.facts.ofDocument.has(fact))
  if (element.isForbidden)
    return judgeDocument(!isStated, isStated ? 'The document states what it must not.' : null)
  if (!isStated && !isSayable(sbom, element.facts)) return cannotSay(sbom, 1)
  return judgeDocument(isStated)
}

function judgeDocument(isMet: boolean, reason: string | null = null): Judgement {
  const outcome = isMet ? 'met' : 'missing'
  return { outcome, total: 1, stated: isMet ? 1 : 0, unknown: 0, examples: [], reason }
}

function cannotSay({ format, specVersion }: GradableSbom, total: number): Judgement {
  const reason = `${describeFormat(format, specVersion)} has no place for it.`
  return { outcome: 'cannotSay', total, stated: 0, unknown: 0, examples: [], reason }
}

function isSayable(
  { format, specVersion }: GradableSbom,
  facts: readonly Parameters<typeof canSay>[2][],
): boolean {
  return facts.some((fact) => canSay(format, specVersion, fact))
}

/** A document without components has none that lacks anything, and states nothing either. */
function judgeComponents(sbom: GradableSbom, element: ComponentElement): Judgement {
  const total = sbom.components.length
  const { stated, unknown, examples } = countComponents(sbom, element)
  if (stated + unknown === 0 && !isSayable(sbom, element.facts)) return cannotSay(sbom, total)
  const enough = stated + (element.takesUnknown ? unknown : 0)
  const reason = total === 0 ? 'The document declares no components.' : null
  const outcome = total > 0 && enough === total ? 'met' : 'missing'
  return { outcome, total, stated, unknown, examples, reason }
}

function countComponents(
  { components, facts }: GradableSbom,
  { facts: wanted, takesUnknown }: ComponentElement,
): Pick<Judgement, 'stated' | 'unknown' | 'examples'> {
  const bits = combineBits(wanted)
  const examples: string[] = []
  let stated = 0
  let unknown = 0
  for (const [node, component] of components.entries()) {
    if (((facts.stated[node] ?? 0) & bits) !== 0) {
      stated += 1
      continue
    }
    const isUnknown = ((facts.unknown[node] ?? 0) & bits) !== 0
    if (isUnknown) unknown += 1
    if (!(isUnknown && takesUnknown) && examples.length < MOST_EXAMPLES)
      examples.push(nameComponent(component))
  }
  return { stated, unknown, examples }
}

const LONGEST_NAME = 200

function nameComponent({ packageName, version }: GradableSbom['components'][number]): string {
  const name = version === undefined ? packageName : `${packageName}@${version}`
  return name.slice(0, LONGEST_NAME)
}

function judgeFormat({ format, specVersion }: GradableSbom, { lowest }: FormatElement): Judgement {
  if (lowest === undefined) return judgeDocument(true)
  const own = describeFormat(format, specVersion)
  if (format === 'Spdx2TagValue')
    return judgeDocument(false, `${own} is tag-value, neither JSON nor XML.`)
  const wanted = format.startsWith('CycloneDx') ? lowest.cycloneDx : lowest.spdx
  if (specVersion === undefined)
    return judgeDocument(false, 'The document names no version of its format.')
  if (format.startsWith('CycloneDx') && !PUBLISHED.test(specVersion))
    return judgeDocument(false, `${own} is no published version.`)
  const isMet = isAtLeast(specVersion, wanted)
  return judgeDocument(isMet, isMet ? null : `The document is ${own}.`)
}

/** Of CycloneDX, until today. */
const PUBLISHED = new RegExp(`^1\\.[0-${NEWEST_MINOR}]$`)

/** SPDX 2.2 is written without its patch level: 2.2 and 2.2.1 are one to it. */
function isAtLeast(version: string, lowest: string): boolean {
  const own = version.split('.').map(Number)
  const wanted = lowest.split('.').map(Number)
  for (const [i, number] of wanted.entries()) {
    const here = own[i]
    if (here === undefined) return true
    if (here !== number) return here > number
  }
  return true
}
