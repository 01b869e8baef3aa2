/** Any operation of the REST interface, for those that have no command. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { readAllPages, readFailure } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { refuseForeign } from '../download.ts'
import { usageError } from '../failure.ts'
import { readJsonObject } from '../json-file.ts'
import { note, printJson } from '../print.ts'
import { fetchPatiently } from '../retry.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import { getTerminal } from '../terminal.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof METHODS)[number]

type Fields = Readonly<Record<string, unknown>>

interface ApiOptions extends ConnectionOptions, ConfirmOptions {
  field?: Fields
  input?: string
  paginate?: boolean
}

const HELP = `
PATH begins with / as in the description of the interface ({workspaceId} stands for the
workspace), or without it: then it is a path of the workspace.

  plimsoll api GET device-summary
  plimsoll api GET firmwares --jq '.firmwares[].slug'
  plimsoll api POST vulnerability-findings/list -f limit=100 --paginate
  plimsoll api POST webhooks --input webhook.json`

export function addApiCommand(program: Command): void {
  withConfirmation(withConnection(program.command('api')))
    .description('Ask any operation of the REST interface, also those without a command')
    .argument('<method>', METHODS.join(', '), readMethod)
    .argument('<path>', 'such as /whoami, or device-summary for a path of the workspace')
    .option(
      '-f, --field <name=value>',
      'a member of the body, or of the query of GET and DELETE: JSON, else a text; may be repeated',
      readField,
    )
    .option('--input <file>', 'the body as JSON; - for stdin')
    .option('--paginate', 'read all pages and answer as one')
    .addHelpText('after', HELP)
    .action(ask)
}

function readMethod(text: string): Method {
  const method = METHODS.find((one) => one === text.toUpperCase())
  if (!method) throw new InvalidArgumentError(`Use one of: ${METHODS.join(', ')}.`)
  return method
}

function readField(text: string, before: Fields = {}): Fields {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Write it as name=value.')
  return { ...before, [text.slice(0, at)]: readValue(text.slice(at + 1)) }
}

/** `5`, `true`, `null`, `["a"]` as JSON has them; `2.4.1` is a text, as are `2.10`, which is no number of that form, and `"5"`. */
function readValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'number' && String(value) !== text ? text : value
  } catch {
    return text
  }
}

interface Question {
  method: Method
  path: string
  query: Fields
  body: Fields | undefined
}

async function ask(method: Method, path: string, options: ApiOptions): Promise<void> {
  const session = await openSession(options)
  const question = { method, path: fillPath(session, path), ...(await readParts(method, options)) }
  if (method === 'DELETE') await confirm(`Send DELETE ${question.path}?`, options)
  if (options.paginate) printJson(await readPages(session, question))
  else await printAnswer(await send(session, question))
}

/** The key goes to the service and to no other address. */
function fillPath({ workspaceId }: Session, path: string): string {
  if (/[?#\\]|(?:^|\/)\.{1,2}(?:\/|$)|\/\/|:/.test(path))
    throw usageError(
      `${JSON.stringify(path)} is not a path of the interface: write it as /whoami or device-summary, and what follows a ? as -f name=value.`,
    )
  const id = encodeURIComponent(workspaceId)
  return path.startsWith('/') ? path.replaceAll('{workspaceId}', id) : `/workspaces/${id}/${path}`
}

async function readParts(method: Method, { field, input }: ApiOptions) {
  const isInQuery = method === 'GET' || method === 'DELETE'
  if (isInQuery && input !== undefined)
    throw usageError(`${method} has no body: use -f name=value.`)
  if (isInQuery) return { query: field ?? {}, body: undefined }
  // Fields change single members of a file.
  const body = input === undefined ? field : { ...(await readJsonObject(input)), ...field }
  return { query: {}, body }
}

async function send(
  { baseUrl, apiKey }: Session,
  { method, path, query, body }: Question,
): Promise<Response> {
  const url = new URL(baseUrl + path)
  for (const [name, value] of Object.entries(query))
    url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  const response = await fetchPatiently(url.href, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw await readFailure(response)
  return response
}

const isJson = ({ headers }: Response) =>
  headers.get('content-type')?.startsWith('application/json') === true

async function printAnswer(response: Response): Promise<void> {
  if (response.status === 204) note('Done; the service answers nothing.')
  else if (isJson(response)) printJson(await response.json())
  else {
    // A file, such as a CSV or a report.
    refuseForeign(response)
    const body = Readable.fromWeb(response.body ?? new ReadableStream())
    await pipeline(body, getTerminal().stdout, { end: false })
  }
}

interface Page extends Record<string, unknown> {
  hasMore: boolean
  nextCursor?: string
}

/** Members that are lists are joined; the others are those of the last page. */
async function readPages(session: Session, question: Question): Promise<object> {
  const answer: Record<string, unknown> = {}
  const pages = readAllPages((cursor) => readPage(session, withCursor(question, cursor)))
  for await (const { nextCursor: _, ...page } of pages)
    for (const [name, value] of Object.entries(page)) {
      const before = answer[name]
      answer[name] = Array.isArray(value) && Array.isArray(before) ? before.concat(value) : value
    }
  return answer
}

const withCursor = (question: Question, cursor: Fields): Question =>
  question.method === 'GET'
    ? { ...question, query: { ...question.query, ...cursor } }
    : { ...question, body: { ...question.body, ...cursor } }

async function readPage(session: Session, question: Question): Promise<Page> {
  const response = await send(session, question)
  const page: unknown = isJson(response) ? await response.json() : undefined
  if (typeof page !== 'object' || page === null || !('hasMore' in page))
    throw usageError(`${question.method} ${question.path} does not answer in pages.`)
  return page as Page
}
