/** Links of one person that are opened at the same moment. */
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenMember, openBrowser } from '../../../../test/given-people.ts'
import { waitForLocks } from '../../../../test/lock-waits.ts'
import { createLink, findOrCreatePerson, readPersonEmail } from '../../auth/index.ts'

let test: TestApp

beforeAll(async () => {
  test = await startTestApp()
})

const PASSWORDS = ['seven grey seals asleep', 'nine brown gulls awake'] as const
const KINDS = ['Invitation', 'Setup', 'PasswordReset'] as const
type Kind = (typeof KINDS)[number]

/** The token of a link for the address, as its makers get it. */
async function givenLink(kind: Kind, email: string): Promise<string> {
  if (kind === 'Invitation') {
    const { workspaceId } = await test.givenWorkspace()
    const { browser } = await givenMember(test, workspaceId)
    const path = `/workspaces/${workspaceId}/invitations`
    const invited = await browser.post(path, { email, role: 'Engineer' })
    return new URL(invited.json<{ link: string }>().link).hash.slice(1)
  }
  const { url } = await test.ctx.db.transaction().execute(async (tx) => {
    const { id: personId } = await findOrCreatePerson(test.ctx, tx, readPersonEmail(email))
    return createLink(test.ctx, tx, { kind, personId })
  })
  return new URL(url).hash.replace(/^#(token=)?/, '')
}

/** Holds the person's row until all acceptances have hashed their passwords and wait for it. */
async function acceptAtOnce(email: string, tokens: readonly string[]) {
  const begun = await test.ctx.db.transaction().execute(async (tx) => {
    await sql`select from people where email = ${email} for update`.execute(tx)
    const answers = tokens.map((token, index) =>
      openBrowser(test).post('/auth/links/accept', { token, password: PASSWORDS[index] ?? '' }),
    )
    await waitForLocks(test.ctx, tokens.length)
    return answers
  })
  return Promise.all(begun)
}

async function passwordsOf(email: string): Promise<string[]> {
  const right = []
  for (const password of PASSWORDS) {
    const answer = await openBrowser(test).post('/auth/sign-in', { email, password })
    if (answer.statusCode === 200) right.push(password)
  }
  return right
}

describe('two links for one address, opened at once', () => {
  it.each(KINDS.flatMap((one) => KINDS.map((other) => [one, other] as const)))(
    '%s and %s: the account is of one who opened one',
    async (one, other) => {
      const email = `${crypto.randomUUID()}@example.com`
      const tokens = [await givenLink(one, email), await givenLink(other, email)]

      const answers = await acceptAtOnce(email, tokens)

      const opened = answers.map(({ statusCode }) => statusCode === 200)
      // The operator vouches for a link of another kind, which opens the account also after an invitation made it.
      if (opened[0] === true && opened[1] === true)
        expect([one, other].filter((kind) => kind === 'Invitation')).toHaveLength(1)
      const last = opened[0] === true && (opened[1] !== true || one !== 'Invitation') ? 0 : 1
      expect(opened[last]).toBe(true)
      expect(await passwordsOf(email)).toEqual([PASSWORDS[last]])
      for (const { statusCode } of answers) expect([200, 403, 404]).toContain(statusCode)
    },
  )

  it('by two workspaces: who comes second signs in first', async () => {
    const email = `${crypto.randomUUID()}@example.com`
    const tokens = [await givenLink('Invitation', email), await givenLink('Invitation', email)]

    const answers = await acceptAtOnce(email, tokens)

    const refused = answers.find(({ statusCode }) => statusCode !== 200)
    expect(refused?.json()).toMatchObject({ status: 403, type: '/problems/sign-in-first' })
    expect(await passwordsOf(email)).toHaveLength(1)
  })
})
