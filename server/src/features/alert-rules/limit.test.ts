import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { sharedTestApp } from '../../../test/app.ts'
import { givenRule, ruleBody } from '../../../test/given-alert-rules.ts'
import { givenClient } from '../../../test/given.ts'

it('refuses more rules than there may be, also when they are made at once', async () => {
  const test = await sharedTestApp()
  const client = await givenClient(test)
  const { id } = await givenRule(client)
  await sql`
    insert into alert_rules
    select (jsonb_populate_record(rule, jsonb_build_object('id', gen_random_uuid()))).*
    from alert_rules as rule cross join generate_series(2, 999) where rule.id = ${id}`.execute(
    test.ctx.db,
  )

  const answers = await Promise.all(
    Array.from({ length: 5 }, () => client.post('/alert-rules', ruleBody())),
  )

  expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
    201, 409, 409, 409, 409,
  ])
})
