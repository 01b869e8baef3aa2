import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import { type CheckedSbom, readFailure } from '../../../api-client/src/index.ts'
import { PROFILE_IDS } from '../../../server/src/formats/sbom-profiles/profile.ts'
import { EXIT } from '../exit-codes.ts'
import { isActive, describeSwitchedOff } from '../findings.ts'
import { findNamedVersionId, type VersionOptions, withVersionOptions } from '../firmware-version.ts'
import { findUploadFile, type UploadFile } from '../multipart.ts'
import { collect } from '../option-values.ts'
import { note, printJson } from '../print.ts'
import { PATIENT_DELAYS_MS, withRetries } from '../retry.ts'
import { readProfiles } from '../profiles.ts'
import { openSession, type Session } from '../session.ts'
import { UNBUFFERED } from '../upload.ts'
import { isOver, readSources } from '../verdict.ts'
import { usageError } from '../failure.ts'
import { findProfiles } from '../sbom-grades.ts'
import { describeLicences, describeSupport } from '../support-lines.ts'
import { checkLicences } from './sbom-licence.ts'
import { checkProfiles } from './sbom-profile.ts'
import { checkSignature } from './sbom-signature.ts'
import { concludeCheck, withJudging, type JudgingOptions, printVerdict } from './findings-check.ts'

interface CheckOptions extends JudgingOptions, VersionOptions {
  page?: string
  licenceRules?: string
  keys: readonly string[]
  signature: readonly string[]
}

export function addSbomCheck(sbom: Command): void {
  const checking = sbom
    .command('check')
    .argument('<file>', 'the document')
    .argument('[version]', 'slug@name or id of a version whose decisions hold for the SBOM, too')
  withJudging(withVersionOptions(checking))
    .description(
      'Judge an SBOM without keeping it, and fail as findings check does; with --profile bsi, say offline what it lacks',
    )
    .option('--page <file>', 'with --profile bsi, ntia or cisa: write the grades as an HTML page')
    .option(
      '--licence-rules <file>',
      'judge the licences offline by allow, deny and review of this JSON file',
    )
    .option(
      '--keys <path>',
      'say offline whether one of the keys or certificates of this file or folder signed the document; may be repeated',
      collect,
      [],
    )
    .option(
      '--signature <file>',
      'with --keys: a signature beside the document (minisign, cosign, openssl, or a DSSE envelope); may be repeated',
      collect,
      [],
    )
    .addHelpText('after', PROFILE_HELP)
    .action(check)
}

const PROFILE_HELP = `
Profiles: --profile ${PROFILE_IDS.join('|')} (or several, with commas) grades the document by what BSI
TR-03183-2, NTIA or CISA ask an SBOM to state. It needs no service and no key, and nothing leaves this machine.
Any other name is that of a login that is kept. It ends with ${EXIT.profileNotMet} where required elements are missing or the
format cannot say them, with ${EXIT.sbomFailed} where the document cannot be read, and with ${EXIT.ok} where all are stated.`

async function check(
  path: string,
  version: string | undefined,
  options: CheckOptions,
): Promise<void> {
  if (await checkOffline(path, options)) return
  if (options.page !== undefined)
    throw usageError('--page belongs to --profile bsi, bsi-2.0, ntia or cisa.')
  if (options.failOn.outcomes.length > 0)
    throw usageError(
      'sbom check knows no outcomes of SSVC: they depend on the product and its devices. Use findings check.',
    )
  if (options.profile !== undefined) await requireLogin(options.profile)
  const file = await findUploadFile(path)
  const session = await openSession(options)
  const baseVersionId = await findNamedVersionId(session, version, options)
  const { findings: all, ...answer } = await sendDocument(session, file, baseVersionId)
  const { sboms, coverage, switchedOffCount, support, licences } = answer
  const sources = await readSources(session)
  const findings = all.filter((one) => isActive(one) && isOver(options.failOn, one))
  const verdict = concludeCheck(options, { sboms, sources, findings, coverage })
  if (options.json) {
    printJson(
      { ...verdict, coverage, findings, switchedOffCount, support, licences, sboms, sources },
      findings,
    )
    return
  }
  printVerdict(verdict, { findings, coverage }, options)
  for (const text of describeSwitchedOff(switchedOffCount)) note(text)
  if (support) note(`Support: ${describeSupport(support)}`)
  if (licences) note(`Licences: ${describeLicences(licences)}`)
}

/** Whether the options ask for a check that needs no service, which is then done. */
async function checkOffline(path: string, options: CheckOptions): Promise<boolean> {
  const profiles = findProfiles(options.profile)
  const { licenceRules, keys, signature } = options
  const asked = [profiles, licenceRules, keys[0]].filter((one) => one !== undefined)
  if (asked.length > 1)
    throw usageError(
      'Give --licence-rules, --keys and --profile bsi, ntia or cisa to calls of their own.',
    )
  if (signature.length > 0 && keys.length === 0) throw usageError('--signature belongs to --keys.')
  if (profiles) await checkProfiles(path, profiles, options)
  if (licenceRules !== undefined) await checkLicences(path, licenceRules, options)
  if (keys.length > 0) await checkSignature(path, options)
  return asked.length > 0
}

/** A slip in the name of a profile to grade by looks like the name of a login. */
async function requireLogin(name: string): Promise<void> {
  const { profiles } = await readProfiles()
  if (profiles.some((one) => one.name === name)) return
  throw usageError(
    `${JSON.stringify(name)} is neither a profile to grade by (${PROFILE_IDS.join(', ')}) nor a login that is kept.`,
  )
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
