/** People of a workspace, signed in as browsers are. */
import {
  beginSession,
  findOrCreatePerson,
  hashPassword,
  type Role,
  type SecondFactorState,
} from '../src/features/auth/index.ts'
import type { TestApp } from './app.ts'

export const PASSWORD = 'tall ships need ballast'
const OWN = { 'sec-fetch-site': 'same-origin' }

export interface Person {
  id: string
  email: string
}

export async function givenPerson(
  { ctx }: TestApp,
  { email = `${crypto.randomUUID()}@example.com`, password = PASSWORD } = {},
): Promise<Person> {
  const passwordHash = await hashPassword(password, ctx.config.people.passwordCost)
  const person = await ctx.db.transaction().execute((tx) => findOrCreatePerson(ctx, tx, email))
  await ctx.db.updateTable('people').set({ passwordHash }).where('id', '=', person.id).execute()
  return person
}

export async function givenMembership(
  { ctx }: TestApp,
  workspaceId: string,
  { id: subjectId, role = 'Owner' }: { id: string; role?: Role },
): Promise<void> {
  const member = { workspaceId, subjectId, role, joinedAt: ctx.now() }
  await ctx.db.insertInto('members').values(member).execute()
}

export interface Browser {
  /** The headers of its requests; undefined values are left out. */
  headers: Record<string, string>
  get: (path: string) => ReturnType<typeof ask>
  post: (path: string, payload?: object) => ReturnType<typeof ask>
  put: (path: string, payload?: object) => ReturnType<typeof ask>
  patch: (path: string, payload?: object) => ReturnType<typeof ask>
  delete: (path: string, payload?: object) => ReturnType<typeof ask>
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
interface RequestOptions {
  method: Method
  path: string
  payload?: object | undefined
}

async function ask(
  { app }: TestApp,
  headers: Record<string, string>,
  { method, path, payload }: RequestOptions,
) {
  const response = await app.inject({
    method,
    url: path,
    headers: { ...OWN, ...headers },
    ...(payload === undefined ? {} : { payload }),
  })
  for (const { name, value } of response.cookies) headers['cookie'] = `${name}=${value}`
  return response
}

/** A browser that keeps the cookie it is given. */
export function openBrowser(test: TestApp, given: Record<string, string> = {}): Browser {
  const headers = { ...given }
  const call = (method: Method) => (path: string, payload?: object) =>
    ask(test, headers, { method, path, payload })
  return {
    headers,
    get: call('GET'),
    post: call('POST'),
    put: call('PUT'),
    patch: call('PATCH'),
    delete: call('DELETE'),
  }
}

/** The browser of a person who has signed in. */
export async function givenSession(
  test: TestApp,
  personId: string,
  secondFactor: SecondFactorState = 'None',
): Promise<Browser> {
  const visitor = { address: '192.0.2.7', userAgent: 'test', requestId: 'test' }
  const begun = { personId, method: 'Password', secondFactor, visitor } as const
  const { ctx } = test
  const { token } = await ctx.db.transaction().execute((tx) => beginSession(ctx, tx, begun))
  return openBrowser(test, { cookie: `plimsoll_session=${token}` })
}

/** A new member of the workspace, signed in. */
export async function givenMember(test: TestApp, workspaceId: string, role: Role = 'Owner') {
  const person = await givenPerson(test)
  await givenMembership(test, workspaceId, { ...person, role })
  return { ...person, browser: await givenSession(test, person.id) }
}
