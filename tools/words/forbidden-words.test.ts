/** What people read has none of the words that the glossary forbids. */
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { findTextsOfApi, findTextsOfMarkdown, findTextsOfSource } from './find-texts.ts'
import { findForbiddenWords, parseForbiddenWords } from './forbidden-words.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const WORDS = parseForbiddenWords(readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8'))

const SOURCES = ['portal/src', 'cli/src', 'server/src'].map((folder) => `${folder}/**/*.{ts,tsx}`)
const GUIDES = [
  '{README,CHANGELOG,SECURITY}.md',
  'cli/*.md',
  'docs/*.md',
  'docs/guide/**/*.{md,svg}',
  'examples/*/*.md',
]
const APIS = ['server/openapi.json', 'docs/asyncapi.json']
/** The glossary lists the words, stores hold SQL, and the others are names that third parties chose. */
const LEFT_OUT = [
  '**/*.test.ts',
  'docs/glossary.md',
  'server/src/demo/story/feeds.ts',
  'server/src/features/**/*store.ts',
  'server/src/formats/sboms/cyclonedx-{vocabulary,xml-shape}.ts',
  'server/src/formats/identity/{curated-spellings,known-products,registry-products}.ts',
]

function findFaults(patterns: string[], findTexts: (path: string, text: string) => Texts) {
  return globSync(patterns, { cwd: ROOT, exclude: LEFT_OUT })
    .toSorted()
    .flatMap((path) => {
      const texts = findTexts(path, readFileSync(join(ROOT, path), 'utf8'))
      return findForbiddenWords(texts, WORDS).map((fault) => `${path}:${fault}`)
    })
}

type Texts = ReturnType<typeof findTextsOfSource>

it('says the same thing by the same words in pages, commands, mails and problems', () => {
  expect(findFaults(SOURCES, findTextsOfSource)).toEqual([])
})

it('says the same thing by the same words in guides', () => {
  expect(findFaults(GUIDES, (_, text) => findTextsOfMarkdown(text))).toEqual([])
})

it('says the same thing by the same words in the API', () => {
  expect(findFaults(APIS, (_, text) => findTextsOfApi(text))).toEqual([])
})

it.each`
  source                                              | found
  ${'const page = <p>It fires</p>'}                   | ${['It fires']}
  ${'const rule = { label: "fires", value: "Fire" }'} | ${['fires']}
  ${'const title = <Tag title="fires">{count}</Tag>'} | ${['fires']}
  ${'const text = `${count} of ${all} fire now`'}     | ${['of', 'fire now']}
  ${'const state = isOpen ? "fires" : "ended"'}       | ${['fires', 'ended']}
  ${'const query = sql`select fires from rules`'}     | ${[]}
  ${'const name = css["it fires"]'}                   | ${[]}
  ${'import { fires } from "./what fires.ts"'}        | ${[]}
  ${'const event = "fires"'}                          | ${[]}
  ${'type Told = "it fires"'}                         | ${[]}
`('reads $found in $source', ({ source, found }: { source: string; found: string[] }) => {
  expect(findTextsOfSource('page.tsx', source).map(({ text }) => text)).toEqual(found)
})

it('reads guides without code, comments and targets of links', () => {
  const guide = 'It `fires` [now](fires.md)\n<!-- fires -->\n```sh\nfires\n```\nIt ends'

  const texts = findTextsOfMarkdown(guide)

  expect(texts.map(({ line }) => line)).toEqual([1, 6])
  expect(findForbiddenWords(texts, WORDS)).toEqual([])
})

it('finds words of the list in any letters, and says what to write', () => {
  const texts = [{ line: 7, text: 'Fires --email <email> a firefly' }]

  const faults = findForbiddenWords(texts, WORDS)

  expect(faults).toHaveLength(1)
  expect(faults[0]).toMatch(/^7: “Fires”, but say is firing/)
})
