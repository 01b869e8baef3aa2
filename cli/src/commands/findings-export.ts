import { type Command, Option } from 'commander'
import { download } from '../download.ts'
import { findVersionId, withVersion, type VersionOptions } from '../firmware-version.ts'
import { type ConnectionOptions, withConnection, openSession } from '../session.ts'

const FORMATS = ['csv', 'sarif'] as const

interface ExportOptions extends ConnectionOptions, VersionOptions {
  format: (typeof FORMATS)[number]
  output?: string
}

export function addFindingsExport(findings: Command): void {
  withConnection(withVersion(findings.command('export')))
    .description('Write all findings of a firmware version as CSV or SARIF 2.1.0')
    .addOption(new Option('--format <format>', 'how').choices(FORMATS).default('csv'))
    .option('--output <file>', 'file to write (default: stdout)')
    .action(exportFindings)
}

async function exportFindings(version: string | undefined, options: ExportOptions): Promise<void> {
  const session = await openSession(options)
  const id = encodeURIComponent(await findVersionId(session, version, options))
  const path = `/firmware-versions/${id}/vulnerability-findings/export?format=${options.format}`
  await download(session, path, options.output)
}
