/** Published vectors for which Plimsoll gives another answer, by file, with the reason. */

const MAVEN_3 = 'Since MNG-7644 (Maven 3.9.1), .X means -X for every word X; the vectors are older'
const NOT_ALPINE = 'apk calls the version invalid, so it has no order'
const NOT_PADDED =
  'Composer pads with zeros before it compares; the vectors come from PHP, which does not'
const NOT_COMPOSER = 'Composer refuses the version'
const LEGACY = 'PEP 440 does not define legacy versions'

export type Deviations = readonly (readonly [reason: string, vectors: readonly string[]])[]

export const DEVIATIONS: Record<string, Deviations> = {
  'alpine-versions.txt': [
    [
      NOT_ALPINE,
      [
        '1-r = 1-r0',
        '1-r-0 < 1-r0',
        '1-r-1 < 1-r0',
        '0.r1 < 0r2',
        '0..1..0 < 0..1..1',
        '0...1...0 < 0...1...1',
        '0...1...0.r1 < 0...1...0.r2',
        '0...1...0r1 < 0...1...0r2',
        '0..8 = 0..8',
        '0..8 > 0...8',
        '0.8.21.r2 > 0.8.21.r1',
        '10.2.24.r0 > 10.2.22.r0',
        '0.8.21.r2 < 0.8.21r2',
        '1.2.0A < 1.2.0d',
        '1.2.0D < 1.2.0d',
        '1-r2 > 1-r-1',
        '1 > 1-ruff',
        '1-r0-1 = 1-r-2',
        '1-r0-1 = 1-r0-2',
        '1-ruff2 = 1-ruff1',
        '1-ruff2 = 1--ruff1',
        '1-r0-ruff2 = 1-r0-ruff1',
        '1.2 > 1.2_blah',
        '1.2_svn1 > 1.2_csv2',
        '1.2_cvs1 > 1.2_blah',
        '.1 < 1',
        '1 > .1',
        '.2 > .1',
        'a < b',
        'c > b',
        'c = c',
        '23_foo > 4_beta',
        '1.0 < 1.0bc',
      ],
    ],
  ],
  'maven-versions-generated.txt.gz': [
    [
      MAVEN_3,
      [
        '1.0.0-gradle-rework-beta3 < 1.0.0.RC7-3',
        '2.9.0-1 < 2.9.0.RC1',
        '1.1.34.sec10 < 1.1.34_noneautotype',
        '1.2.8.sec10_noneautotype < 1.2.8_noneautotype',
        '1.2.57.sec10 < 1.2.57_noneautotype',
        '1.2.60.sec10 < 1.2.60_noneautotype',
        '1.2.67.sec10 < 1.2.67_noneautotype',
        '1.0.0rc0 < 1.0.beta8',
        '1.5.9.RC1 < 1.5.9-RC0',
        '1.1.0-01-glassfish < 1.1.0.Beta1',
      ],
    ],
  ],
  'packagist-versions.txt': [
    [NOT_PADDED, ['1.0.0 > 1.0']],
    ['Branches have no order', ['dev-foo < 1.26.0', '1.26.0 > dev-foo']],
    [
      NOT_COMPOSER,
      [
        '1.2.3.# = 1.2.3',
        '1.2.3.# = 1.2.3.#',
        '1.2.3.# = 1.2.3.1',
        '1.2.3.#.1 > 1.2.3',
        '1.2.3.#.p3 > 1.2.3',
        '1.2.3.#.beta < 1.2.3',
      ],
    ],
  ],
  'packagist-versions-generated.txt.gz': [
    [
      NOT_PADDED,
      [
        'v3.4 < v3.4.0-alpha',
        '5.1.0-stable < 5.1.0-beta2',
        'v4.4 < v4.4.0-beta',
        'v6.5 < v6.5.0-beta-0',
      ],
    ],
    [
      'PHP distinguishes upper and lower case here, Composer does not',
      ['v1.9.0-BETA.1 < v1.9.0-ALPHA.2', 'v1.9.0-ALPHA.2 = v1.9.0-BETA.2'],
    ],
    [
      NOT_COMPOSER,
      [
        '0.0.1-test1 < 3.0.0-alpha4',
        '3.0.0b1 < 3.0.0b1.post1',
        '3.0.0b2.post1 < 3.0.0b2.post2',
        '3.1.0 < 3.1.0.post1',
        '3.1.0.post1 < 3.2.0rc1',
        '3.2.0rc1.post1 < 3.2.0rc2',
        '3.4.0 < 3.5.0.post1',
        '3.5.2 < 3.5.2.post1',
        '3.5.2.post1 < 3.6.0',
      ],
    ],
  ],
  'pypi-versions.txt': [
    [
      LEGACY,
      [
        '0.1-bulbasaur < 0.1-charmander',
        '0.1-charmander < 0.9-doduo',
        '0.9-doduo < 0.9-eevee',
        '0.9-eevee < 0.9-fearow',
        '0.9-fearow < 0.9-gyarados',
        '0.9-gyarados < 0.9-horsea',
        '0.9-horsea < 0.9-ivysaur',
        '0.9-ivysaur < 1.0',
        '-class.-jw.util.version.version-pre < 1.0',
        '-class.-jw.util.version.version-preview < 1.0',
        '-class.-jw.util.version.version-dev < 1.0',
      ],
    ],
  ],
  'pypi-versions-generated.txt.gz': [
    [
      LEGACY,
      [
        '0.1-bulbasaur < 0.1-charmander',
        '0.1-charmander < 0.9-doduo',
        '0.9-doduo < 0.9-eevee',
        '0.9-eevee < 0.9-fearow',
        '0.9-fearow < 0.9-gyarados',
        '0.9-horsea < 0.9-ivysaur',
        '2.0.1rc2-git < 0.8',
        '0.7.1.fix1 < 0.7.4.svn.r2010',
        '0.7.4.svn.r2010 < 0.6.4',
        '2013-01-23T17:11:52+0100 < 2013-02-01T20:50:46+0100',
        '2013-02-01T20:50:46+0100 < 2013-02-02T19:59:03+0100',
        '2013-02-02T19:59:03+0100 < 2013-02-02T20:23:17+0100',
        '2013-02-02T20:23:17+0100 < 2013-02-08T17:40:57+0000',
        '2013-02-08T17:40:57+0000 < 2013-03-27T16:32:26+0100',
        '2013-03-27T16:32:26+0100 < 2013-05-09T12:47:53+0200',
        '2013-05-14T20:16:05+0200 < 2013-06-01T10:32:51+0200',
        '2013-07-19T09:11:08+0000 < 2013-08-12T21:48:56+0200',
        '2013-08-12T21:48:56+0200 < 2013-09-11T19-27-10',
        '2014-01-12T15-52-10 < 0.2016.3.21',
        '0.7.10p1 < 0.7.11p1',
        '0.7.11p3 < 0.8.1p1',
        '0.8.4p1 < 0.8.4p2',
        '0.8.4p2 < 0.8.6p1',
        '0.8.7p1 < 0.7.3',
        'trunk < 3.2.3',
        '0.3m1 < 0.3m2',
        '0.3m2 < 0.3m3',
        '0.3m3 < 0.3m4',
        '0.3m4 < 0.3m5',
        '0.3m5 < 0.4m1',
        '0.4m2 < 0.4m3',
        '0.4m3 < 0.4m4',
        '0.4m5 < 0.5m1',
        '0.5m1 < 0.5m2',
        '0.5m2 < 0.5m3',
        '0.6m1 < 0.6m2',
        '0.6m2 < 0.6m3',
        '0.6m3 < 0.6m4',
        '0.6m4 < 0.6m5',
        '0.6m6 < 0.2rc0',
        'a3 < 2.0b1',
        '2.0.0-final < 0.10',
        '1.0beta6.1 < 1.0b6',
        '0.3.1-p1 < 0.4.0-p1',
      ],
    ],
  ],
  'rubygems-versions.txt': [
    ['RubyGems puts a dot between words and numbers', ['1 > 1beta', '1 > 1gamma']],
  ],
  'conan_version_cmp_test.json': [
    ['In the generic order, words come before numbers: 1.0.2k before 1.0.2.1', ['1.1 ≤ 1.a']],
  ],
  'gentoo_version_cmp_test.json': [
    ['Gentoo reads a missing revision as r0, apk as no revision', ['1.0-r0 = 1.0', '1.0 = 1.0-r0']],
  ],
  'openssl_versort_expected.json': [
    [
      'The list is sorted as text. In OpenSSL, -dev comes before its release, and a build equals its release',
      ['0.9.6 < 0.9.6-cvs', '1.0.2zc < 1.0.2zc-dev'],
    ],
  ],
}
