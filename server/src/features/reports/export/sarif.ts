/** Findings as SARIF 2.1.0 (OASIS Standard, docs.oasis-open.org/sarif/sarif/v2.1.0), one rule a vulnerability. */
import type { Severity } from '../../../formats/advisories/model.ts'
import { CLOSED_ASSESSMENTS } from '../../findings/index.ts'
import type { ExportedVersion } from './csv.ts'
import type { ExportedFinding, ExportedVulnerability } from './store.ts'
import { encodeFindingId } from '../../findings/index.ts'

interface SarifInput {
  version: ExportedVersion
  /** The version of this program. */
  release: string
  vulnerabilities: () => AsyncIterable<ExportedVulnerability>
  findings: () => AsyncIterable<ExportedFinding>
}

/** Yields the document piece by piece. Rules come first, as results refer to their positions. */
export async function* findingsSarif(input: SarifInput): AsyncGenerator<string> {
  const { version, release } = input
  const driver = { name: 'Plimsoll', semanticVersion: release, version: release }
  const places = new Map<string, number>()
  yield `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{`
  yield `"tool":{"driver":${JSON.stringify(driver).slice(0, -1)},"rules":[`
  for await (const vulnerability of input.vulnerabilities()) {
    yield `${places.size === 0 ? '' : ','}${JSON.stringify(ruleOf(vulnerability))}`
    places.set(vulnerability.id, places.size)
  }
  const { firmwareSlug, firmwareVersionName } = version
  const run = `plimsoll/${firmwareSlug}/${firmwareVersionName}`
  yield `]}},"automationDetails":${JSON.stringify({ id: run })},"results":[`
  let separator = ''
  for await (const finding of input.findings()) {
    const ruleIndex = places.get(finding.vulnerabilityId)
    yield separator + JSON.stringify({ ...resultOf(finding, version), ruleIndex })
    separator = ','
  }
  yield ']}]}'
}

const LEVELS: Record<Severity, 'error' | 'warning' | 'note'> = {
  Critical: 'error',
  High: 'error',
  Medium: 'warning',
  Low: 'note',
  None: 'note',
  Unknown: 'warning',
}

function ruleOf(vulnerability: ExportedVulnerability) {
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

function resultOf(finding: ExportedFinding, version: ExportedVersion) {
  const { vulnerabilityId, severity, name, componentName, componentVersion } = finding
  const id = encodeFindingId({ ...finding, firmwareVersionId: version.firmwareVersionId })
  const component =
    componentVersion === null ? componentName : `${componentName} ${componentVersion}`
  const release = `${version.firmwareSlug} ${version.firmwareVersionName}`
  return {
    ruleId: vulnerabilityId,
    ...verdictOf(finding),
    message: { text: plainText(`${component} in ${release}: ${vulnerabilityId}, ${name}`) },
    locations: [locationOf(finding, version)],
    fingerprints: { 'plimsollFinding/v1': id },
    suppressions: suppressionsOf(finding),
    properties: {
      severity,
      assessment: finding.assessment,
      ignored: finding.ignored,
      isActive: finding.isActive,
      confidence: finding.confidence,
      isKnownCisaExploit: finding.isKnownExploit,
      ...(finding.cvssScore !== null && { cvssScore: finding.cvssScore }),
      ...(finding.epssScore !== null && { epssScore: finding.epssScore }),
      ...(finding.componentCpe !== null && { cpe: finding.componentCpe }),
      detectedAt: finding.detectedAt.toISOString(),
    },
  }
}

/** `review` for findings of low confidence: a person should check them (SARIF 2.1.0, 3.27.9). */
function verdictOf({ severity, isActive, assessment, ignored }: ExportedFinding) {
  const isDoubtful = !isActive && !ignored && !isClosed(assessment)
  return isDoubtful ? { kind: 'review', level: 'none' } : { level: LEVELS[severity] }
}

function isClosed(assessment: ExportedFinding['assessment']): boolean {
  return CLOSED_ASSESSMENTS.some((closed) => closed === assessment)
}

/** The component, and the SBOM file that declares it: services that show files need a file. */
function locationOf(finding: ExportedFinding, version: ExportedVersion) {
  const { componentName, componentVersion, componentPurl, fileName } = finding
  const parent = `${version.firmwareSlug}@${version.firmwareVersionName}`
  const own =
    componentPurl ??
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
function suppressionsOf(finding: ExportedFinding) {
  const { assessment, ignored, justification, detail } = finding
  if (!isClosed(assessment) && !ignored) return []
  const reasons = isClosed(assessment) ? [assessment, justification, detail] : ['Ignored']
  const given = reasons.filter((reason) => reason !== null && reason !== '')
  return [{ kind: 'external', status: 'accepted', justification: given.join(': ') }]
}

/** Code scanning services cut longer descriptions; the help has the whole text. */
const MOST_CHARACTERS = 1_000

function shortened(text: string): string {
  const short =
    text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS).toWellFormed()}…` : text
  return plainText(short)
}

/** Brackets mean links, so they need a backslash (3.11.6). */
function plainText(text: string): string {
  return text.replaceAll(/[\\[\]]/g, String.raw`\$&`)
}
