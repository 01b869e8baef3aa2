/** GitHub and Jira as far as their REST APIs are documented for what integrations/issues asks of them. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'

export interface ShownIssue {
  title: string
  text: string
  isOpen: boolean
}

interface Answer {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

type Fields = Record<string, unknown>
interface TrackerRequest {
  route: string
  url: URL
  body: Fields
}

interface Tracker {
  issues: () => ShownIssue[]
  authorization: string
  answer: (asked: TrackerRequest) => Answer
  settings: (url: string) => Record<string, string>
}

export function github(): Tracker {
  const issues: { number: number; title: string; body: string; state: string; labels: unknown }[] =
    []
  return {
    authorization: 'Bearer ghp_test',
    settings: (url) => ({
      PLIMSOLL_ISSUES: 'github',
      GITHUB_API: url,
      GITHUB_REPOSITORY: 'acme/gateway',
      GITHUB_TOKEN: 'ghp_test',
    }),
    issues: () =>
      issues.map(({ title, body, state }) => ({ title, text: body, isOpen: state === 'open' })),
    answer({ route, url, body }) {
      const [, number] = /^PATCH \/repos\/acme\/gateway\/issues\/(\d+)$/.exec(route) ?? []
      if (number !== undefined) {
        const issue = issues[Number(number) - 1]
        return issue ? { status: 200, body: Object.assign(issue, body) } : { status: 404 }
      }
      if (route === 'POST /repos/acme/gateway/issues') {
        const made = { number: issues.length + 1, state: 'open', ...body }
        issues.push(made as unknown as (typeof issues)[number])
        return { status: 201, body: made }
      }
      if (route !== 'GET /repos/acme/gateway/issues') return { status: 404 }
      expectQuery(url, { labels: 'plimsoll', state: 'all' })
      // Pages of one, so that following `next` matters.
      const page = Number(url.searchParams.get('page') ?? 1)
      url.searchParams.set('page', String(page + 1))
      const link = page < issues.length ? { link: `<${url.href}>; rel="next"` } : {}
      return { status: 200, body: issues.slice(page - 1, page), headers: link }
    },
  }
}

function expectQuery(url: URL, query: Record<string, string>): void {
  for (const [name, value] of Object.entries(query))
    if (url.searchParams.get(name) !== value) throw new Error(`${url.href} lacks ${name}=${value}`)
}

export function jira(): Tracker {
  const issues: { key: string; fields: Fields & { labels: string[] }; isDone: boolean }[] = []
  const shown = ({ key, fields, isDone }: (typeof issues)[number]) => ({
    key,
    fields: { ...fields, status: { statusCategory: { key: isDone ? 'done' : 'new' } } },
  })
  return {
    authorization: `Basic ${Buffer.from('bot@example.com:token').toString('base64')}`,
    settings: (url) => ({
      PLIMSOLL_ISSUES: 'jira',
      JIRA_URL: url,
      JIRA_USER: 'bot@example.com',
      JIRA_TOKEN: 'token',
      JIRA_PROJECT: 'GW',
    }),
    issues: () =>
      issues.map(({ fields, isDone }) => ({
        title: String(fields['summary']),
        text: JSON.stringify(fields['description']),
        isOpen: !isDone,
      })),
    answer({ route, body }) {
      const [, method, key, transitions] =
        /^(GET|PUT|POST) \/rest\/api\/3\/issue\/(GW-\d+)(\/transitions)?$/.exec(route) ?? []
      const issue = issues.find((one) => one.key === key)
      if (issue && transitions !== undefined && method === 'GET')
        return {
          status: 200,
          body: {
            transitions: [
              { id: '11', name: 'To Do', to: { name: 'To Do' } },
              { id: '31', name: 'Close', to: { name: 'Done' } },
            ],
          },
        }
      if (issue && transitions !== undefined) {
        issue.isDone = (body['transition'] as { id: string }).id === '31'
        return { status: 204 }
      }
      if (issue && method === 'PUT') {
        Object.assign(issue.fields, body['fields'])
        return { status: 204 }
      }
      if (issue) return { status: 200, body: shown(issue) }
      if (route === 'POST /rest/api/3/issue') {
        const made = { key: `GW-${issues.length + 1}`, isDone: false, fields: body['fields'] }
        issues.push(made as (typeof issues)[number])
        return { status: 201, body: { id: '1', key: made.key } }
      }
      if (route !== 'POST /rest/api/3/search/jql') return { status: 404 }
      const [, project, label] =
        /^project = "(.*?)" AND labels = "(.*?)"$/.exec(String(body['jql'])) ?? []
      const found = issues.filter(({ fields }) => fields.labels.includes(label ?? ''))
      return { status: 200, body: { issues: project === 'GW' ? found.map(shown) : [] } }
    },
  }
}

/** Serves a tracker; while `isDown`, it answers as broken servers do. */
export async function startTracker(tracker: Tracker) {
  const state = { isDown: false, requests: 0 }
  const answerOf = async (request: IncomingMessage): Promise<Answer> => {
    state.requests += 1
    const url = new URL(request.url ?? '/', `http://${request.headers.host ?? ''}`)
    if (state.isDown) return { status: 500 }
    if (request.headers.authorization !== tracker.authorization) return { status: 401 }
    const body = request.method === 'GET' ? {} : ((await json(request)) as Fields)
    return tracker.answer({ route: `${request.method ?? ''} ${url.pathname}`, url, body })
  }
  const server = createServer((request, response) => {
    void answerOf(request).then(({ status, body, headers = {} }) =>
      response.writeHead(status, headers).end(body === undefined ? '' : JSON.stringify(body)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return { state, settings: tracker.settings(url), close: () => server.close() }
}
