import type { Command } from 'commander'
import { diffVersions, type VersionDiff } from '../diff.ts'
import { severityStyle } from '../findings-table.ts'
import { findStatedVersionId } from '../firmware-version.ts'
import { plural, printJson, printLine } from '../print.ts'
import { type ConnectionOptions, connecting, openSession } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { terminal } from '../terminal.ts'

export function addDiffCommand(program: Command): void {
  connecting(program.command('diff'))
    .description('Compare components and findings of two firmware versions')
    .argument('<older>', 'id of a version, or slug@name')
    .argument('<newer>', 'id of a version, or slug@name')
    .action(diff)
}

async function diff(older: string, newer: string, options: ConnectionOptions): Promise<void> {
  const session = await openSession(options)
  const base = await findStatedVersionId(session, older)
  const answer = await diffVersions(session, base, await findStatedVersionId(session, newer))
  if (options.json) printJson(answer)
  else printDiff(answer)
}

interface Change {
  change: string
  name: string
  from: string | null
  to: string | null
}

const CHANGES: readonly Column<Change>[] = [
  { title: 'CHANGE', value: ({ change }) => change },
  { title: 'COMPONENT', value: ({ name }) => name },
  { title: 'FROM', value: ({ from }) => from },
  { title: 'TO', value: ({ to }) => to },
]

type Finding = VersionDiff['fixed']['findings'][number] & { change: string }

const FINDINGS: readonly Column<Finding>[] = [
  { title: 'CHANGE', value: ({ change }) => change },
  {
    title: 'SEVERITY',
    value: ({ severity }) => severity,
    style: ({ severity }) => severityStyle(severity),
  },
  { title: 'CVE', value: ({ cveId }) => cveId },
  { title: 'KEV', value: ({ isKnownCisaExploit }) => (isKnownCisaExploit ? 'yes' : '') },
  { title: 'COMPONENT', value: ({ componentName }) => componentName },
  { title: 'VERSION', value: ({ componentVersion }) => componentVersion },
  { title: 'NAME', value: ({ name }) => name },
]

function printDiff({ components, fixed, introduced, remaining }: VersionDiff): void {
  const { added, removed, changed } = components
  const changes: Change[] = [
    ...added.map(({ name, version }) => ({ change: 'added', name, from: null, to: version })),
    ...removed.map(({ name, version }) => ({ change: 'removed', name, from: version, to: null })),
    ...changed.map(({ name, from, to }) => ({ change: 'changed', name, from, to })),
  ]
  const findings: Finding[] = [
    ...introduced.findings.map((finding) => ({ ...finding, change: 'introduced' })),
    ...fixed.findings.map((finding) => ({
      ...finding,
      change: finding.finding ? 'assessed' : 'fixed',
    })),
  ]
  if (changes.length > 0) writeTable(terminal().stdout, CHANGES, changes)
  if (findings.length > 0) {
    if (changes.length > 0) printLine('')
    writeTable(terminal().stdout, FINDINGS, findings)
  }
  const counts = [
    `${plural(changes.length, 'component')} changed`,
    `${plural(introduced.findings.length, 'finding')} introduced`,
    `${fixed.findings.length} fixed or closed`,
    `${remaining.findings.length} remaining`,
  ]
  printLine(`${changes.length + findings.length > 0 ? '\n' : ''}${counts.join(', ')}`)
}
