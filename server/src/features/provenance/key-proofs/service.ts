/** What a trusted key alone proves, so that whoever takes it away knows before what is no longer verified. */
import { describeImage } from '../../../formats/images/image-facts.ts'
import { judgeImage, type TrustedKey } from '../../../formats/images/judge-image.ts'
import { judgeSbom } from '../../../formats/sbom-signatures/judge-sbom.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { getTrustedKey, readTrustedKeys } from '../../trusted-keys/index.ts'
import { getSettings } from '../../workspaces/index.ts'
import * as store from './store.ts'

const SHOWN_VERSIONS = 20

export async function getKeyProofs(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  asked: { workspaceId: string; trustedKeyId: string },
) {
  const { workspaceId } = asked
  const { id } = await getTrustedKey(db, asked)
  const trusted = await readTrustedKeys(db, workspaceId)
  const others = trusted.filter((one) => one.id !== id)
  const lost = (await store.listSignedFiles(db, workspaceId)).filter(
    (files) => isVerified(files, trusted, now()) && !isVerified(files, others, now()),
  )
  const count = (kind: store.SignedFiles['kind']) =>
    lost.reduce((sum, one) => (one.kind === kind ? sum + one.fileCount : sum), 0)
  const idsOf = (files: readonly store.SignedFiles[]) => [
    ...new Set(files.flatMap(({ firmwareVersionIds }) => firmwareVersionIds)),
  ]
  const ids = idsOf(lost)
  const demanded = await listDemandedKinds(db, workspaceId)
  return {
    versionCount: ids.length,
    versions: await store.listVersionNames(db, {
      workspaceId,
      firmwareVersionIds: ids,
      limit: SHOWN_VERSIONS,
    }),
    imageCount: count('Image'),
    statementCount: count('Statement'),
    sbomCount: count('Sbom'),
    gateVersionCount: idsOf(lost.filter(({ kind }) => demanded.includes(kind))).length,
    uncheckedCount: await store.countUnchecked(db, workspaceId),
  }
}

/** Files that the release gate demands to be signed by a trusted key. */
async function listDemandedKinds(
  db: Db,
  workspaceId: string,
): Promise<store.SignedFiles['kind'][]> {
  const { gateImages: demands } = await getSettings({ db }, workspaceId)
  return [
    ...(demands.includes('Signed') ? (['Image'] as const) : []),
    ...(demands.includes('SbomSigned') ? (['Sbom'] as const) : []),
  ]
}

function isVerified(
  { kind, signatures, fault, obstacle }: store.SignedFiles,
  trusted: readonly TrustedKey[],
  now: Date,
): boolean {
  const facts = { signatures, fault, obstacle }
  const { state } =
    kind === 'Sbom'
      ? judgeSbom(facts, trusted, now)
      : judgeImage(describeImage('NotKnown', facts), trusted, now)
  return state === 'Verified'
}
