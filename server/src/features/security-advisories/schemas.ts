import { Type } from 'typebox'
import { PRODUCT_STATUSES, REMEDIATION_KINDS } from '../../formats/vex/write-advisory.ts'
import { Replacing } from '../../platform/http/read-only.ts'
import {
  Exactly,
  ExactShape,
  Name,
  Nullable,
  OneOf,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'
import { ADVISORY_STATES } from './content.ts'

const Text = (most: number, description?: string) =>
  Type.String({
    minLength: 1,
    maxLength: most,
    pattern: '\\S',
    ...(description !== undefined && { description }),
  })
const Id = Type.String({ format: 'uuid' })
const NullableText = Nullable(Type.String())
const Count = (description: string) => Type.Integer({ description })

const rating = {
  cvssVector: Nullable(Type.String({ maxLength: 512 }), {
    description: 'Of CVSS 2.0, 3.0 or 3.1; null: no score is stated',
    examples: ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'],
  }),
  cweId: Nullable(Type.String({ maxLength: 20 }), {
    description: 'The weakness behind it; null: none is stated',
    examples: ['CWE-787'],
  }),
}

const Vulnerability = ExactShape('AdvisoryVulnerability', {
  vulnerabilityId: Type.String({
    maxLength: 150,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]*$',
    description: 'A CVE id where there is one',
    examples: ['CVE-2026-0001'],
  }),
  title: Nullable(Text(500)),
  description: Text(10_000),
  exploitation: Nullable(Text(10_000), {
    description: 'What is known of its exploitation; null: nothing is said',
  }),
  cvssVector: rating.cvssVector,
  cweId: rating.cweId,
  statuses: Type.Array(
    ExactShape('AdvisoryStatus', {
      firmwareVersionId: Id,
      status: OneOf('AdvisoryProductStatus', PRODUCT_STATUSES),
    }),
    { maxItems: 5_000 },
  ),
  remediations: Type.Array(
    ExactShape('AdvisoryRemediation', {
      kind: OneOf('AdvisoryRemediationKind', REMEDIATION_KINDS),
      details: Text(10_000),
      url: Nullable(Text(2_048)),
      firmwareVersionIds: Type.Array(Id, { minItems: 1, maxItems: 5_000, uniqueItems: true }),
    }),
    {
      maxItems: 100,
      description: 'What users can do, 14(8): each affected version needs one before publishing',
    },
  ),
})

const written = {
  title: Text(255),
  summary: Text(10_000, 'What happened and what to do, for people'),
  details: Nullable(Text(50_000)),
  heldUntil: Nullable(Timestamp, {
    description: 'Publishing waits until then, Annex I, part II, (4); null: it does not',
  }),
  heldReason: Nullable(Text(2_000), { description: 'Why it waits' }),
  vulnerabilities: Type.Array(Vulnerability, { maxItems: 200 }),
}

const { title, summary, ...others } = written
const command = {
  title,
  summary,
  details: Type.Optional(others.details),
  heldUntil: Type.Optional(others.heldUntil),
  heldReason: Type.Optional(others.heldReason),
  vulnerabilities: others.vulnerabilities,
}

export const CreateAdvisoryCommand = Exactly(
  {
    title: Type.Optional(Text(255)),
    caseId: Type.Optional(Type.String()),
    findingId: Type.Optional(Type.String()),
    vulnerabilityId: Type.Optional(
      Type.String({
        maxLength: 150,
        description: 'In all firmware that has it, by its id or an alias',
      }),
    ),
    fromVersionId: Type.Optional(
      Type.String({ description: 'With `toVersionId`: findings that went away between them' }),
    ),
    toVersionId: Type.Optional(Type.String()),
    cveIds: Type.Optional(
      Type.Array(Type.String({ maxLength: 150 }), {
        minItems: 1,
        maxItems: 200,
        description: 'Of the difference, these alone',
      }),
    ),
  },
  {
    description: 'Made of a case, a finding, a vulnerability or two versions; or of a title alone',
    examples: [{ title: 'A flaw in the updater' }],
  },
)

export const SecurityAdvisory = Shape('SecurityAdvisory', {
  id: Type.String(),
  trackingId: NullableText,
  ...written,
  state: OneOf('SecurityAdvisoryState', ADVISORY_STATES),
  missing: Type.Array(Type.String(), {
    description: 'What publishing still needs, in words; empty: nothing',
  }),
  products: Type.Array(
    Shape('AdvisoryProduct', {
      firmwareVersionId: Type.String(),
      manufacturer: Type.String({ description: 'Empty: its firmware is in no product line' }),
      productLine: NullableText,
      firmware: Type.String(),
      version: Type.String(),
      purl: NullableText,
      cpe: NullableText,
    }),
    { description: 'The versions that are named, as they were called then' },
  ),
  caseId: NullableText,
  revisions: Type.Array(
    Shape('AdvisoryRevision', {
      number: Type.Integer(),
      publishedAt: Timestamp,
      publishedByEmail: NullableText,
      summary: Type.String(),
      isWithdrawal: Type.Boolean(),
      sha512: Type.String(),
    }),
    { description: 'Oldest first; they are never changed' },
  ),
  documentUrl: Nullable(Type.String(), {
    description: 'Where everybody can read it; null: it is not public',
  }),
  pageUrl: Nullable(Type.String(), { description: 'The same for people' }),
  createdAt: Timestamp,
  createdByEmail: NullableText,
  updatedAt: Timestamp,
})

export const UpdateAdvisoryCommand = Replacing(
  Exactly(command, {
    examples: [
      { title: 'A flaw in the updater', summary: 'Update to 2.4.2.', vulnerabilities: [] },
    ],
  }),
  SecurityAdvisory,
)

export const AdvisoriesQuery = Exactly({
  caseId: Type.Optional(Type.String({ description: 'Made of this case' })),
  vulnerabilityId: Type.Optional(
    Type.String({ maxLength: 150, description: 'That name this vulnerability' }),
  ),
})

export const SecurityAdvisoryList = Shape('SecurityAdvisoryList', {
  securityAdvisories: Type.Array(
    Shape('SecurityAdvisorySummary', {
      id: Type.String(),
      trackingId: NullableText,
      title: Type.String(),
      state: OneOf('SecurityAdvisoryState', ADVISORY_STATES),
      vulnerabilityIds: Type.Array(Type.String()),
      productNames: Type.Array(Type.String()),
      caseId: NullableText,
      missingCount: Count('Of what publishing still needs'),
      heldUntil: Nullable(Timestamp),
      heldReason: NullableText,
      revision: Count('The last one; 0: never published'),
      publishedAt: Nullable(Timestamp),
      createdAt: Timestamp,
      updatedAt: Timestamp,
    }),
    { description: 'The newest first; 500 at most' },
  ),
  hasMore: Type.Boolean(),
})

const tellContacts = Type.Optional(
  Type.Boolean({
    default: true,
    description:
      'Whether contacts are told by mail, once each: of cohorts whose devices run affected versions, and those who were told of an earlier revision',
  }),
)

export const PublishAdvisoryCommand = Exactly(
  { summary: Text(2_000, 'What is new in this revision, for readers'), tellContacts },
  { examples: [{ summary: 'First publication.' }] },
)

export const WithdrawAdvisoryCommand = Exactly(
  { reason: Text(2_000, 'Everybody reads it'), tellContacts },
  { examples: [{ reason: 'The flaw is not in our products.' }] },
)

export const DocumentQuery = Exactly({
  revision: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'A published one; left out: the draft as it would be published',
    }),
  ),
})

export const CsafDocument = Shape(
  'CsafDocument',
  {},
  { additionalProperties: true, description: 'A CSAF 2.0 document' },
)

const Address = (description: string) => Nullable(Text(2_000), { description })

const publisher = {
  isPublic: Type.Boolean({
    description: 'Whether everybody can read what was published. Nothing else is ever shown there',
  }),
  prefix: Type.String({
    maxLength: 40,
    pattern: '^[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*$',
    description: 'Of tracking ids: `<prefix>-<year>-<n>`. Those that were given stay',
    examples: ['ACME'],
  }),
  name: Nullable(Name, { description: 'Of the publisher; null: that of VEX documents' }),
  namespace: Address("The publisher's own address; null: that of VEX documents"),
  contact: Nullable(Text(2_000), { description: 'For readers of advisories' }),
  publicAddress: Address(
    'Where a server of yours passes the public path on; null: the address of this service',
  ),
  contacts: Type.Array(Text(2_000), {
    maxItems: 20,
    uniqueItems: true,
    description: 'Of security.txt, the preferred one first: mailto:, https:// or tel:',
  }),
  policyAddress: Address('Of security.txt: the policy of disclosure'),
  securityTextServedUntil: Nullable(Timestamp, {
    description:
      '`Expires` of the security.txt that you serve, as alerts of the type `CaseDeadline` tell of it; null: nobody has said',
  }),
}

const { isPublic, prefix, ...rest } = publisher
const publisherCommand = {
  isPublic,
  prefix: Type.Optional(prefix),
  name: Type.Optional(rest.name),
  namespace: Type.Optional(rest.namespace),
  contact: Type.Optional(rest.contact),
  publicAddress: Type.Optional(rest.publicAddress),
  contacts: Type.Optional(rest.contacts),
  policyAddress: Type.Optional(rest.policyAddress),
  securityTextServedUntil: Type.Optional(rest.securityTextServedUntil),
}

export const AdvisoryPublisher = Shape('AdvisoryPublisher', {
  ...publisher,
  publishesAs: Type.String({ description: 'The name that documents have' }),
  pageUrl: Type.String({ description: 'For people' }),
  publishedCount: Count(
    'Advisories that were published, withdrawn ones too: so many everybody can read while `isPublic`',
  ),
  metadataUrl: Type.String({ description: 'provider-metadata.json' }),
  feedUrl: Type.String({ description: 'The ROLIE feed' }),
  securityText: Nullable(Type.String(), {
    description:
      'Text of a security.txt to sign and to serve on your own domain; null: there is no contact',
  }),
  securityTextExpiresAt: Timestamp,
  updatedAt: Nullable(Timestamp),
})

export const UpdatePublisherCommand = Replacing(
  Exactly(publisherCommand, { examples: [{ isPublic: false, prefix: 'ACME' }] }),
  AdvisoryPublisher,
)
