import { Type } from 'typebox'
import {
  Exactly,
  ExactShape,
  Nullable,
  OneOf,
  Shape,
  Timestamp,
} from '../../../platform/http/schemas.ts'
import { SCOPES } from '../../auth/index.ts'

const OneLine = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })

export const BeginTerminalLoginCommand = Exactly(
  { client: OneLine, host: OneLine },
  { examples: [{ client: 'plimsoll 1.0.0', host: 'workbench-7' }] },
)

export const TerminalLoginBegun = Shape('TerminalLoginBegin', {
  deviceCode: Type.String({ description: 'For the program alone' }),
  userCode: Type.String({ examples: ['WDJB-MJHT'], description: 'For the person' }),
  verificationUri: Type.String({ description: 'Where the person enters the code' }),
  verificationUriComplete: Type.String({ description: 'The same, with the code' }),
  expiresIn: Type.Integer({ description: 'Seconds' }),
  interval: Type.Integer({ description: 'Seconds between two attempts to collect the key' }),
})

export const CollectTerminalKeyCommand = Exactly({
  deviceCode: Type.String({ minLength: 1, maxLength: 200 }),
})

export const TerminalKey = Shape('TerminalKey', {
  id: Type.String(),
  apiKey: Type.String({ description: 'Shown this once', examples: ['plm_…'] }),
  workspaceId: Type.String(),
  workspaceName: Type.String(),
  email: Type.String({ description: 'Who approved' }),
  scopes: Type.Array(OneOf('Scope', SCOPES)),
  expiresAt: Timestamp,
})

const UserCode = Type.String({ minLength: 1, maxLength: 40, examples: ['WDJB-MJHT'] })

export const UserCodeCommand = ExactShape('UserCodeCommand', { userCode: UserCode })

export const TerminalLoginShown = Shape('TerminalLogin', {
  userCode: UserCode,
  client: Type.String({ description: 'What the program calls itself' }),
  host: Type.String({ description: 'What the program calls its machine' }),
  address: Type.String({ description: 'Where the request came from' }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
})

export const ApproveTerminalLoginCommand = Exactly({
  userCode: UserCode,
  workspaceId: Type.String({ format: 'uuid' }),
  scopes: Type.Array(OneOf('Scope', SCOPES), { minItems: 1, uniqueItems: true }),
  expiresAt: Type.String({ format: 'date-time', description: 'At most a year from now' }),
})

export const Terminals = Type.Array(
  Shape('Terminal', {
    id: Type.String(),
    name: Type.String(),
    workspaceId: Type.String(),
    workspaceName: Type.String(),
    scopes: Type.Array(Type.String()),
    createdAt: Timestamp,
    expiresAt: Nullable(Timestamp),
    lastUsedAt: Nullable(Timestamp, { description: 'Written at most once a minute' }),
  }),
)
