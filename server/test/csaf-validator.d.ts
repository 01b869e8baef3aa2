/** The package has no types. */
declare module '@secvisogram/csaf-validator-lib/validate.js' {
  interface Verdict {
    tests: { name: string; isValid: boolean; errors: unknown[] }[]
  }
  export default function validate(tests: readonly unknown[], document: object): Promise<Verdict>
}
declare module '@secvisogram/csaf-validator-lib/schemaTests.js' {
  export const csaf_2_0: unknown
}
declare module '@secvisogram/csaf-validator-lib/mandatoryTests.js' {
  /** One of many. */
  export const mandatoryTest_6_1_1: unknown
}
