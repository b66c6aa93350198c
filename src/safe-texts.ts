/** Texts of members in mails and chats: made safe for headers and plain text. */

/** Controls that change the direction of the text around them: they could make a title or an address look like another one. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** Other controls, except line breaks and tabs. */
const CONTROL = /(?![\n\t])[\p{Cc}\u2028\u2029\ufeff]|\p{Cs}/gu

/** At most so many characters, with an ellipsis for the rest. */
function shorten(text: string, length: number): string {
  // Slicing first: the text may be of any length.
  const characters = [...text.slice(0, 2 * length + 2)]
  return characters.length > length ? `${characters.slice(0, length).join('').trimEnd()}…` : text
}

/** A text in one line: without controls, and not longer than so many characters. */
export const oneLine = (text: string, length = 200): string =>
  shorten(
    text
      .replaceAll(DIRECTION, '')
      .replaceAll(/[\s\p{Cc}\u2028\u2029\ufeff]+|\p{Cs}/gu, ' ')
      .trim(),
    length,
  )

/** A text of several lines: without controls but line breaks, and not longer than 1,000 characters. */
export const severalLines = (text: string): string =>
  shorten(text.replaceAll('\r\n', '\n').replaceAll(DIRECTION, '').replaceAll(CONTROL, ' ').trim(), 1000)
