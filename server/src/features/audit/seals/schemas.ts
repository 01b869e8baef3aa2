import { Type } from 'typebox'
import { Exactly, Shape, Timestamp } from '../../../platform/http/schemas.ts'

const day = (description: string) =>
  Type.Optional(Type.String({ format: 'date', examples: ['2026-11-01'], description }))

export const AuditSealQuery = Exactly({
  from: day('The first day (UTC)'),
  to: day('The last day (UTC)'),
})

const AuditSeal = Shape('AuditSeal', {
  day: Type.String({ format: 'date' }),
  seal: Type.String({
    description:
      'SHA-256 over the seal before it and the entries that it covers, hexadecimal. Keep it elsewhere: it shows that nothing before was changed',
  }),
  entryCount: Type.Integer(),
  lateCount: Type.Integer({
    description:
      'Of these, entries of earlier days, which were written when their day had been sealed',
  }),
  sealedAt: Timestamp,
})

export const AuditSealList = Shape('AuditSealList', {
  seals: Type.Array(AuditSeal, { description: 'Newest first, at most 1,000' }),
  hasMore: Type.Boolean(),
  unsealedCount: Type.Integer({
    description: 'Entries of before this service sealed its log, which no seal covers',
  }),
})
