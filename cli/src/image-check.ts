/** Judges an image on this machine, by the code of the service (decisions 80 and 131). */
import { basename } from 'node:path'
import { parseDetachedSignature } from '../../server/src/formats/images/detached-signature.ts'
import { examineImage } from '../../server/src/formats/images/examine-image.ts'
import { listUnmet } from '../../server/src/formats/images/image-demands.ts'
import type { ImageFacts } from '../../server/src/formats/images/image-facts.ts'
import { describeVerdict, type TrustedKey } from '../../server/src/formats/images/judge-image.ts'
import type { FileDemand } from '../../server/src/formats/gate-rules.ts'
import { EXIT } from './exit-codes.ts'
import { describeKeys, readGivenSignature, readKeyFiles, readWorkspaceKeys } from './given-keys.ts'
import { withImageFile } from './image-file.ts'
import { describeImage } from './image-lines.ts'
import { formatTime } from './instant.ts'
import { note, printJson, printLine } from './print.ts'
import { sanitise } from './printable.ts'
import { type ConnectionOptions, openSession } from './session.ts'
import { getTerminal } from './terminal.ts'

export interface CheckOptions extends ConnectionOptions {
  keys: readonly string[]
  workspaceKeys?: boolean
  signature: readonly string[]
  name?: string
  securityCounter?: number
  allowTestKey?: boolean
}

export async function checkImage(path: string, options: CheckOptions): Promise<void> {
  getTerminal().isQuiet = options.quiet ?? false
  const { atHand, trusted } = describeKeys(await readKeys(options))
  const detached = await Promise.all(
    options.signature.map((one) => readGivenSignature(one, parseDetachedSignature)),
  )
  if (trusted.length === 0)
    note('No key is trusted here, so nothing can be verified: name some with --keys.')
  const checked = await withImageFile(path, async (image) => ({
    sizeBytes: image.size,
    facts: await examineImage(image, atHand, detached),
  }))
  const told = judge(path, { ...checked, trusted, options })
  if (options.json) printJson(told)
  else for (const line of describe(told)) printLine(sanitise(line))
  if (told.unmet.length > 0) getTerminal().exitCode = EXIT.imageNotVerified
}

async function readKeys({ keys, workspaceKeys, ...connection }: CheckOptions) {
  const ofFiles = await readKeyFiles(keys)
  if (workspaceKeys !== true && connection.workspace === undefined) return ofFiles
  return [...ofFiles, ...(await readWorkspaceKeys(await openSession(connection)))]
}

interface Checked {
  sizeBytes: number
  facts: ImageFacts
  trusted: readonly TrustedKey[]
  options: CheckOptions
}

type ToldCheck = ReturnType<typeof judge>

function judge(path: string, { sizeBytes, facts, trusted, options }: Checked) {
  const { name, securityCounter, allowTestKey } = options
  const verdict = describeVerdict(facts, { name, trusted, now: new Date() })
  const image = {
    ...verdict,
    versionName: name ?? '',
    statedVersion: verdict.statement.version,
    securityCounter: verdict.statement.securityCounter,
    leastCounter:
      securityCounter === undefined
        ? null
        : { value: securityCounter, because: 'as --security-counter asks' },
  }
  const demands: FileDemand[] = [
    'Signed',
    ...(allowTestKey === true ? [] : (['NoTestKey'] as const)),
    ...(name === undefined ? [] : (['NamedVersion'] as const)),
    ...(securityCounter === undefined ? [] : (['CounterNotLower'] as const)),
  ]
  return {
    fileName: basename(path),
    sizeBytes,
    sha256:
      facts.hashes?.find(({ of, value }) => of === null && value.length === 64)?.value ?? null,
    ...verdict,
    trustedKeyCount: trusted.length,
    /** Of what was asked, that which does not hold. Empty: all of it holds. */
    unmet: listUnmet(image, demands),
  }
}

function describe(told: ToldCheck): string[] {
  const { signatures, sha256, unmet } = told
  return [
    // What was asked about its version stands among what does not hold.
    ...describeImage({ ...told, role: 'image', baseVersion: null, isNamedVersion: null }),
    ...signatures.map(
      ({ scheme, trustedKey, signer, endsAt, detail }) =>
        `  ${scheme}${signer === null ? '' : ` of ${signer}`}${trustedKey === null ? '' : `, by the trusted key ${trustedKey.name}`}${endsAt === null ? '' : `, until ${formatTime(endsAt.toISOString())}`}${detail === null ? '' : `: ${detail}`}`,
    ),
    `  SHA-256 ${sha256 ?? 'not known'}`,
    // Why it is not signed is said above.
    ...unmet
      .filter(({ demand }) => demand !== 'Signed')
      .map(({ detail }) => `  Not as asked: ${detail}`),
  ]
}
