/** The names of attachments: untrusted text that is shown, and suggested to other users as names of files. */

/** The longest name, in bytes of UTF-8, as in file systems. */
const NAME_BYTES = 255

/** The name of a file without one. */
const UNNAMED = 'file'

/** Control characters, separators of lines, and marks that change the direction of what follows: `exe.gpj` could look like `jpg.exe`. */
const INVISIBLE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

/** The longest extension that a shortened name still has, in bytes, e.g. `.tar.gz`. */
const LONGEST_ENDING = 20

/** The beginning of a text, up to a number of bytes, without half a character. */
function beginningOf(text: string, most: number): string {
  let bytes = 0
  let beginning = ''
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > most) break
    beginning += character
  }
  return beginning
}

/** A name without folders and invisible characters; perhaps empty. It may be too long. */
export function plainName(name: string): string {
  const plain = name.toWellFormed().replaceAll(INVISIBLE, ' ').split(/[/\\]/).at(-1)?.trim() ?? ''
  return /^\.{0,2}$/.test(plain) ? '' : plain
}

/** The name of an uploaded file: plain, not too long, and never empty. */
export function fileNameOf(name: string | undefined): string {
  // Only the end of a very long text matters.
  const plain = plainName(name?.slice(-10_000) ?? '')
  if (plain === '') return UNNAMED
  if (Buffer.byteLength(plain) <= NAME_BYTES) return plain
  const [ending = ''] = /(?:\.[\p{L}\p{N}]+){1,2}$/u.exec(plain) ?? []
  const kept = Buffer.byteLength(ending) <= LONGEST_ENDING ? ending : ''
  const stem = plain.slice(0, plain.length - kept.length)
  return `${beginningOf(stem, NAME_BYTES - Buffer.byteLength(kept)).trimEnd()}${kept}`
}

/** The violation of a name that a client has chosen, or undefined. */
export function problemOfName(name: string): string | undefined {
  const plain = plainName(name)
  if (plain === '') return 'must have visible characters, and not only a folder'
  if (Buffer.byteLength(plain) > NAME_BYTES) return `must not be longer than ${NAME_BYTES} bytes in UTF-8`
  return undefined
}

/** The longest URL of a link, in characters. */
export const LINK_LENGTH = 2000

/** Schemes of links, which browsers open without running a script on this page. */
const SCHEMES: readonly string[] = ['http:', 'https:', 'mailto:']

/** The violation of a link's URL, or undefined. */
export function problemOfLink(text: string): string | undefined {
  // A browser would drop white space inside of it.
  if (!URL.canParse(text) || /[\s\p{Cc}]/u.test(text)) return 'must be a URL'
  const { protocol, username, password } = new URL(text)
  if (!SCHEMES.includes(protocol)) return 'must be an http, https or mailto URL'
  if (username !== '' || password !== '') return 'must not contain credentials'
  return undefined
}

/** The default name of a link. */
export const nameOfLink = (url: string): string => beginningOf(url.replaceAll(INVISIBLE, ''), NAME_BYTES)
