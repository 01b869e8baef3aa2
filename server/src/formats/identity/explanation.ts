/**
 * Explains in plain words how the declaration of a component becomes the names by which records are looked up. Each
 * identifier is identified alone and compared with the whole, so the explanation follows the rules whatever they are.
 */
import {
  identifyComponent,
  type IdentifiableComponent,
  type Identification,
  identifyPackage,
  listLookUpKeys,
  type PackageIdentity,
  type PackageOverride,
  type PackagePair,
  type PairOrigin,
} from '../identity.ts'
import type { ComponentIdentifiers } from '../sboms/model.ts'
import { withVersion } from './overrides.ts'

export const IDENTITY_RULES = [
  'declared',
  'scope',
  'override',
  'built from',
  'identifier',
  'left out',
  'table of names',
  'distribution',
  'not matched',
  'look-up',
] as const
type IdentityRule = (typeof IDENTITY_RULES)[number]

interface IdentityStep {
  rule: IdentityRule
  text: string
}

export interface IdentityExplanation {
  steps: IdentityStep[]
  /** undefined: nothing is looked up. */
  identity: PackageIdentity | undefined
}

export function explainIdentity(
  component: IdentifiableComponent,
  override: PackageOverride | undefined,
): IdentityExplanation {
  const { identification } = identifyComponent(component, () => override)
  const identity = 'identity' in identification ? identification.identity : undefined
  const own =
    override === undefined || override.ignored ? component : overridden(override, component)
  const parts = override?.ignored === true ? [] : listParts(own)
  const given = parts.map((part) => ({ part, pairs: listPairs(identifyPackage(part.alone)) }))
  const steps = [
    declaredStep(component),
    ...builtFromStep(component),
    ...(override ? [overrideStep(override)] : []),
    ...(identity ? given.map((one) => identifierStep(one, identity)) : []),
    ...(identity ? aliasSteps(identity) : []),
    ...(identity ? distroStep(identity, component) : []),
    ...notMatchedStep(identification),
    ...(identity ? [lookUpStep(identity)] : []),
  ]
  return { steps, identity }
}

function overridden(
  { version, purls, cpes }: PackageOverride,
  component: IdentifiableComponent,
): IdentifiableComponent {
  const versioned = version === null ? component : withVersion(component, version)
  return { ...versioned, stated: { purls, cpes } }
}

function declaredStep({
  packageName,
  vendor,
  version,
  purl,
  cpes,
  downloadLocation,
}: IdentifiableComponent): IdentityStep {
  const facts = [
    `the name ${packageName}`,
    ...(vendor === undefined ? [] : [`the vendor ${vendor}`]),
    version === undefined ? 'no version' : `the version ${version}`,
    purl === undefined ? 'no purl' : `the purl ${purl}`,
    cpes.length === 0 ? 'no CPE' : `the CPE ${cpes.join(', ')}`,
    ...(downloadLocation === undefined ? [] : [`the download location ${downloadLocation}`]),
  ]
  return { rule: 'declared', text: `The document declares ${facts.join(', ')}.` }
}

function builtFromStep({ builtFrom }: IdentifiableComponent): IdentityStep[] {
  if (!builtFrom) return []
  const { packageName, version, purl, cpes, downloadLocation, isListed, distribution } = builtFrom
  if (isListed === true)
    return [{ rule: 'built from', text: 'All its files are made of files of other components.' }]
  if (packageName === '')
    return [
      { rule: 'built from', text: `The SBOM is about ${distribution ?? 'one distribution'}.` },
    ]
  const identifiers = [purl, ...cpes, downloadLocation].filter((text) => text !== undefined)
  const origin = `It is built from ${named(packageName, version)}`
  const text =
    identifiers.length === 0
      ? `${origin}.`
      : `${origin}, whose identifiers count too: ${identifiers.join(', ')}.`
  return [{ rule: 'built from', text }]
}

function named(name: string, version: string | undefined): string {
  return version === undefined ? name : `${name} ${version}`
}

function overrideStep({ ignored, reason, version, purls, cpes }: PackageOverride): IdentityStep {
  if (ignored)
    return { rule: 'override', text: `An override ignores it: ${reason ?? 'no reason is given'}.` }
  const added = [...purls, ...cpes]
  const changes = [
    ...(version === null ? [] : [`replaces the version, also in identifiers, by ${version}`]),
    ...(added.length === 0 ? [] : [`adds ${added.join(', ')}`]),
  ]
  return { rule: 'override', text: `An override of the workspace ${changes.join(' and ')}.` }
}

interface Part {
  /** What people call it: `purl pkg:npm/a@1`. */
  label: string
  /** The component with this identifier and no other. */
  alone: IdentifiableComponent
}

/** Each identifier by itself. The name counts only where there is nothing else. */
function listParts(component: IdentifiableComponent): Part[] {
  const { builtFrom, stated } = component
  const nothing = { ...bare(component), downloadLocation: undefined, builtFrom: undefined }
  const own = { ...nothing, scope: component.scope, stated: undefined }
  const isNamed = builtFrom !== undefined && builtFrom.isListed !== true
  const source = isNamed ? { ...own, ...bare(builtFrom) } : own
  const parts = [
    ...identifierParts(component, own, ''),
    ...(builtFrom ? identifierParts(builtFrom, source, ' of what it is built from') : []),
    ...identifierParts(
      { ...bare(component), purl: undefined, cpes: [...(stated?.cpes ?? [])] },
      own,
      ' of the override',
    ),
    ...(stated?.purls ?? []).map((purl) => ({
      label: `The purl ${purl} of the override`,
      alone: { ...own, stated: { purls: [purl], cpes: [] } },
    })),
  ]
  const all = [...parts, ...locationParts(component, own, ''), ...locationParts(builtFrom, source)]
  return all.length > 0 ? all : [{ label: `The name ${source.packageName}`, alone: source }]
}

function locationParts(
  of: { downloadLocation?: string | undefined } | undefined,
  nothing: IdentifiableComponent,
  whose = ' of what it is built from',
): Part[] {
  const downloadLocation = of?.downloadLocation
  if (downloadLocation === undefined) return []
  const alone = { ...nothing, downloadLocation }
  return [{ label: `The download location ${downloadLocation}${whose}`, alone }]
}

function bare({ vendor, packageName, version }: ComponentIdentifiers): ComponentIdentifiers {
  return { vendor, packageName, version, purl: undefined, cpes: [] }
}

function identifierParts(
  { purl, cpes }: ComponentIdentifiers,
  nothing: IdentifiableComponent,
  whose: string,
): Part[] {
  return [
    ...(purl === undefined
      ? []
      : [{ label: `The purl ${purl}${whose}`, alone: { ...nothing, purl } }]),
    ...cpes.map((cpe) => ({
      label: `The CPE ${cpe}${whose}`,
      alone: { ...nothing, cpes: [cpe] },
    })),
  ]
}

function listPairs(identification: Identification): readonly PackagePair[] {
  return 'identity' in identification ? identification.identity.pairs : []
}

/** A component that nothing but its name identifies has a pair of the name; an identifier beside it adds nothing then. */
function identifierStep(
  { part, pairs }: { part: Part; pairs: readonly PackagePair[] },
  identity: PackageIdentity,
): IdentityStep {
  const used = pairs.filter(({ key }) => identity.pairs.some((pair) => pair.key === key))
  const own = used.filter(({ alias }) => alias === undefined)
  const shown = (own.length > 0 ? own : used).map(describePair)
  if (shown.length > 0)
    return { rule: 'identifier', text: `${part.label} gives ${shown.join(', ')}.` }
  return {
    rule: 'left out',
    text: `${part.label} gives no name: it cannot be read, states no version, or says less than the others.`,
  }
}

function describePair({ key, version, origin }: PackagePair): string {
  const doubt = origin === undefined ? undefined : WORDS_OF_ORIGIN[origin]
  return `${key} in version ${version}${doubt === undefined ? '' : `, ${doubt}`}`
}

const WORDS_OF_ORIGIN: Partial<Record<PairOrigin, string>> = {
  guess: 'a guess of the tool that wrote the document',
  distribution: "upstream's version of a distribution's build",
  whole: 'the product that it is a part of',
  'other part': 'another part of the product, whose flaws it does not have',
  'stand-in': "NVD's product, where no records of the registry are loaded",
  'stand-in of whole':
    "NVD's product of which it is a part, where no records of the registry are loaded",
  supplied: 'as the stated vendor may have supplied it and not made it',
}

function isOfPart(origin: PairOrigin | undefined): boolean {
  return origin === 'whole' || origin === 'other part'
}

function aliasSteps({ pairs }: PackageIdentity): IdentityStep[] {
  const products = Map.groupBy(
    pairs.filter(({ alias, origin }) => alias !== undefined && !isOfPart(origin)),
    ({ alias }) => alias ?? '',
  )
  return [...products].map(([product, own]) => {
    const keys = [...new Set(own.map(({ key }) => key))].join(', ')
    return {
      rule: 'table of names',
      text: `The names of ${product} stand for each other: ${keys}.`,
    }
  })
}

function distroStep(
  { distro }: PackageIdentity,
  { purl = '' }: IdentifiableComponent,
): IdentityStep[] {
  if (!distro) return []
  const { ecosystem, release } = distro
  if (ecosystem === 'Red Hat' && purl.startsWith('pkg:rpm/centos/'))
    return [
      {
        rule: 'distribution',
        text: `It is a package of CentOS ${release ?? ''}, which was rebuilt from Red Hat's sources: records of Red Hat ${release ?? ''} apply.`,
      },
    ]
  const text =
    release === undefined
      ? `It is a package of ${ecosystem}, but no release is stated, so records of a release cannot be compared.`
      : `It is a package of ${ecosystem} ${release}: records of this release apply.`
  return [{ rule: 'distribution', text }]
}

function notMatchedStep({ notMatchedReason }: Identification): IdentityStep[] {
  if (notMatchedReason === undefined) return []
  const text = REASONS[notMatchedReason] ?? `It is not matched: ${notMatchedReason}.`
  return [{ rule: notMatchedReason.startsWith('scope ') ? 'scope' : 'not matched', text }]
}

const REASONS: Record<string, string> = {
  'no identifier': 'It has neither purl, CPE nor repository, and not both a name and a version.',
  'built from other components':
    'It has no identifier of its own. The components that it is made of are judged in its place.',
  'version missing':
    'It has an identifier, but no version that could be compared: none is stated, or the text names no release, as a branch (6.6.y), a tag of a board support package (linux4microchip-2023.04), or a value that the build did not fill in. State the release, by an override where the build cannot.',
  'version is a commit':
    'Its version is a commit: only records that name this very commit can match, ranges of versions cannot.',
}

function lookUpStep({ pairs }: PackageIdentity): IdentityStep {
  const keys = new Set(pairs.flatMap(listLookUpKeys).map(({ key }) => key))
  return { rule: 'look-up', text: `Records are looked up by ${[...keys].join(', ')}.` }
}
