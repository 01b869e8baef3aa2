/** Findings as SARIF 2.1.0 (OASIS Standard, docs.oasis-open.org/sarif/sarif/v2.1.0), one rule a vulnerability. */
import { createHash } from 'node:crypto'
import type { Acceptance } from '../../formats/acceptances.ts'
import { CLOSED_ASSESSMENTS } from '../../formats/assessments.ts'
import { encodeFindingId } from '../../formats/finding-id.ts'
import type { Severity } from '../../formats/advisories/model.ts'
import { type ExportedVersion, findAcceptance } from './csv.ts'
import type { DecidedFinding, ExportedFinding, ExportedVulnerability } from './store.ts'
import { normalisePurl } from '../../formats/purl.ts'
import { cutText } from '../../formats/shorten.ts'

interface SarifInput {
  version: ExportedVersion
  /** The version of this program. */
  release: string
  /** Reads the vulnerabilities of the first `most` findings by their place. */
  vulnerabilities: (most: number) => AsyncIterable<ExportedVulnerability>
  findings: () => AsyncIterable<DecidedFinding>
}

/**
 * Yields the document piece by piece. Rules come first, as results refer to their positions. There are no more of them than
 * results.
 */
export async function* writeFindingsSarif(
  input: SarifInput,
  most = MOST_RESULTS,
): AsyncGenerator<string> {
  const { version, release } = input
  const driver = { name: 'Plimsoll', semanticVersion: release, version: release }
  const places = new Map<string, number>()
  yield `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{`
  yield `"tool":{"driver":${JSON.stringify(driver).slice(0, -1)},"rules":[`
  for await (const vulnerability of input.vulnerabilities(most)) {
    yield `${places.size === 0 ? '' : ','}${JSON.stringify(createRule(vulnerability))}`
    places.set(vulnerability.id, places.size)
  }
  yield `]}},"automationDetails":${JSON.stringify({ id: nameRun(version) })},"results":[`
  let isFirst = true
  const leftOut = new Map<FindingState, number>()
  for await (const finding of input.findings()) {
    if (finding.place > most) {
      const state = readState(finding)
      leftOut.set(state, (leftOut.get(state) ?? 0) + 1)
      continue
    }
    const ruleIndex = places.get(finding.vulnerabilityId)
    yield (isFirst ? '' : ',') + JSON.stringify({ ...createResult(finding, version), ruleIndex })
    isFirst = false
  }
  yield `]${describeLeftOut(leftOut, most)}}]}`
}

/**
 * GitHub refuses files with more results or rules in a run, and takes the part of the id before its last slash for the
 * category: an upload closes the alerts of its category that it does not have (docs.github.com, "SARIF support for code
 * scanning"). So the category is the firmware, whatever slashes the name of a version has.
 */
const MOST_RESULTS = 25_000

function nameRun({ firmwareSlug, firmwareVersionName }: ExportedVersion): string {
  return `plimsoll/${firmwareSlug}/${encodeURIComponent(firmwareVersionName.toWellFormed())}`
}

/** Says how many findings are not in the file, the last ones by their place. */
function describeLeftOut(leftOut: ReadonlyMap<FindingState, number>, most: number): string {
  if (leftOut.size === 0) return ''
  const total = [...leftOut.values()].reduce((sum, count) => sum + count, 0)
  const parts = [...leftOut].map(([state, count]) => `${count} ${state}`).join(', ')
  const findings = total === 1 ? '1 finding is' : `${total} findings are`
  const text = `${findings} left out, as a run has at most ${most} results: ${parts}. Active ones are kept first, the most severe before others. Export them as CSV to have all.`
  const notification = { level: 'warning', message: { text } }
  const invocation = { executionSuccessful: true, toolExecutionNotifications: [notification] }
  return `,"invocations":${JSON.stringify([invocation])}`
}

type FindingState = 'active' | 'of low confidence' | 'closed or ignored'

function readState({ isActive, assessment, ignored }: ExportedFinding): FindingState {
  if (isActive) return 'active'
  return ignored || isClosed(assessment) ? 'closed or ignored' : 'of low confidence'
}

const LEVELS: Record<Severity, 'error' | 'warning' | 'note'> = {
  Critical: 'error',
  High: 'error',
  Medium: 'warning',
  Low: 'note',
  None: 'note',
  Unknown: 'warning',
}

function createRule(vulnerability: ExportedVulnerability) {
  const { id, name, severity, cvssScore, description, sourceUrl } = vulnerability
  const text = plainText(description ?? name)
  const helpUri = webAddress(sourceUrl)
  return {
    id,
    shortDescription: { text: shortened(name) },
    fullDescription: { text: shortened(description ?? name) },
    help: { text: sourceUrl === null ? text : `${text}\n\n${plainText(sourceUrl)}` },
    ...(helpUri !== undefined && { helpUri }),
    defaultConfiguration: { level: LEVELS[severity] },
    properties: {
      tags: ['security', 'vulnerability'],
      severity,
      // Code scanning services sort by this.
      ...(cvssScore !== null && { 'security-severity': String(cvssScore) }),
    },
  }
}

/** A link that a viewer can open. */
function webAddress(text: string | null): string | undefined {
  const url = text !== null && URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined
}

function createResult(finding: DecidedFinding, version: ExportedVersion) {
  const { vulnerabilityId, severity, name, componentName, componentVersion } = finding
  const id = encodeFindingId({ ...finding, firmwareVersionId: version.firmwareVersionId })
  const component =
    componentVersion === null ? componentName : `${componentName} ${componentVersion}`
  const release = `${version.firmwareSlug} ${version.firmwareVersionName}`
  return {
    ruleId: vulnerabilityId,
    ...decideVerdict(finding),
    message: { text: plainText(`${component} in ${release}: ${vulnerabilityId}, ${name}`) },
    locations: [createLocation(finding, version)],
    fingerprints: { 'plimsollFinding/v1': id },
    partialFingerprints: { primaryLocationLineHash: alertHash(finding) },
    suppressions: listSuppressions(finding),
    properties: {
      severity,
      assessment: finding.assessment,
      ignored: finding.ignored,
      isActive: finding.isActive,
      confidence: finding.confidence,
      isKnownCisaExploit: finding.isKnownExploit,
      isDisputed: finding.isDisputed,
      ssvcOutcome: finding.ssvcOutcome,
      ...(finding.owner !== null && { owner: finding.owner }),
      ...describeAccepted(findAcceptance(finding)),
      ...(finding.cvssScore !== null && { cvssScore: finding.cvssScore }),
      ...(finding.epssScore !== null && { epssScore: finding.epssScore }),
      ...(finding.componentCpe !== null && { cpe: finding.componentCpe }),
      detectedAt: finding.detectedAt.toISOString(),
    },
  }
}

function describeAccepted(acceptance: Acceptance | null) {
  if (!acceptance) return {}
  const { until, owner, reason } = acceptance
  return {
    ...(until !== null && { acceptedUntil: until }),
    ...(owner && { acceptanceOwner: owner.email }),
    ...(reason !== null && { acceptanceReason: reason }),
  }
}

/**
 * By which GitHub knows an alert again in the next upload: results without it share file and line, so several components
 * would be one alert. A component is known by its name, so that the alert stays when its version changes, unless others of
 * the name have the vulnerability too; then by its package, whose id comes from its identity.
 */
function alertHash(finding: ExportedFinding): string {
  const { vulnerabilityId, componentName, isAmbiguous, packageId } = finding
  const component = isAmbiguous ? [componentName, packageId] : [componentName]
  const key = JSON.stringify([vulnerabilityId, ...component])
  return `${createHash('sha256').update(key).digest('hex').slice(0, 16)}:1`
}

/** `review` for findings of low confidence: a person should check them (SARIF 2.1.0, 3.27.9). */
function decideVerdict(finding: ExportedFinding) {
  return readState(finding) === 'of low confidence'
    ? { kind: 'review', level: 'none' }
    : { level: LEVELS[finding.severity] }
}

function isClosed(assessment: ExportedFinding['assessment']): boolean {
  return CLOSED_ASSESSMENTS.some((closed) => closed === assessment)
}

/** The component, and the SBOM file that declares it: services that show files need a file. */
function createLocation(finding: ExportedFinding, version: ExportedVersion) {
  const { componentName, componentVersion, componentPurl, fileName } = finding
  const parent = `${version.firmwareSlug}@${version.firmwareVersionName}`
  const own =
    (componentPurl && normalisePurl(componentPurl)) ??
    (componentVersion === null ? componentName : `${componentName}@${componentVersion}`)
  return {
    logicalLocations: [
      { name: own, fullyQualifiedName: `${parent}/${own}`, kind: 'package' },
      { name: parent, fullyQualifiedName: parent, kind: 'firmware' },
    ],
    ...(fileName !== null && {
      physicalLocation: {
        artifactLocation: { uri: encodeURIComponent(fileName.toWellFormed()) },
        region: { startLine: 1 },
      },
    }),
  }
}

/** An empty list, not an absent one: if one result has suppressions, all need the list (3.27.23). */
function listSuppressions(finding: ExportedFinding) {
  const { assessment, ignored, justification, detail } = finding
  if (!isClosed(assessment) && !ignored) return []
  const reasons = isClosed(assessment)
    ? [assessment, justification, detail]
    : describeIgnored(findAcceptance(finding))
  const given = reasons.filter((reason) => reason !== null && reason !== '')
  return [{ kind: 'external', status: 'accepted', justification: given.join(': ') }]
}

/** "Accepted until 2027-03-01 by ann@example.com: not reachable" */
function describeIgnored(acceptance: Acceptance | null): string[] {
  if (!acceptance) return ['Ignored']
  const { until, owner, acceptedByEmail, reason } = acceptance
  const by = owner?.email ?? acceptedByEmail
  const end = until === null ? '' : ` until ${until.slice(0, 10)}`
  return [`Accepted${end}${by === null ? '' : ` by ${by}`}`, ...(reason === null ? [] : [reason])]
}

/** GitHub takes at most 1,024; the help has the whole text. */
const MOST_CHARACTERS = 1_000

function shortened(text: string): string {
  const plain = plainText(text)
  if (plain.length <= MOST_CHARACTERS) return plain
  // A backslash of an escape is not the last character.
  return `${cutText(plain, MOST_CHARACTERS).replace(/(?<!\\)(\\\\)*\\$/, '$1')}…`
}

/** Brackets mean links, so they need a backslash (3.11.6). */
function plainText(text: string): string {
  return text.replaceAll(/[\\[\]]/g, String.raw`\$&`)
}
