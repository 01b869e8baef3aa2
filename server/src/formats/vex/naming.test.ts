import { expect, it } from 'vitest'
import { parseCpe } from '../cpe.ts'
import { parsePurl } from '../purl.ts'
import { compareNaming, readThing } from './naming.ts'
import { createThing, readIdentifier } from './reading.ts'

function compare(stated: object, declared: object) {
  const {
    purl,
    cpe,
    name,
    version,
    refs = [],
  } = declared as Record<string, string> & {
    refs?: string[]
  }
  const cpes = cpe === undefined ? [] : [parseCpe(cpe)].flatMap((one) => one ?? [])
  return compareNaming(readThing({ ...createThing(), ...stated }), {
    refs,
    purl: purl === undefined ? undefined : parsePurl(purl),
    cpes,
    names: name === undefined ? [] : [name],
    version,
    hashes: [],
  })
}

const BUSYBOX = 'cpe:2.3:a:busybox:busybox:1.36.1:*:*:*:*:*:*:*'
const YOCTO = 'cpe:2.3:*:*:busybox:1.36.1:*:*:*:*:*:*:*'

it.each`
  stated                                                              | declared                                               | expected     | because
  ${readIdentifier('pkg:apk/alpine/git@2.39.0-r1')}                   | ${{ purl: 'pkg:apk/alpine/git@2.39.0-r1?arch=armv7' }} | ${'same'}    | ${'an unstated qualifier restricts nothing'}
  ${readIdentifier('pkg:apk/alpine/git@2.39.0-r1?arch=x86_64')}       | ${{ purl: 'pkg:apk/alpine/git@2.39.0-r1?arch=armv7' }} | ${'other'}   | ${'it is the build for another machine'}
  ${readIdentifier('pkg:apk/alpine/git@2.39.0-r2')}                   | ${{ purl: 'pkg:apk/alpine/git@2.39.0-r1' }}            | ${'other'}   | ${'it is another version'}
  ${readIdentifier('pkg:apk/alpine/git')}                             | ${{ purl: 'pkg:apk/alpine/git@2.39.0-r1' }}            | ${'same'}    | ${'all versions are meant'}
  ${readIdentifier('pkg:golang/github.com/a/b@v4.0.0')}               | ${{ purl: 'pkg:golang/github.com/a/b@4.0.0' }}         | ${'same'}    | ${'a v before the number is a way of writing'}
  ${readIdentifier('pkg:apk/alpine/bash@5')}                          | ${{ purl: 'pkg:apk/alpine/git@2.39.0-r1' }}            | ${'unknown'} | ${'nothing is alike'}
  ${readIdentifier(BUSYBOX)}                                          | ${{ cpe: BUSYBOX }}                                    | ${'same'}    | ${'the CPE is'}
  ${readIdentifier(BUSYBOX)}                                          | ${{ cpe: YOCTO }}                                      | ${'same'}    | ${'Yocto leaves part and vendor unstated'}
  ${readIdentifier('cpe:2.3:a:busybox:busybox:1.37.0:*:*:*:*:*:*:*')} | ${{ cpe: YOCTO }}                                      | ${'other'}   | ${'the version differs'}
  ${readIdentifier('cpe:2.3:a:other:busybox:1.36.1:*:*:*:*:*:*:*')}   | ${{ cpe: BUSYBOX }}                                    | ${'unknown'} | ${'it is of another vendor'}
  ${readIdentifier('cpe:/a:busybox:busybox')}                         | ${{ cpe: BUSYBOX }}                                    | ${'same'}    | ${'all versions are meant'}
  ${{ ref: 'urn:cdx:x/1#a' }}                                         | ${{ refs: ['urn:cdx:x/1#a'] }}                         | ${'same'}    | ${'the document refers to it'}
  ${{ name: 'ABC', version: '4.2' }}                                  | ${{ name: 'abc', version: '4.2' }}                     | ${'same'}    | ${'name and version are'}
  ${{ name: 'ABC' }}                                                  | ${{ name: 'ABC', version: '4.2' }}                     | ${'unknown'} | ${'a name alone is not an identifier'}
  ${{ name: 'ABC', versions: ['vers:generic/<5'] }}                   | ${{ name: 'ABC', version: '4.2' }}                     | ${'same'}    | ${'the range has it'}
  ${{ name: 'ABC', versions: ['vers:generic/<4'] }}                   | ${{ name: 'ABC', version: '4.2' }}                     | ${'other'}   | ${'the range has it not'}
  ${{ ...readIdentifier('pkg:npm/a'), versions: ['2', '3'] }}         | ${{ purl: 'pkg:npm/a@3' }}                             | ${'same'}    | ${'its version is listed'}
  ${{ ...readIdentifier('pkg:npm/a'), versions: ['some day'] }}       | ${{ purl: 'pkg:npm/a@3' }}                             | ${'other'}   | ${'a limit nobody can read lets nothing in'}
`('$stated.ref is $expected, as $because', ({ stated, declared, expected }) => {
  expect(compare(stated as object, declared as object)).toBe(expected)
})
