/** As the platform's form counts: UTF-16 code units, a line break as one. The service counts the same. */
export const countCharacters = (text: string) => text.replaceAll('\r\n', '\n').length
