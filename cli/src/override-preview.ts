/** Prints what an override would change: counts first, then lists. */
import type { OverridePreview } from '../../api-client/src/index.ts'
import { styleSeverity } from './findings-table.ts'
import { formatVersions } from './overrides.ts'
import { formatCount, printLine } from './print.ts'
import { sanitise } from './printable.ts'
import { type Column, writeTable } from './table.ts'
import { getTerminal } from './terminal.ts'

type MetPackage = OverridePreview['packages'][number]
type Change = OverridePreview['appearing'][number]
type LostChange = OverridePreview['disappearing'][number]

export function printPreview(preview: OverridePreview): void {
  printCounts(preview)
  if (preview.packages.length > 0) {
    printLine('')
    writeTable(getTerminal().stdout, PACKAGES, preview.packages)
    printRest(preview.packageCount - preview.packages.length, 'package')
  }
  printChanges('would appear', preview.appearing)
  printChanges('would disappear', preview.disappearing, DISAPPEARING)
  printChanges('would change their confidence', preview.changing)
  printLine('\nDry run: nothing was changed.')
}

function printCounts(preview: OverridePreview): void {
  const { componentCount, endingComponentCount, otherOverrideComponentCount, madeFor } = preview
  const { appearing, disappearing, changing, staying } = preview.findingCounts
  const versions = formatCount(preview.firmwareVersionCount, 'firmware version')
  if (endingComponentCount === 0)
    printLine(`It would apply to ${formatCount(componentCount, 'component')} in ${versions}.`)
  else
    printLine(
      `It would apply to ${formatCount(componentCount, 'component')}, and no longer to ${endingComponentCount}, in ${versions}.`,
    )
  printLine(
    `Findings: ${appearing} would appear, ${disappearing} disappear, ${changing} change their confidence, ${staying} stay.`,
  )
  const { assessed, ignored } = preview.disappearingDecisions
  if (assessed + ignored > 0)
    printLine(
      `Of those that would disappear, ${assessed} were assessed and ${ignored} were ignored.`,
    )
  if (otherOverrideComponentCount > 0)
    printLine(
      `Another override would apply to ${formatCount(otherOverrideComponentCount, 'component')}.`,
    )
  if (madeFor !== null)
    printLine(
      sanitise(
        `It would hold for the declared versions ${formatVersions(madeFor)}, not for others.`,
      ),
    )
}

const PACKAGES: readonly Column<MetPackage>[] = [
  { title: 'PACKAGE', value: ({ packageName }) => packageName },
  { title: 'VERSION', value: ({ version }) => version },
  { title: 'COMPONENTS', value: ({ componentCount }) => componentCount },
  { title: 'FIRMWARE VERSIONS', value: ({ firmwareVersionCount }) => firmwareVersionCount },
  { title: 'LOOKED UP AS', value: ({ before }) => identityText(before) },
  {
    title: 'WOULD BE LOOKED UP AS',
    value: ({ after }) => identityText(after),
    style: ({ after }) => (after.names.length > 0 && !after.isKnown ? 'yellow' : undefined),
  },
]

function identityText({ names, isKnown, notMatchedReason }: MetPackage['before']): string {
  if (names.length === 0) return notMatchedReason ?? ''
  const text = names.map(({ key, version }) => `${key} ${version}`).join(', ')
  return isKnown ? text : `${text} (known to no source)`
}

const CHANGES: readonly Column<Change>[] = [
  {
    title: 'SEVERITY',
    value: ({ severity }) => severity,
    style: ({ severity }) => styleSeverity(severity),
  },
  { title: 'CVSS', value: ({ cvssScore }) => cvssScore?.toFixed(1) ?? null },
  { title: 'EPSS', value: ({ epssScore }) => epssScore?.toFixed(3) ?? null },
  { title: 'EXPLOITED', value: ({ isExploited }) => (isExploited ? 'yes' : '') },
  { title: 'CVE', value: ({ cveId }) => cveId },
  { title: 'COMPONENT', value: ({ packageName }) => packageName },
  { title: 'VERSION', value: ({ version }) => version },
  {
    title: 'CONFIDENCE',
    value: ({ confidenceBefore, confidenceAfter }) =>
      [confidenceBefore, confidenceAfter].filter((one) => one !== null).join(' → '),
  },
  { title: 'FIRMWARE VERSIONS', value: describeVersions },
]

const DISAPPEARING: readonly Column<LostChange>[] = [
  ...CHANGES,
  {
    title: 'DECIDED',
    value: ({ decisions: { assessed, ignored } }) =>
      [
        ...(assessed > 0 ? [`${assessed} assessed`] : []),
        ...(ignored > 0 ? [`${ignored} ignored`] : []),
      ].join(', '),
  },
]

function describeVersions({ firmwareVersions, firmwareVersionCount }: Change): string {
  const names = firmwareVersions.map(({ firmwareName, name }) => `${firmwareName} ${name}`)
  const rest = firmwareVersionCount - names.length
  return [...names, ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ')
}

/** The list is of vulnerabilities and components, so its rows are fewer than the counted findings. */
function printChanges<Row extends Change>(
  title: string,
  changes: readonly Row[],
  columns: readonly Column<Row>[] = CHANGES,
): void {
  if (changes.length === 0) return
  printLine(`\nFindings that ${title}, worst first:`)
  writeTable(getTerminal().stdout, columns, changes)
  if (changes.length === MOST_LISTED) printLine(`At most ${MOST_LISTED} are listed.`)
}

/** As many rows as the service lists. */
const MOST_LISTED = 100

function printRest(count: number, one: string): void {
  if (count > 0) printLine(`And ${formatCount(count, `more ${one}`)}.`)
}
