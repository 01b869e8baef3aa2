/** Reads what a server said on a connection, strictly: a proxy in between reads it so. */
import { Fault } from './door.ts'

export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  text: string
}

const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/
const HEADER = /^([\w-]+): ?([\x20-\x7e]*)$/

/** The answers in their order, without interim ones (1xx). Throws a `Fault` for bytes that are none. */
export function readAnswers(bytes: Buffer): HttpAnswer[] {
  const answers: HttpAnswer[] = []
  for (let rest = bytes.toString('latin1'); rest !== '';) {
    const { answer, length } = readAnswer(rest)
    rest = rest.slice(length)
    if (answer.status >= 200) answers.push(answer)
  }
  return answers
}

function readAnswer(said: string): { answer: HttpAnswer; length: number } {
  const end = said.indexOf('\r\n\r\n')
  const [line = '', ...lines] = said.slice(0, Math.max(0, end)).split('\r\n')
  const status = Number(STATUS_LINE.exec(line)?.[1])
  if (end < 0 || Number.isNaN(status)) throw new Fault(`said what is no answer: ${shown(said)}`)
  const headers = Object.fromEntries(lines.map(readHeader))
  const begin = end + 4
  const { text, length } = readBody({ status, headers, text: said.slice(begin) })
  return { answer: { status, headers, text }, length: begin + length }
}

function readHeader(line: string): readonly [string, string] {
  const [, name, value = ''] = HEADER.exec(line) ?? []
  if (name === undefined) throw new Fault(`said what is no header: ${shown(line)}`)
  return [name.toLowerCase(), value]
}

/** No request of ours is a HEAD. */
export const isWithoutBody = ({ status }: HttpAnswer) =>
  status < 200 || status === 204 || status === 304

function readBody(answer: HttpAnswer): { text: string; length: number } {
  const { headers, text } = answer
  if (isWithoutBody(answer)) return { text: '', length: 0 }
  if (headers['transfer-encoding'] === 'chunked') return readChunks(text)
  const stated = headers['content-length']
  const length = stated === undefined ? text.length : Number(stated)
  if (text.length < length) throw new Fault(`said less than it stated: ${shown(text)}`)
  return { text: text.slice(0, length), length }
}

function readChunks(text: string): { text: string; length: number } {
  const chunks: string[] = []
  for (let at = 0; ;) {
    const [head = '', hex = ''] = /^([\da-f]+)\r\n/i.exec(text.slice(at, at + 20)) ?? []
    if (head === '') throw new Fault(`said what is no chunk: ${shown(text.slice(at))}`)
    const size = Number.parseInt(hex, 16)
    const begin = at + head.length
    at = begin + size + 2
    if (size === 0) return { text: chunks.join(''), length: at }
    chunks.push(text.slice(begin, begin + size))
  }
}

const shown = (text: string) => JSON.stringify(text.slice(0, 200))
