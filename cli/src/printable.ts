/**
 * Names come from documents anybody may have written: control characters (ECMA-48), which could rewrite the terminal,
 * and marks that turn the direction of text (Unicode UAX 9) are shown as U+FFFD.
 */
export function printable(text: string): string {
  return text.replaceAll(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    '\ufffd',
  )
}
