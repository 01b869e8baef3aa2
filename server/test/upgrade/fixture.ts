/** The data of a release: a backup, and what the release answered before it was taken. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { PersonWithPassword } from './people.ts'
import type { AnsweredQuestion, Asker } from './questions.ts'

const FIXTURES = resolve(import.meta.dirname, '../fixtures/releases')

export interface Fixture {
  /** The version of the release. */
  name: string
  /** When the answers were recorded: they depend on the time. */
  recordedAt: string
  first: Access
  second: Access
  owner: PersonWithPassword
}

export interface Access {
  workspaceId: string
  apiKey: string
  deviceKey: string
  /** A version that one more SBOM is uploaded to. */
  firmwareVersionId: string
}

/** A change that a release makes on purpose: what it tells otherwise than the release of the fixture. */
export interface AcceptedDifference {
  /** The path of the question, where `*` stands for any segment. */
  path: string
  as?: Asker
  /** The place in the answer; see `isWithin`. */
  pointer: string
  because: string
}

export interface StoredFixture {
  fixture: Fixture
  answers: AnsweredQuestion[]
  accepted: AcceptedDifference[]
  backup: string
}

export const listFixtures = (): string[] => readdirSync(FIXTURES).toSorted()

const fileOf = (name: string, file: string) => join(FIXTURES, name, file)
const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))

export function readFixture(name: string): StoredFixture {
  const lines = readFileSync(fileOf(name, 'answers.jsonl'), 'utf8').trimEnd().split('\n')
  return {
    fixture: readJson(fileOf(name, 'fixture.json')) as Fixture,
    answers: lines.map((line) => JSON.parse(line) as AnsweredQuestion),
    accepted: readJson(fileOf(name, 'differences.json')) as AcceptedDifference[],
    backup: fileOf(name, 'backup.tar'),
  }
}

/** Replaces a fixture of the name. Answers its folder. */
export function writeFixture(
  { answers, ...fixture }: Fixture & { answers: readonly AnsweredQuestion[] },
  backup: string,
): string {
  const { name } = fixture
  rmSync(join(FIXTURES, name), { recursive: true, force: true })
  mkdirSync(join(FIXTURES, name), { recursive: true })
  copyFileSync(backup, fileOf(name, 'backup.tar'))
  writeFileSync(fileOf(name, 'fixture.json'), `${JSON.stringify(fixture, null, 2)}\n`)
  writeFileSync(
    fileOf(name, 'answers.jsonl'),
    answers.map((answer) => `${JSON.stringify(answer)}\n`).join(''),
  )
  writeFileSync(fileOf(name, 'differences.json'), '[]\n')
  return join(FIXTURES, name)
}
