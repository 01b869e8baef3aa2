import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import { type CheckedSbom, readFailure } from '../../../api-client/src/index.ts'
import { isActive, describeSwitchedOff } from '../findings.ts'
import { findNamedVersionId, type VersionOptions, withVersionOptions } from '../firmware-version.ts'
import { findUploadFile, type UploadFile } from '../multipart.ts'
import { note, printJson } from '../print.ts'
import { PATIENT_DELAYS_MS, withRetries } from '../retry.ts'
import { openSession, type Session } from '../session.ts'
import { UNBUFFERED } from '../upload.ts'
import { isOver, readSources } from '../verdict.ts'
import { concludeCheck, withJudging, type JudgingOptions, printVerdict } from './findings-check.ts'

interface CheckOptions extends JudgingOptions, VersionOptions {}

export function addSbomCheck(sbom: Command): void {
  const checking = sbom
    .command('check')
    .argument('<file>', 'the document')
    .argument('[version]', 'slug@name or id of a version whose decisions hold for the SBOM, too')
  withJudging(withVersionOptions(checking))
    .description('Judge an SBOM without keeping it, and fail as findings check does')
    .action(check)
}

async function check(
  path: string,
  version: string | undefined,
  options: CheckOptions,
): Promise<void> {
  const file = await findUploadFile(path)
  const session = await openSession(options)
  const baseVersionId = await findNamedVersionId(session, version, options)
  const { findings: all, ...answer } = await sendDocument(session, file, baseVersionId)
  const { sboms, coverage, switchedOffCount } = answer
  const sources = await readSources(session)
  const findings = all.filter((one) => isActive(one) && isOver(options.failOn, one))
  const verdict = concludeCheck(options, { sboms, sources, findings, coverage })
  if (options.json) {
    printJson({ ...verdict, coverage, findings, switchedOffCount, sboms, sources }, findings)
    return
  }
  printVerdict(verdict, { findings, coverage }, options)
  for (const text of describeSwitchedOff(switchedOffCount)) note(text)
}

async function sendDocument(
  { baseUrl, workspaceId, apiKey }: Session,
  { path, name, sizeBytes }: UploadFile,
  baseVersionId: string | undefined,
): Promise<CheckedSbom> {
  const query = new URLSearchParams({ fileName: name, ...(baseVersionId && { baseVersionId }) })
  const url = `${baseUrl}/workspaces/${encodeURIComponent(workspaceId)}/sbom-checks?${query.toString()}`
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/octet-stream',
    'content-length': String(sizeBytes),
  }
  const send = (): Promise<Response> => {
    const body = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>
    return fetch(url, { ...UNBUFFERED, method: 'POST', headers, body, duplex: 'half' })
  }
  const response = await withRetries(send, {
    repeatable: true,
    origin: new URL(url).origin,
    delaysMs: PATIENT_DELAYS_MS,
  })
  if (response.status !== 200) throw await readFailure(response)
  return (await response.json()) as CheckedSbom
}
