import { isActive } from '../../../formats/assessments.ts'
import { encodeFindingId } from '../../../formats/finding-id.ts'
import type { AppContext } from '../../../platform/context.ts'
import { invalid } from '../../../platform/errors.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import { compareLicences } from '../../licences/index.ts'
import { compareSupport } from '../../support/index.ts'
import {
  countBySeverity,
  diffComponents,
  diffFindings,
  type FindingPair,
  type HeldComponent,
  type HeldFinding,
} from './diff.ts'
import { findPredecessorId, readSide } from './store.ts'

interface DiffVersions {
  workspaceId: string
  firmwareVersionId: string
  base?: string
}

/** Both versions, and what each holds. */
async function readSides(ctx: AppContext, input: DiffVersions) {
  const { workspaceId } = input
  const version = await getFirmwareVersion(ctx.db, workspaceId, input.firmwareVersionId)
  const baseId =
    input.base ?? (await findPredecessorId(ctx.db, { workspaceId, firmwareVersionId: version.id }))
  if (baseId === undefined)
    throw invalid('No earlier version of this firmware has an SBOM: state a base.', '/query/base')
  const base = await getFirmwareVersion(ctx.db, workspaceId, baseId)
  const sideOf = (firmwareVersionId: string) => readSide(ctx.db, { workspaceId, firmwareVersionId })
  const versions = {
    base: { id: base.id, name: base.name, firmware: base.firmware },
    firmwareVersion: { id: version.id, name: version.name, firmware: version.firmware },
  }
  const support = await compareSupport(ctx, { workspaceId, baseId: base.id, versionId: version.id })
  const licences = await compareLicences(ctx.db, {
    workspaceId,
    firmwareId: version.firmware.id,
    baseId: base.id,
    versionId: version.id,
  })
  const [before, now] = [await sideOf(base.id), await sideOf(version.id)]
  return { versions, before, now, support, licences }
}

/** As the difference has them, without the findings: those of two kernels are some megabytes. */
export async function countDifferences(ctx: AppContext, input: DiffVersions) {
  const { versions, before, now, support, licences } = await readSides(ctx, input)
  const { fixed, introduced, remaining } = diffFindings(before, now)
  const isInBoth = (pair: FindingPair) => pair.base !== undefined && pair.version !== undefined
  const count = (those: typeof fixed) => ({
    findingCount: those.length,
    exploitedCount: those.filter(({ shown }) => shown.isKnownExploit).length,
  })
  return {
    ...versions,
    fixed: count(fixed.filter((pair) => !isInBoth(pair))),
    introduced: count(introduced.filter((pair) => !isInBoth(pair))),
    decidedOtherwise: count([...fixed, ...introduced].filter(isInBoth)),
    remaining: count(remaining),
    support,
    licences,
  }
}

export async function diffFirmwareVersions(ctx: AppContext, input: DiffVersions) {
  const { versions, before, now, support, licences } = await readSides(ctx, input)
  const { added, removed, changed } = diffComponents(before, now)
  const findings = diffFindings(before, now)
  const ids = { baseId: versions.base.id, versionId: versions.firmwareVersion.id }
  const shown = (those: typeof findings.fixed) => ({
    countsBySeverity: countBySeverity(those),
    findings: those.map((one) => shownFinding(one, ids)),
  })
  return {
    ...versions,
    components: {
      added: added.map(shownComponent),
      removed: removed.map(shownComponent),
      changed: changed.map(({ from, to }) => ({
        ...shownComponent(to),
        from: from.version,
        to: to.version,
      })),
    },
    fixed: shown(findings.fixed),
    introduced: shown(findings.introduced),
    remaining: shown(findings.remaining),
    support,
    licences,
  }
}

function shownComponent({ name, version, vendor, purl }: HeldComponent) {
  return { name, version, vendor, purl }
}

function shownFinding(
  { base, version, shown }: FindingPair & { shown: HeldFinding },
  { baseId, versionId }: { baseId: string; versionId: string },
) {
  return {
    cveId: shown.vulnerabilityId,
    name: shown.name,
    severity: shown.severity,
    cvssScore: shown.cvssScore,
    isKnownCisaExploit: shown.isKnownExploit,
    componentName: shown.componentName,
    componentVersion: shown.componentVersion,
    baseFinding: readState(base, baseId),
    finding: readState(version, versionId),
  }
}

function readState(finding: HeldFinding | undefined, firmwareVersionId: string) {
  if (!finding) return null
  const { packageId, vulnerabilityId, assessment, ignored } = finding
  return {
    id: encodeFindingId({ firmwareVersionId, packageId, vulnerabilityId }),
    assessment,
    ignored,
    isActive: isActive(finding),
  }
}
