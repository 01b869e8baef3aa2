import { Type } from 'typebox'
import { MEMBER_STATES } from '../../formats/law/member-states.ts'
import { Replacing } from '../../platform/http/read-only.ts'
import {
  Exactly,
  Name,
  Nullable,
  OneOf,
  Reference,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'
import { LINE_ROLES, PRODUCT_CLASSES } from './store.ts'

const MemberState = OneOf('MemberState', MEMBER_STATES)
const Text = (most: number, description: string) =>
  Nullable(Type.String({ minLength: 1, maxLength: most, pattern: '\\S' }), { description })

const written = {
  name: Name,
  manufacturer: Name,
  role: OneOf('ProductLineRole', LINE_ROLES),
  productClass: OneOf('ProductClass', PRODUCT_CLASSES),
  category: Text(255, 'Of Annex III or IV, as the platform asks for it'),
  memberStates: Type.Array(MemberState, {
    maxItems: MEMBER_STATES.length,
    uniqueItems: true,
    description:
      'Where the product was made available, as far as the manufacturer knows: 14(2)(a), 14(4)(a). Where devices are is a hint only',
  }),
  coordinatorState: Nullable(MemberState, {
    description:
      'Member State of the CSIRT designated as coordinator, 14(7); null: nobody has said',
  }),
  timeZone: Type.String({
    maxLength: 64,
    examples: ['Europe/Berlin'],
    description: 'Of the manufacturer. Months end here or in UTC; the earlier counts',
  }),
  firstPlacedOn: Nullable(Type.String({ format: 'date', examples: ['2025-03-01'] }), {
    description: 'When it was first placed on the market; null: nobody has said',
  }),
  supportEndsIn: Nullable(
    Type.String({ pattern: '^[0-9]{4}-(?:0[1-9]|1[0-2])$', examples: ['2031-12'] }),
    { description: 'Month in which the support period ends, 13(8); null: nobody has said' },
  ),
  expectedUseYears: Nullable(Type.Integer({ minimum: 0, maximum: 100 }), {
    description: 'How long the product is expected to be in use, 13(8)',
  }),
  expectedUseReason: Text(4000, 'Why so long, 13(8)'),
  contact: Text(1000, 'Who answers for the line'),
  firmwareIds: Type.Array(Type.String({ format: 'uuid' }), {
    maxItems: 1000,
    uniqueItems: true,
    description: 'The firmware of the line. Each is in one line at most',
  }),
}

const { name, manufacturer, ...others } = written
const command = {
  name,
  manufacturer,
  role: Type.Optional(others.role),
  productClass: Type.Optional(others.productClass),
  category: Type.Optional(others.category),
  memberStates: Type.Optional(others.memberStates),
  coordinatorState: Type.Optional(others.coordinatorState),
  timeZone: Type.Optional(others.timeZone),
  firstPlacedOn: Type.Optional(others.firstPlacedOn),
  supportEndsIn: Type.Optional(others.supportEndsIn),
  expectedUseYears: Type.Optional(others.expectedUseYears),
  expectedUseReason: Type.Optional(others.expectedUseReason),
  contact: Type.Optional(others.contact),
  firmwareIds: Type.Optional(others.firmwareIds),
}

export const CreateProductLineCommand = Exactly(command, {
  examples: [
    {
      name: 'Gateway',
      manufacturer: 'Acme GmbH',
      memberStates: ['DE', 'FR'],
      coordinatorState: 'DE',
      timeZone: 'Europe/Berlin',
      supportEndsIn: '2031-12',
    },
  ],
})

export const ProductLine = Shape('ProductLine', {
  id: Type.String(),
  ...written,
  firmwares: Type.Array(Reference),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const UpdateProductLineCommand = Replacing(
  Exactly(command, { examples: [{ name: 'Gateway', manufacturer: 'Acme GmbH' }] }),
  ProductLine,
)

export const Retention = Shape('Retention', {
  retained: Type.Array(
    Shape('RetainedVersion', {
      firmwareVersionId: Type.String(),
      firmware: Type.String(),
      version: Type.String(),
      productLine: Reference,
      isInLine: Type.Boolean({
        description: 'false: its firmware left the line since, or the line was deleted',
      }),
      firstDeployedAt: Timestamp,
      until: Timestamp,
    }),
    {
      description:
        'Versions that cannot be deleted yet, nor their SBOMs, artifacts and decisions: 13(9), 13(13). The one that is kept longest comes first',
    },
  ),
})

export const ProductLineList = Shape('ProductLineList', {
  productLines: Type.Array(ProductLine, { description: 'By name' }),
  firmwaresWithoutLine: Type.Array(Reference, {
    description: 'Firmware of no line: a case about it lacks what its reports ask for',
  }),
})
