import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'

describe('a body', () => {
  let test: TestApp
  let client: Client

  beforeAll(async () => {
    test = await sharedTestApp()
    client = await givenClient(test)
  })

  it.each`
    type                                  | payload                      | status
    ${'application/json'}                 | ${'{"slug":"a"}'}            | ${201}
    ${'application/json; charset=UTF-8'}  | ${'{"slug":"b"}'}            | ${201}
    ${'application/json;charset="utf8"'}  | ${'{"slug":"c"}'}            | ${201}
    ${'application/json; charset=utf16'}  | ${'{"slug":"d"}'}            | ${415}
    ${'application/json; charset=latin1'} | ${'{"slug":"e"}'}            | ${415}
    ${'text/plain'}                       | ${'{"slug":"f"}'}            | ${415}
    ${'application/json'}                 | ${'{"slug":"g","slug":"h"}'} | ${400}
    ${'application/json'}                 | ${'{"slug":'}                | ${400}
  `('of $type $payload is answered with $status', async ({ type, payload, status }: SentBody) => {
    const answer = await test.app.inject({
      method: 'POST',
      url: `/workspaces/${client.workspaceId}/firmwares`,
      headers: { authorization: `Bearer ${client.apiKey}`, 'content-type': type },
      payload,
    })

    expect(answer.statusCode).toBe(status)
  })
})

interface SentBody {
  type: string
  payload: string
  status: number
}
