import { expect, it } from 'vitest'
import { identifyPackage } from '../identity.ts'

function standInsOf(purl: string) {
  const identified = identifyPackage({
    vendor: undefined,
    packageName: 'thing',
    version: undefined,
    purl,
    cpes: [],
    scope: undefined,
    builtFrom: undefined,
  })
  const { pairs } = 'identity' in identified ? identified.identity : { pairs: [] }
  return pairs
    .filter(({ origin }) => origin?.startsWith('stand-in'))
    .map(({ key, version, origin }) => `${key} ${version} ${origin}`)
}

it.each([
  ['pkg:maven/log4j/log4j@1.2.17', ['cpe:apache:log4j 1.2.17 stand-in']],
  ['pkg:maven/io.netty/netty-all@4.1.42.Final?type=jar', ['cpe:netty:netty 4.1.42 stand-in']],
  ['pkg:maven/io.netty/netty-handler@4.1.42.Final', ['cpe:netty:netty 4.1.42 stand-in of whole']],
  ['pkg:maven/com.google.guava/guava@32.0.0-jre', ['cpe:google:guava 32.0.0 stand-in']],
  [
    'pkg:maven/org.eclipse.jetty/jetty-server@9.4.41.v20210516',
    ['cpe:eclipse:jetty 9.4.41 stand-in'],
  ],
  [
    'pkg:maven/org.postgresql/postgresql@42.2.5.jre7',
    ['cpe:postgresql:postgresql_jdbc_driver 42.2.5 stand-in'],
  ],
  [
    'pkg:maven/com.mysql/mysql-connector-j@8.0.32',
    ['cpe:oracle:mysql_connector/j 8.0.32 stand-in'],
  ],
  ['pkg:npm/minimist@1.2.5', ['cpe:substack:minimist 1.2.5 stand-in']],
  ['pkg:npm/%40xmldom/xmldom@0.7.0', ['cpe:xmldom_project:xmldom 0.7.0 stand-in']],
  // The same word elsewhere.
  ['pkg:maven/org.example/log4j@1.2.17', []],
  ['pkg:npm/%40example/lodash@4.17.20', []],
  ['pkg:pypi/lodash@4.17.20', []],
  ['pkg:cargo/tar@0.4.0', []],
  ['pkg:deb/debian/log4j@1.2.17-1?distro=debian-12', []],
  ['pkg:maven/log4j/log4j', []],
])('stands in for the records of %s', (purl, expected) => {
  expect(standInsOf(purl)).toEqual(expected)
})
