import type { Command } from 'commander'
import { download } from '../download.ts'
import { type ConnectionOptions, withConnection, openSession } from '../session.ts'

interface ExportOptions extends ConnectionOptions {
  sbom: string
  output?: string
}

export function addComponentsExport(components: Command): void {
  withConnection(components.command('export'))
    .description('Write the components of an SBOM as CSV')
    .requiredOption('--sbom <id>', 'the SBOM; sbom list names them')
    .option('--output <file>', 'file to write (default: stdout)')
    .action(exportComponents)
}

async function exportComponents(options: ExportOptions): Promise<void> {
  const session = await openSession(options)
  const path = `/sboms/${encodeURIComponent(options.sbom)}/components/export`
  await download(session, path, options.output)
}
