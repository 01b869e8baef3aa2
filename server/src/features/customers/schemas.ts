import { Type } from 'typebox'
import { Replacing } from '../../platform/http/read-only.ts'
import {
  Exactly,
  ExactShape,
  Name,
  Nullable,
  OneOf,
  Reference,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'
import { DOCUMENT_KINDS } from './links/store.ts'

const Id = Type.String({ format: 'uuid' })

const CustomerContact = ExactShape('CustomerContact', {
  email: Type.String({ minLength: 3, maxLength: 320, examples: ['psirt@kraftwerk.example'] }),
  name: Nullable(Name),
})

const written = {
  name: Name,
  note: Nullable(Type.String({ minLength: 1, maxLength: 4000, pattern: '\\S' }), {
    description: 'For the team; no customer sees it',
  }),
  tag: Nullable(Type.String({ minLength: 1, maxLength: 100 }), {
    description:
      'Devices with this tag are those of the customer, besides those of its cohorts; null: those of its cohorts alone',
  }),
  contacts: Type.Array(CustomerContact, { maxItems: 50 }),
  cohortIds: Type.Array(Id, { maxItems: 100, uniqueItems: true }),
}

const { name, ...others } = written
const command = {
  name,
  note: Type.Optional(others.note),
  tag: Type.Optional(others.tag),
  contacts: Type.Optional(others.contacts),
  cohortIds: Type.Optional(others.cohortIds),
}

export const CreateCustomerCommand = Exactly(command, {
  examples: [
    {
      name: 'Kraftwerk Nord',
      tag: 'kraftwerk-nord',
      contacts: [{ email: 'psirt@kraftwerk.example', name: 'Security desk' }],
    },
  ],
})

const counted = {
  deviceCount: Type.Integer(),
  linkCount: Type.Integer({ description: 'Links that work' }),
  lastViewedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

const ListedCustomer = Shape('ListedCustomer', {
  id: Type.String(),
  ...written,
  cohorts: Type.Array(Reference),
  ...counted,
})

export const Customer = Shape('Customer', {
  id: Type.String(),
  ...written,
  cohorts: Type.Array(Reference),
  ...counted,
  sharedDeviceCount: Type.Integer({
    description: 'Devices that are another customer’s, too',
  }),
})

export const UpdateCustomerCommand = Replacing(
  Exactly(command, { examples: [{ name: 'Kraftwerk Nord', tag: 'kraftwerk-nord' }] }),
  Customer,
)

export const CustomerList = Shape('CustomerList', {
  customers: Type.Array(ListedCustomer, { description: 'By name' }),
})

const EndsAt = Type.String({
  format: 'date-time',
  description: 'Within three years; a year from now if left out',
  examples: ['2027-11-30T00:00:00.000Z'],
})

const link = {
  id: Type.String(),
  name: Type.String(),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  endsAt: Nullable(Timestamp),
  revokedAt: Nullable(Timestamp),
  lastUsedAt: Nullable(Timestamp),
  uses: Type.Integer({ description: 'Requests that it answered' }),
}

export const CustomerLinkList = Shape('CustomerLinkList', {
  links: Type.Array(Shape('CustomerLink', link), {
    description: 'The newest first, with those that were revoked or have ended',
  }),
})

export const CreateCustomerLinkCommand = Exactly(
  { name: Type.Optional(Name), endsAt: Type.Optional(EndsAt) },
  { examples: [{ name: 'Security desk' }] },
)

export const NewCustomerLink = Shape('NewCustomerLink', {
  ...link,
  url: Type.String({ description: 'The page of the customer. It is in this answer only' }),
  token: Type.String({ description: 'For programs, as a bearer token' }),
})

const DocumentKind = OneOf('StandingDocument', DOCUMENT_KINDS)

const address = {
  ...link,
  firmware: Reference,
  line: Nullable(Reference, {
    description: 'The newest version of this release line; null: of the firmware',
  }),
  firmwareVersion: Nullable(Reference, { description: 'This version alone' }),
  documents: Type.Array(DocumentKind),
  isPublic: Type.Boolean({ description: 'Whoever knows the address may read it' }),
  url: Type.String({ description: 'Without the token, where it has one' }),
}

export const StandingAddressList = Shape('StandingAddressList', {
  standingAddresses: Type.Array(Shape('StandingAddress', address), {
    description: 'The newest first, with those that were revoked or have ended',
  }),
})

export const CreateStandingAddressCommand = Exactly(
  {
    name: Name,
    firmwareId: Id,
    lineId: Type.Optional(Nullable(Id)),
    firmwareVersionId: Type.Optional(Nullable(Id)),
    documents: Type.Array(DocumentKind, { minItems: 1, maxItems: 3, uniqueItems: true }),
    isPublic: Type.Optional(Type.Boolean({ default: false })),
    endsAt: Type.Optional(
      Nullable(EndsAt, {
        description:
          'Within three years. If left out, a link ends in a year, and a public address does not end',
      }),
    ),
  },
  {
    examples: [
      {
        name: 'Gateway, for everybody',
        firmwareId: '0199a1b2-0000-7000-8000-000000000001',
        documents: ['Vex', 'Support'],
        isPublic: true,
      },
    ],
  },
)

export const NewStandingAddress = Shape('NewStandingAddress', {
  ...address,
  url: Type.String({ description: 'With the token, which is in this answer only' }),
  token: Nullable(Type.String({ description: 'For programs, as a bearer token' })),
})
