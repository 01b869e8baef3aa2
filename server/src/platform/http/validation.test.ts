import { Type } from 'typebox'
import { expect, it } from 'vitest'
import { checkAgainst, InvalidInput } from './validation.ts'

const Rule = Type.Object(
  {
    slug: Type.Optional(
      Type.String({ pattern: '^[a-z]+$', description: 'Lower-case letters', examples: ['pump'] }),
    ),
    at: Type.Optional(Type.String({ pattern: '^[0-9]+$', examples: ['22'] })),
    code: Type.Optional(Type.String({ pattern: '^[A-Z]+$' })),
    name: Type.Optional(Type.Union([Type.String({ pattern: String.raw`\S` }), Type.Null()])),
    tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 3 }), { maxItems: 2 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
    address: Type.Optional(Type.String({ format: 'email' })),
    state: Type.Optional(Type.Enum(['Enabled', 'Disabled'])),
  },
  { additionalProperties: false },
)

function describeFaults(body: unknown): string[] {
  try {
    checkAgainst(Rule, body)
    return []
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return error.fields.map(({ pointer, detail }) => `${pointer} ${detail}`)
  }
}

it.each`
  body                         | fault
  ${{ slug: 'Pump A' }}        | ${'/slug is not written like pump (Lower-case letters)'}
  ${{ at: 'ten' }}             | ${'/at is not written like 22'}
  ${{ code: 'x' }}             | ${'/code is not written as it must be'}
  ${{ name: '  ' }}            | ${'/name must not be blank'}
  ${{ tags: [''] }}            | ${'/tags/0 must not be empty'}
  ${{ tags: ['beta'] }}        | ${'/tags/0 must have at most 3 characters'}
  ${{ tags: ['a', 'b', 'c'] }} | ${'/tags must have at most 2 entries'}
  ${{ limit: 0 }}              | ${'/limit must be at least 1'}
  ${{ limit: 10 }}             | ${'/limit must be at most 9'}
  ${{ address: 'ada' }}        | ${'/address is not a valid e-mail address'}
  ${{ state: 'On' }}           | ${'/state must be one of Enabled, Disabled'}
  ${{ colour: 'blue' }}        | ${'/colour is not a known field'}
`('says in words what is wrong: $fault', ({ body, fault }: { body: object; fault: string }) => {
  expect(describeFaults(body)).toEqual([fault])
})
