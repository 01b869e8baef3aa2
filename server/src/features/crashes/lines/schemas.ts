import { Type } from 'typebox'
import { FirmwareVersionReference } from '../../firmware/index.ts'
import {
  Exactly,
  ExactShape,
  Nullable,
  PageRequest,
  Shape,
  Timestamp,
} from '../../../platform/http/schemas.ts'

export const SourceLine = ExactShape('SourceLine', {
  function: Nullable(Type.String({ minLength: 1, maxLength: 500 })),
  file: Nullable(Type.String({ minLength: 1, maxLength: 500 })),
  line: Nullable(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
})

export const CrashBuildsQuery = Type.Object({
  ...PageRequest,
  state: Type.Optional(
    Type.Enum(['Open', 'Resolved'], { description: 'Open: with addresses that have no lines' }),
  ),
})

export const CrashBuildPage = Shape('CrashBuildPage', {
  crashBuilds: Type.Array(
    Shape('CrashBuild', {
      buildId: Type.String(),
      firmwareVersion: Nullable(FirmwareVersionReference, {
        description: 'null: no firmware version has this build id',
      }),
      addressCount: Type.Integer({ minimum: 0, description: 'Addresses in the kept reports' }),
      openAddressCount: Type.Integer({ minimum: 0, description: 'Those without lines' }),
      linesAt: Nullable(Timestamp, { description: 'When lines were uploaded last' }),
      linesByEmail: Nullable(Type.String()),
    }),
  ),
  hasMore: Type.Boolean(),
  nextCursor: Type.Optional(Type.String()),
})

export const CrashAddressesQuery = Type.Object({
  which: Type.Optional(
    Type.Enum(['Open', 'All'], {
      default: 'Open',
      description: 'All: also those that have lines already',
    }),
  ),
})

export const MOST_ADDRESSES = 10_000

export const CrashAddresses = Shape('CrashAddresses', {
  buildId: Type.String(),
  addresses: Type.Array(Type.String({ examples: ['0x800abcd'] }), {
    description: `To look for in the debug information as they are, at most ${MOST_ADDRESSES.toLocaleString('en')}`,
  }),
  linesAt: Nullable(Timestamp),
})

export const PutCrashLinesCommand = Exactly(
  {
    lines: Type.Array(
      ExactShape('CrashLine', {
        address: Type.String({ pattern: '^0[xX][0-9a-fA-F]{1,16}$', examples: ['0x800abcd'] }),
        frames: Type.Array(SourceLine, {
          maxItems: 32,
          description:
            'The innermost inlined function first. Empty: the debug information does not know the address',
        }),
      }),
      { minItems: 1, maxItems: 2_000 },
    ),
  },
  {
    examples: [
      {
        lines: [
          {
            address: '0x800abcd',
            frames: [{ function: 'modem_poll', file: 'src/modem.c', line: 118 }],
          },
        ],
      },
    ],
  },
)

export const PutCrashLines = Shape('PutCrashLines', {
  buildId: Type.String(),
  lineCount: Type.Integer({ minimum: 0, description: 'Addresses of the build with lines, in all' }),
  openAddressCount: Type.Integer({
    minimum: 0,
    description: 'Addresses that are still to look up',
  }),
  movedCount: Type.Integer({
    minimum: 0,
    description: 'Stacks that are in another group now, as their functions have names',
  }),
})
