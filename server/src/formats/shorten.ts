/** At most `most` UTF-16 code units of the text, without half of a character at its end: PostgreSQL refuses one in JSON. */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')
}

/** A longer text ends with an ellipsis, which counts. */
export function shortenText(text: string, most: number): string {
  return text.length <= most ? text : `${cutText(text, most - 1).trimEnd()}…`
}
