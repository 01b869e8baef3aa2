/** How the workspace publishes: by which name, under which numbers, and whether at all. */
import { addDays, parseInstant } from '../../formats/instants.ts'
import { readName } from '../../formats/one-line-name.ts'
import type { VexPublisher } from '../../formats/vex/export.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { recordAudit } from '../audit/index.ts'
import { FEED_FILE, METADATA_FILE, writeSecurityText } from './provider.ts'
import * as store from './publisher-store.ts'
import { describeDeadline, type SecurityTextDeadline } from './security-text-deadline.ts'

type Settings = Pick<AppContext, 'config'>

export interface PublisherSettings extends store.PublisherRow {
  publisher: VexPublisher
  /** The address of the public path, without a slash at its end. */
  base: string
}

export async function readPublisherSettings(
  ctx: Settings,
  db: Db,
  workspaceId: string,
): Promise<PublisherSettings> {
  const row = await store.findPublisher(db, workspaceId)
  if (!row) throw notFound('workspace', workspaceId)
  const { vexPublisher, publicUrl } = ctx.config
  return {
    ...row,
    publisher: {
      category: vexPublisher.category,
      name: row.name ?? vexPublisher.name ?? row.workspaceName,
      namespace: row.namespace ?? vexPublisher.namespace,
      contact: row.contact ?? vexPublisher.contact,
    },
    base: row.publicAddress ?? `${publicUrl}/public/${workspaceId}`,
  }
}

/** RFC 9116, section 2.5.5, recommends less than a year. */
const SECURITY_TEXT_DAYS = 180

export async function getPublisher(
  ctx: Pick<AppContext, 'config' | 'now'>,
  db: Db,
  { workspaceId }: { workspaceId: string },
) {
  const {
    publisher,
    base,
    workspaceName: _,
    ...fields
  } = await readPublisherSettings(ctx, db, workspaceId)
  const expiresAt = addDays(ctx.now(), SECURITY_TEXT_DAYS)
  expiresAt.setUTCHours(0, 0, 0, 0)
  const site = URL.parse(publisher.namespace)?.origin
  const { contacts, policyAddress } = fields
  return {
    ...fields,
    publishedCount: await store.countPublished(db, workspaceId),
    publishesAs: publisher.name,
    pageUrl: `${base}/`,
    metadataUrl: `${base}/${METADATA_FILE}`,
    feedUrl: `${base}/${FEED_FILE}`,
    securityText:
      contacts.length === 0
        ? null
        : writeSecurityText({ base, contacts, policyAddress, expiresAt, site }),
    securityTextExpiresAt: expiresAt,
  }
}

interface GivenFields extends Partial<Omit<store.PublisherFields, 'securityTextServedUntil'>> {
  securityTextServedUntil?: string | null | undefined
}

export async function updatePublisher(
  ctx: AppContext,
  input: {
    workspaceId: string
    actor: Actor
    precondition?: Precondition | undefined
  } & GivenFields,
) {
  const { workspaceId, actor, precondition, ...given } = input
  const fields = readFields(given)
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockPublisher(tx, workspaceId)
    const before = await getPublisher(ctx, tx, { workspaceId })
    precondition?.(before)
    await store.writePublisher(tx, { workspaceId, ...fields, updatedAt: ctx.now() })
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'advisory-publisher.update',
      resourceType: 'workspace',
      resourceId: workspaceId,
      before: pickFields(before),
      after: fields,
    })
    return getPublisher(ctx, tx, { workspaceId })
  })
}

const UNSAID = {
  isPublic: false,
  prefix: 'PSIRT',
  name: null,
  namespace: null,
  contact: null,
  publicAddress: null,
  contacts: [],
  policyAddress: null,
  securityTextServedUntil: null,
}

const pickFields = (given: store.PublisherFields): store.PublisherFields => ({
  isPublic: given.isPublic,
  prefix: given.prefix,
  name: given.name,
  namespace: given.namespace,
  contact: given.contact,
  publicAddress: given.publicAddress,
  contacts: given.contacts,
  policyAddress: given.policyAddress,
  securityTextServedUntil: given.securityTextServedUntil,
})

function readFields({ securityTextServedUntil: until = null, ...given }: GivenFields) {
  const servedUntil = until === null ? null : parseInstant(until, '/securityTextServedUntil')
  const fields = pickFields({ ...UNSAID, ...given, securityTextServedUntil: servedUntil })
  const { name, namespace, publicAddress, policyAddress, contacts } = fields
  return {
    ...fields,
    name: name === null ? null : readName(name),
    namespace: namespace === null ? null : readAddress(namespace, '/namespace'),
    publicAddress:
      publicAddress === null
        ? null
        : readAddress(publicAddress, '/publicAddress').replace(/\/+$/, ''),
    policyAddress: policyAddress === null ? null : readAddress(policyAddress, '/policyAddress'),
    contacts: contacts.map((contact, index) => readContact(contact, `/contacts/${index}`)),
  }
}

function readAddress(text: string, pointer: string): string {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw invalid('The address must begin with https://.', pointer)
  if (url.username !== '' || url.password !== '')
    throw invalid('The address must not hold a user name or password.', pointer)
  if (url.hash !== '' || url.search !== '')
    throw invalid('The address must hold no question mark and no #.', pointer)
  return url.href
}

/** RFC 9116, section 2.5.3: a URI. A e-mail address alone is the common mistake. */
function readContact(text: string, pointer: string): string {
  const contact = /^[^\s@:/]+@[^\s@:/]+$/.test(text) ? `mailto:${text}` : text
  if (!/^(?:mailto:|tel:|https:\/\/)[\x21-\x7e]+$/.test(contact) || !URL.canParse(contact))
    throw invalid('A contact begins with mailto:, tel: or https://.', pointer)
  return contact
}

/** Nothing where nobody has said which text is served. */
export async function listSecurityTextDeadlines(
  db: Db,
  { workspaceId, at }: { workspaceId: string; at: Date },
): Promise<SecurityTextDeadline[]> {
  const until = (await store.findPublisher(db, workspaceId))?.securityTextServedUntil ?? null
  return until === null ? [] : describeDeadline(until, at)
}
