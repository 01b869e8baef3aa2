/** What a CSAF provider has besides its documents (CSAF 2.0, section 7.1), and the text of a security.txt (RFC 9116). */
import type { JsonObject } from '../../formats/sboms/json-values.ts'
import { writePublisher } from '../../formats/vex/csaf-parts.ts'
import type { VexPublisher } from '../../formats/vex/export.ts'

export const METADATA_FILE = 'provider-metadata.json'
export const FEED_FILE = 'csaf-feed-tlp-white.json'
export const INDEX_FILE = 'index.txt'
export const CHANGES_FILE = 'changes.csv'

export function writeProviderMetadata({
  base,
  publisher,
  updatedAt,
}: {
  base: string
  publisher: VexPublisher
  updatedAt: Date
}): JsonObject {
  return {
    canonical_url: `${base}/${METADATA_FILE}`,
    distributions: [
      {
        directory_url: `${base}/`,
        rolie: {
          feeds: [
            {
              summary: `All public advisories of ${publisher.name}`,
              tlp_label: 'WHITE',
              url: `${base}/${FEED_FILE}`,
            },
          ],
        },
      },
    ],
    last_updated: updatedAt.toISOString(),
    list_on_CSAF_aggregators: true,
    metadata_version: '2.0',
    mirror_on_CSAF_aggregators: true,
    publisher: writePublisher(publisher),
    role: 'csaf_provider',
  }
}

interface FeedEntry {
  trackingId: string
  title: string
  path: string
  firstAt: Date
  publishedAt: Date
}

export function writeFeed({
  base,
  publisher,
  updatedAt,
  entries,
}: {
  base: string
  publisher: VexPublisher
  updatedAt: Date
  entries: readonly FeedEntry[]
}): JsonObject {
  return {
    feed: {
      id: 'csaf-feed-tlp-white',
      title: `Advisories of ${publisher.name} (TLP:WHITE)`,
      link: [{ rel: 'self', href: `${base}/${FEED_FILE}` }],
      category: [{ scheme: 'urn:ietf:params:rolie:category:information-type', term: 'csaf' }],
      updated: updatedAt.toISOString(),
      entry: entries.map((entry) => writeEntry(base, entry)),
    },
  }
}

function writeEntry(base: string, { trackingId, title, path, ...at }: FeedEntry): JsonObject {
  const url = `${base}/${path}`
  return {
    id: trackingId,
    title,
    link: [
      { rel: 'self', href: url },
      { rel: 'hash', href: `${url}.sha512` },
    ],
    published: at.firstAt.toISOString(),
    updated: at.publishedAt.toISOString(),
    content: { type: 'application/json', src: url },
    format: {
      schema: 'https://docs.oasis-open.org/csaf/csaf/v2.0/csaf_json_schema.json',
      version: '2.0',
    },
  }
}

/** Section 7.1.12: the paths of all documents, for readers of folders. */
export const writeIndex = (entries: readonly Pick<FeedEntry, 'path'>[]): string =>
  entries.map(({ path }) => `${path}\n`).join('')

/** Section 7.1.13: with the date of the last change, the newest first. A path holds no quotation mark. */
export const writeChanges = (entries: readonly Pick<FeedEntry, 'path' | 'publishedAt'>[]): string =>
  entries.map(({ path, publishedAt }) => `"${path}","${publishedAt.toISOString()}"\n`).join('')

interface SecurityText {
  base: string
  contacts: readonly string[]
  policyAddress: string | null
  expiresAt: Date
  /** The address of the site that serves it; undefined: nobody has said. */
  site: string | undefined
}

/** The order of contacts is that of preference. It has to be served on the manufacturer's own domain, so it is not served here. */
export function writeSecurityText({
  base,
  contacts,
  policyAddress,
  expiresAt,
  site,
}: SecurityText) {
  return [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expiresAt.toISOString()}`,
    ...(site === undefined ? [] : [`Canonical: ${site}/.well-known/security.txt`]),
    ...(policyAddress === null ? [] : [`Policy: ${policyAddress}`]),
    `CSAF: ${base}/${METADATA_FILE}`,
    '',
  ].join('\n')
}
