/** One signed file with all that Plimsoll knows of a product line, for whoever has a right to ask. */
import type { Readable } from 'node:stream'
import { formatPathPart } from '../../formats/evidence-sums.ts'
import { parsePastInstant } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import { invalid } from '../../platform/errors.ts'
import { spoolFile } from '../../platform/http/spooled-text.ts'
import { VERSION } from '../../version.ts'
import { recordAudit } from '../audit/index.ts'
import { type Principal, requireScope } from '../auth/index.ts'
import { getProductLine } from '../product-lines/index.ts'
import { findWorkspaceName } from '../workspaces/index.ts'
import { beginBundle, type Bundle, listTexts } from './bundle-service.ts'
import { writeContents } from './contents-service.ts'
import { renderReadme } from './bundled.ts'
import { renderIndex } from './index-page.ts'
import { openSigner } from './keys-service.ts'
import type { Subject } from './store.ts'

/** What a bundle holds; whoever may not read it is not handed it in a file. */
const SCOPES = [
  'Firmware: read',
  'SBOMs: read',
  'Vulnerabilities: read',
  'Deployments: read',
  'Devices: read',
] as const

export interface CreateEvidence {
  workspaceId: string
  productLineId: string
  from?: string | undefined
  to?: string | undefined
  principal: Principal
}

/** `reading` answers what the bundle holds; `ctx` keeps its key and the entry of the audit log. */
export async function createEvidence(
  ctx: AppContext,
  reading: AppContext,
  input: CreateEvidence,
): Promise<{ content: Readable; fileName: string }> {
  const { workspaceId, principal } = input
  for (const scope of SCOPES) requireScope(principal, scope)
  const line = await getProductLine(reading.db, input)
  const period = readPeriod(input, ctx.now())
  const subject: Subject = { workspaceId, productLineId: line.id, ...period }
  const { actor } = principal
  const signer = await openSigner(ctx, { workspaceId, actor })
  const workspaceName = await findWorkspaceName(reading.db, workspaceId)
  const madeBy = actor.email ?? 'a key'
  const content = await spoolFile(async (file) => {
    const bundle = beginBundle(file)
    const made = { workspaceName, madeBy, madeAt: ctx.now(), release: VERSION }
    const about = { ...made, line, ...period, fingerprint: signer.fingerprint }
    await addText(bundle, 'product-line.json', `${JSON.stringify(line, null, 2)}\n`)
    const contents = await writeContents(reading, bundle, subject)
    await addText(bundle, 'INDEX.html', renderIndex(about, contents))
    await addText(bundle, 'README.txt', renderReadme(about))
    const sha256 = await bundle.finish(signer)
    await ctx.db.transaction().execute((tx) =>
      recordAudit(ctx, tx, {
        workspaceId,
        actor,
        action: 'evidence.create',
        resourceType: 'product-line',
        resourceId: line.id,
        after: {
          from: input.from ?? null,
          to: period.to,
          fileCount: bundle.files.length,
          sumsSha256: sha256,
          fingerprint: signer.fingerprint,
        },
      }),
    )
  })
  const day = period.to.toISOString().slice(0, 10)
  return { content, fileName: `evidence-${formatPathPart(line.name)}-${day}.tar` }
}

const addText = (bundle: Bundle, name: string, text: string) => bundle.add(name, listTexts(text))

/** Nothing is older. */
const BEGINNING = new Date(0)

function readPeriod({ from, to }: CreateEvidence, now: Date): { from: Date; to: Date } {
  const end = to === undefined ? now : parsePastInstant(to, now, '/query/to')
  const begin = from === undefined ? BEGINNING : parsePastInstant(from, now, '/query/from')
  if (begin >= end) throw invalid('The period ends before it begins.', '/query/from')
  return { from: begin, to: end }
}
