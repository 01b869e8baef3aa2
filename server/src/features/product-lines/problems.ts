import type { ProblemPages } from '../../platform/errors.ts'

export const productLineProblems: ProblemPages = {
  'product-line-not-found': {
    title: 'No such product line',
    advice: 'GET …/product-lines lists them.',
  },
  'product-line-name-taken': {
    title: 'A product line has this name',
    advice: 'Choose another name, or change that line.',
  },
  'firmware-in-other-line': {
    title: 'The firmware is in another product line',
    advice: 'Take it out of that line first: a firmware is in one line at most.',
  },
  'product-line-has-cases': {
    title: 'The product line is in cases',
    advice:
      'Cases keep what they are about. Change other fields of the line, or make a line of another name for another manufacturer.',
  },
  retained: {
    title: 'It is kept by law until a day',
    advice:
      'Versions of a product line that were rolled out stay with their SBOMs, artifacts and decisions for ten years, or until the end of support where that is later. GET …/firmware-versions/{id}/retention says until when. A wrong product line can be corrected: whoever does so is in the audit log.',
  },
  'too-many-product-lines': {
    title: 'The workspace has as many product lines as it may have',
    advice: 'Delete some that you do not need.',
  },
}
