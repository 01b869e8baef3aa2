import { describe, expect, it } from 'vitest'
import { parseSbom, parseSboms } from './parse.ts'
import { SbomError } from './sbom-error.ts'

const bytesOf = (text: string) => Buffer.from(text, 'latin1')
const CYCLONEDX = '{"bomFormat": "CycloneDX", "specVersion": "1.6", "components": []}'
const utf16 = (text: string) => Buffer.from(text, 'utf16le')

function failure(bytes: Uint8Array): { code: string; message: string } {
  try {
    parseSbom(bytes)
  } catch (error) {
    if (error instanceof SbomError) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error('the document was read')
}

describe('a file that is not an SBOM', () => {
  it.each`
    what                     | content                                                                 | code             | message
    ${'an empty file'}       | ${''}                                                                   | ${'empty'}       | ${'The file is empty.'}
    ${'white space'}         | ${' \n\t \r\n'}                                                         | ${'empty'}       | ${'The file holds only white space.'}
    ${'a byte order mark'}   | ${'\xef\xbb\xbf'}                                                       | ${'empty'}       | ${'The file is empty.'}
    ${'a ZIP archive'}       | ${'PK\x03\x04\x14\0'}                                                   | ${'not-an-sbom'} | ${'The file is a ZIP archive, not an SBOM. Unpack it and upload the SBOM inside.'}
    ${'a PNG picture'}       | ${'\x89PNG\r\n\x1a\n'}                                                  | ${'not-an-sbom'} | ${'The file is a PNG picture, not an SBOM. Upload the SBOM itself.'}
    ${'a JPEG picture'}      | ${'\xff\xd8\xff\xe0'}                                                   | ${'not-an-sbom'} | ${'The file is a JPEG picture, not an SBOM. Upload the SBOM itself.'}
    ${'a PDF document'}      | ${'%PDF-1.7'}                                                           | ${'not-an-sbom'} | ${'The file is a PDF document, not an SBOM. Upload the SBOM itself.'}
    ${'an ELF binary'}       | ${'\x7fELF\x02'}                                                        | ${'not-an-sbom'} | ${'The file is an ELF binary, not an SBOM. Upload the SBOM itself.'}
    ${'xz'}                  | ${'\xfd7zXZ\0\0'}                                                       | ${'unsupported'} | ${'The file is xz-compressed, which is not read. Use gzip or zstd.'}
    ${'bzip2'}               | ${'BZh91AY'}                                                            | ${'unsupported'} | ${'The file is bzip2-compressed, which is not read. Use gzip or zstd.'}
    ${'binary'}              | ${'x\x01y\0\x02'}                                                       | ${'not-an-sbom'} | ${'The file is binary, not an SBOM.'}
    ${'prose'}               | ${'Dear reader,\nthis is not an SBOM.'}                                 | ${'not-an-sbom'} | ${'The file is not an SBOM: neither JSON nor XML nor SPDX tag-value. Upload SPDX 2.2, 2.3 or 3.0, or CycloneDX 1.0 to 1.7.'}
    ${'SPDX YAML'}           | ${'SPDXID: x\nspdxVersion: "SPDX-2.3"'}                                 | ${'unsupported'} | ${'The file is SPDX or CycloneDX in YAML, which is not read. Convert it to JSON.'}
    ${'SPDX XML'}            | ${'<Document><SPDXID/></Document>'}                                     | ${'unsupported'} | ${'The file is SPDX in XML, which is not read. Convert it to JSON.'}
    ${'SPDX RDF'}            | ${'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>'} | ${'unsupported'} | ${'The file is SPDX in RDF/XML, which is not read. Convert it to JSON.'}
    ${'HTML'}                | ${'<!-- x --><html><body/></html>'}                                     | ${'not-an-sbom'} | ${'The file is an HTML page, not an SBOM.'}
    ${'other XML'}           | ${'<project xmlns="urn:x"/>'}                                           | ${'not-an-sbom'} | ${'The XML document is not CycloneDX: its root element is "project" of "urn:x".'}
    ${'a JSON list'}         | ${'[1, 2]'}                                                             | ${'not-an-sbom'} | ${'The JSON document is not an SBOM: it is not an object.'}
    ${'other JSON'}          | ${'{"a": 1}'}                                                           | ${'not-an-sbom'} | ${'The JSON document is not an SBOM: it has no "bomFormat" (CycloneDX), no "spdxVersion" (SPDX 2) and no SPDX 3 "@context".'}
    ${'OpenVEX'}             | ${'{"@context": "https://openvex.dev/ns/v0.2.0"}'}                      | ${'not-an-sbom'} | ${'The JSON document is OpenVEX, not an SBOM.'}
    ${'CSAF'}                | ${'{"document": {"csaf_version": "2.0"}}'}                              | ${'not-an-sbom'} | ${'The JSON document is a CSAF advisory, not an SBOM.'}
    ${'another bomFormat'}   | ${'{"bomFormat": "CDX"}'}                                               | ${'not-an-sbom'} | ${'The property bomFormat is "CDX" instead of "CycloneDX".'}
    ${'a hostile bomFormat'} | ${'{"bomFormat": {"toString": 1}}'}                                     | ${'not-an-sbom'} | ${'The property bomFormat is an object instead of "CycloneDX".'}
  `(
    '$what fails: $message',
    ({ content, code, message }: Record<'content' | 'code' | 'message', string>) => {
      expect(failure(bytesOf(content))).toEqual({ code, message })
    },
  )

  it.each`
    what                              | content                                                                                                                         | code             | message
    ${'CycloneDX 2.0'}                | ${'{"bomFormat": "CycloneDX", "specVersion": "2.0"}'}                                                                           | ${'unsupported'} | ${'CycloneDX "2.0" is not read, only 1.0 to 1.7.'}
    ${'CycloneDX 2.0 XML'}            | ${'<bom xmlns="http://cyclonedx.org/schema/bom/2.0"/>'}                                                                         | ${'unsupported'} | ${'CycloneDX "2.0" is not read, only 1.0 to 1.7.'}
    ${'a namespace of no kind'}       | ${'<bom xmlns="http://cyclonedx.org/schema/bom/x"/>'}                                                                           | ${'unsupported'} | ${'The namespace "http://cyclonedx.org/schema/bom/x" names no CycloneDX version.'}
    ${'SPDX 1.2'}                     | ${'SPDXVersion: SPDX-1.2\nDataLicense: CC0-1.0'}                                                                                | ${'unsupported'} | ${'"SPDX-1.2" is not read in this form, only SPDX 2.2 and 2.3.'}
    ${'SPDX 4'}                       | ${'{"@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld", "@graph": [{"type": "CreationInfo", "specVersion": "4.0"}]}'} | ${'unsupported'} | ${'SPDX "4.0" is not read in this form, only 3.0.'}
    ${'a version that is not a text'} | ${'{"spdxVersion": 2}'}                                                                                                         | ${'malformed'}   | ${'The value of spdxVersion is not a text of the form "SPDX-2.3".'}
    ${'truncated JSON'}               | ${'{"bomFormat": "CycloneDX",\n "components": ['}                                                                               | ${'malformed'}   | ${'The JSON is broken. Line 2, column 17: expected a value or ], found the end of the file.'}
    ${'truncated XML'}                | ${'<bom xmlns="http://cyclonedx.org/schema/bom/1.6">\n<components>'}                                                            | ${'malformed'}   | ${'The XML is broken. Line 2, column 12: unclosed tag: components.'}
    ${'mixed up XML'}                 | ${'<bom xmlns="http://cyclonedx.org/schema/bom/1.6"><a></b></bom>'}                                                             | ${'malformed'}   | ${'The XML is broken. Line 1, column 56: unexpected close tag.'}
    ${'an entity'}                    | ${'<bom xmlns="http://cyclonedx.org/schema/bom/1.6">&xxe;</bom>'}                                                               | ${'malformed'}   | ${'The XML is broken. Line 1, column 54: undefined entity.'}
    ${'a DOCTYPE'}                    | ${'<!DOCTYPE bom [<!ENTITY a "b">]><bom>&a;</bom>'}                                                                             | ${'malformed'}   | ${'The XML has a DOCTYPE; document types and their entities are refused. Remove the DOCTYPE.'}
    ${'an endless text'}              | ${'SPDXVersion: SPDX-2.3\nPackageName: <text>a\nb'}                                                                             | ${'malformed'}   | ${'Line 2: the <text> of "PackageName" never ends.'}
    ${'a Latin-1 document'}           | ${'{"bomFormat": "CycloneDX", "name": "M\xfcller"}'}                                                                            | ${'malformed'}   | ${'The document is not UTF-8: byte 37 (0xfc) begins no valid character.'}
    ${'half a UTF-16'}                | ${'\xff\xfe{\0"'}                                                                                                               | ${'malformed'}   | ${'The document begins with a UTF-16 byte order mark but is not valid UTF-16.'}
  `(
    '$what fails: $message',
    ({ content, code, message }: Record<'content' | 'code' | 'message', string>) => {
      expect(failure(bytesOf(content))).toEqual({ code, message })
    },
  )

  it('says so of UTF-16 without a byte order mark', () => {
    expect(failure(utf16(CYCLONEDX))).toEqual({
      code: 'unsupported',
      message: 'The file looks like UTF-16 without a byte order mark. Save it as UTF-8.',
    })
  })

  it('is named by its position among several', () => {
    expect(() => parseSboms([bytesOf(CYCLONEDX), bytesOf('')])).toThrow(
      expect.objectContaining({ code: 'empty', file: 1 }),
    )
  })
})

describe('an SBOM', () => {
  const SPDX3 = '{"@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld", "@graph": []}'

  it.each`
    content                                                                      | format
    ${CYCLONEDX}                                                                 | ${'CycloneDxJson'}
    ${'{"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json"}'}          | ${'CycloneDxJson'}
    ${'{"spdxVersion": "SPDX-2.3"}'}                                             | ${'Spdx2Json'}
    ${SPDX3}                                                                     | ${'Spdx3JsonLd'}
    ${'<?xml version="1.0"?><bom xmlns="http://cyclonedx.org/schema/bom/1.4"/>'} | ${'CycloneDxXml'}
    ${'<b:bom xmlns:b="http://cyclonedx.org/schema/bom/1.4"/>'}                  | ${'CycloneDxXml'}
    ${'# comment\n\n  SPDXVersion: SPDX-2.2'}                                    | ${'Spdx2TagValue'}
    ${'DocumentName: version is missing'}                                        | ${'Spdx2TagValue'}
  `(
    'is $format, told by its content alone: $content',
    ({ content, format }: Record<'content' | 'format', string>) => {
      expect(parseSbom(bytesOf(content)).format).toBe(format)
    },
  )

  it.each`
    encoding                        | bytes
    ${'UTF-8 with byte order mark'} | ${Buffer.from(`\ufeff${CYCLONEDX}`)}
    ${'UTF-16 little-endian'}       | ${utf16(`\ufeff${CYCLONEDX}`)}
    ${'UTF-16 big-endian'}          | ${utf16(`\ufeff${CYCLONEDX}`).swap16()}
  `('may be $encoding', ({ bytes }: { bytes: Buffer }) => {
    expect(parseSbom(bytes).specVersion).toBe('1.6')
  })

  it.each`
    content                                                | warning
    ${'{"bomFormat": "CycloneDX", "specVersion": "1.9"}'}  | ${'Unknown CycloneDX version, read as 1.7: "1.9".'}
    ${'{"bomFormat": "CycloneDX", "specVersion": "1.x"}'}  | ${'Unknown CycloneDX version, read as 1.7: "1.x".'}
    ${'{"bomFormat": "CycloneDX"}'}                        | ${'No CycloneDX version, read as 1.7.'}
    ${'<bom xmlns="http://cyclonedx.org/schema/bom/12"/>'} | ${'Unknown CycloneDX version, read as 1.7: "12".'}
    ${'SPDXVersion: SPDX-2.1'}                             | ${'Unsupported SPDX version, read as SPDX-2.3: "SPDX-2.1".'}
    ${'{"spdxVersion": "SPDX-2.9"}'}                       | ${'Unsupported SPDX version, read as SPDX-2.3: "SPDX-2.9".'}
    ${'DocumentName: none'}                                | ${'The document has no spdxVersion, read as SPDX-2.3.'}
  `(
    'of an odd version is read with a warning: $warning',
    ({ content, warning }: Record<'content' | 'warning', string>) => {
      expect(parseSbom(bytesOf(content)).warnings).toContain(warning)
    },
  )

  it('without components succeeds with a warning', () => {
    const [sbom] = parseSboms([bytesOf(CYCLONEDX)])

    expect(sbom).toMatchObject({
      components: [],
      nodes: [],
      warnings: ['The document declares no components.'],
    })
  })
})
