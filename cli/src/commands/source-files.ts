import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import {
  readAllPages,
  readFailure,
  type SbomComponent,
  type SourceFilesReplaced,
} from '../../../api-client/src/index.ts'
import { usageError } from '../failure.ts'
import { findUploadFile } from '../multipart.ts'
import { formatCount, printJson, printLine } from '../print.ts'
import { withRetries } from '../retry.ts'
import { type ConnectionOptions, withConnection, openSession, type Session } from '../session.ts'

interface UploadOptions extends ConnectionOptions {
  sbom: string
  component: string
}

export function addSourceFiles(components: Command): void {
  withConnection(components.command('source-files'))
    .description('Upload the list of source files of a component, one path per line')
    .argument('<file>', 'the list, as the build wrote it')
    .requiredOption('--sbom <id>', 'the SBOM; sbom list names them')
    .requiredOption('--component <name[@version]>', 'the component, as the SBOM declares it')
    .action(upload)
}

async function upload(file: string, options: UploadOptions): Promise<void> {
  await findUploadFile(file)
  const session = await openSession(options)
  const chosen = await findComponents(session, options)
  const answers: SourceFilesReplaced[] = []
  for (const { id } of chosen) answers.push(await put(session, { ...options, file, id }))
  if (options.json) printJson({ components: answers }, answers)
  else
    for (const { fileCount, ignoredCount } of answers)
      printLine(
        `${options.component}: ${formatCount(fileCount, 'source file')}, ${formatCount(ignoredCount, 'other line')}`,
      )
}

/** Applies to every equal declaration, since they stand for one package. */
async function findComponents(
  { client, workspaceId }: Session,
  { sbom, component }: UploadOptions,
): Promise<SbomComponent[]> {
  const path = '/workspaces/{workspaceId}/sboms/{sbomId}/components/list'
  const params = { workspaceId, sbomId: sbom }
  const pages = readAllPages((cursor) =>
    client.post(path, { params, body: { limit: 1000, ...cursor } }),
  )
  const found: SbomComponent[] = []
  for await (const { components } of pages)
    for (const each of components.filter(
      ({ packageName, version }) =>
        packageName === component || `${packageName}@${version}` === component,
    ))
      found.push(each)
  if (found.length === 0)
    throw usageError(`The SBOM declares no component ${JSON.stringify(component)}.`)
  return found
}

async function put(
  { baseUrl, workspaceId, apiKey }: Session,
  { sbom, id, file }: { sbom: string; id: string; file: string },
): Promise<SourceFilesReplaced> {
  const of = [workspaceId, sbom, id].map(encodeURIComponent)
  const url = `${baseUrl}/workspaces/${of[0]}/sboms/${of[1]}/components/${of[2]}/source-files`
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'text/plain' }
  const send = (): Promise<Response> => {
    const body = Readable.toWeb(createReadStream(file))
    return fetch(url, { method: 'PUT', headers, body, duplex: 'half' })
  }
  const response = await withRetries(send, { repeatable: true, origin: new URL(url).origin })
  if (response.status !== 200) throw await readFailure(response)
  return (await response.json()) as SourceFilesReplaced
}
