/** Atlassian's document format, in which Jira Cloud's API gives texts, as Markdown. */
import { isDeepStrictEqual } from 'node:util'
import { isObject, type JsonObject } from '../../json.ts'
import {
  codeBlock,
  codeSpan,
  escaped,
  escapedHeading,
  escapedItem,
  escapedLine,
  linkTo,
  prefixed,
} from './markdown.ts'
import { number, objects, text, unixTime } from './source-values.ts'

/** A text as Markdown. `isWhole` tells whether the Markdown has everything in the document, so that the original need not be stored. */
interface ReadableText {
  text: string
  isWhole: boolean
}

/** Reads a text, which may be a document, plain text (from the API's version 2 or Jira Server), or absent. */
export function readableText(value: unknown): ReadableText {
  if (!isObject(value)) return { text: text(value), isWhole: true }
  const writer = new Writer()
  const markdown = writer.blocks(value)
  return { text: markdown, isWhole: writer.isWhole }
}

/** The Markdown around a text with a mark. */
const AROUND = { strong: '**', em: '*', strike: '~~' } as const

/** The known marks, outermost first. Nothing in code has a meaning, so it is innermost. */
const MARKS = ['link', 'strong', 'em', 'strike', 'code'] as const
type Mark = (typeof MARKS)[number]

const isMark = (type: string): type is Mark => MARKS.includes(type as Mark)

/** A part of a line. A mark's value is the address of a link, and empty for other marks. */
interface Piece {
  text: string
  marks: ReadonlyMap<Mark, string>
}

/** What surrounds pieces: marks that are written already, and the characters before and after. */
interface Around {
  marks: ReadonlySet<Mark>
  /** Whether the texts of its block have the middle of a link, `](`. */
  hasLinkText: boolean
  /** Whether they are all pieces within the mark around theirs. */
  isAll: boolean
  before: string
  after: string
}

/** Blocks of text, which may be empty. */
const EMPTY = new Set<unknown>(['paragraph', 'heading', 'codeBlock'])

/** The highest number of a list's item. */
const HIGHEST = 999_999_999

/** Known blocks and marks. Of others, such as panels, only the text is read, and the result does not count as whole. */
class Writer {
  isWhole = true

  /** The blocks in a node, separated by blank lines. `isOther`: whether a list that begins it gets the other marker. */
  blocks(node: JsonObject, isOther = false): string {
    const written: string[] = []
    let before: unknown
    let hasOther = false
    for (const block of objects(node.content)) {
      // Another marker begins another list.
      const getsOther: boolean = written.length === 0 ? isOther : block.type === before && !hasOther
      const markdown = this.#block(block, getsOther)
      if (markdown === '') continue
      written.push(markdown)
      before = block.type
      hasOther = getsOther
    }
    return written.join('\n\n')
  }

  #block(block: JsonObject, isOther: boolean): string {
    const attributes = isObject(block.attrs) ? block.attrs : {}
    switch (block.type) {
      case 'paragraph':
        return this.#paragraph(block)
      case 'heading':
        return this.#heading(block, number(attributes.level) ?? 1)
      case 'codeBlock':
        return codeBlock(this.#plain(block), text(attributes.language))
      case 'blockquote':
        return prefixed(this.blocks(block), '> ', '> ')
      case 'rule':
        // Unlike dashes, it is no item after the marker of one.
        return '***'
      case 'bulletList':
        return this.#list(block, isOther, () => (isOther ? '+ ' : '- '))
      case 'orderedList': {
        const first = this.#firstNumber(block, attributes.order)
        return this.#list(block, isOther, (index) => `${first + index}${isOther ? ')' : '.'} `)
      }
      default:
        this.isWhole = false
        return Array.isArray(block.content) &&
          block.content.some((child) => isObject(child) && 'content' in child)
          ? this.blocks(block)
          : this.#paragraph(block)
    }
  }

  /** The number of a list's first item. */
  #firstNumber(list: JsonObject, order: unknown): number {
    const first = number(order) ?? 1
    const isValid = Number.isInteger(first) && first >= 0 && first + objects(list.content).length <= HIGHEST
    if (!isValid) this.isWhole = false
    return isValid ? first : 1
  }

  #list(list: JsonObject, isOther: boolean, markOf: (index: number) => string): string {
    return objects(list.content)
      .map((item, index) => {
        const mark = markOf(index)
        return prefixed(escapedItem(this.blocks(item, !isOther)), mark, ' '.repeat(mark.length))
      })
      .join('\n')
  }

  #paragraph = (node: JsonObject): string => this.#written(node).map(escapedLine).join('\n').trim()

  #heading(node: JsonObject, level: number): string {
    const lines = this.#written(node)
    if (lines.length > 1) this.isWhole = false
    return `${'#'.repeat(Math.min(6, Math.max(1, level)))} ${escapedHeading(lines.join(' ').trim())}`
  }

  /** The text in a node without its marks. */
  #plain = (node: JsonObject): string => this.#lines(node).map(textIn).join('\n')

  /** The lines of text in a node. */
  #lines(node: JsonObject): Piece[][] {
    const lines: Piece[][] = [[]]
    for (const leaf of leavesOf(node)) {
      const marks = this.#marksOf(leaf)
      for (const [index, text] of this.#textOf(leaf)
        .split(/\r\n?|\n/)
        .entries()) {
        if (index > 0) lines.push([])
        this.#add(lines.at(-1) as Piece[], this.#readable({ text, marks }))
      }
    }
    return lines
  }

  /** A piece without the mark of code if the page would not recognise that in a link. */
  #readable(piece: Piece): Piece {
    const isReadable = !piece.marks.has('code') || !piece.marks.has('link') || !/`|\]:/.test(piece.text)
    if (isReadable) return piece
    this.isWhole = false
    return { ...piece, marks: new Map([...piece.marks].filter(([mark]) => mark !== 'code')) }
  }

  /** Adds a piece to a line, to its last piece if that has the same marks. Two pieces of code cannot be side by side: they keep their common marks. */
  #add(line: Piece[], piece: Piece): void {
    if (piece.text === '') return
    const last = line.at(-1)
    const isSame = last !== undefined && isDeepStrictEqual(last.marks, piece.marks)
    if (last === undefined || !(isSame || (last.marks.has('code') && piece.marks.has('code')))) {
      line.push(piece)
      return
    }
    if (!isSame) this.isWhole = false
    const marks = new Map([...last.marks].filter(([mark, value]) => piece.marks.get(mark) === value))
    line[line.length - 1] = { text: last.text + piece.text, marks }
  }

  #textOf(leaf: JsonObject): string {
    if (leaf.type === 'text') return text(leaf.text)
    if (leaf.type === 'hardBreak') return '\n'
    if (EMPTY.has(leaf.type)) return ''
    this.isWhole = false
    const { text: said, shortName, url, alt, timestamp: at } = isObject(leaf.attrs) ? leaf.attrs : {}
    return text(said) || text(shortName) || text(url) || text(alt) || dayOf(at)
  }

  #marksOf(leaf: JsonObject): Map<Mark, string> {
    const found = new Map<string, string>()
    for (const { type, attrs } of objects(leaf.marks)) {
      const name = text(type)
      if (!isMark(name) || (name === 'link' && !isObject(attrs))) this.isWhole = false
      else found.set(name, name === 'link' && isObject(attrs) ? text(attrs.href) : '')
    }
    return new Map(
      MARKS.flatMap((mark) => {
        const value = found.get(mark)
        return value === undefined ? [] : [[mark, value]]
      }),
    )
  }

  /** The lines of text in a node, as Markdown. */
  #written(node: JsonObject): string[] {
    const lines = this.#lines(node)
    const hasLinkText = lines.some((line) => textIn(line).includes(']('))
    const around: Around = { marks: new Set(), hasLinkText, isAll: true, before: ' ', after: ' ' }
    return lines.map((line) => this.#marked(line, around).trim())
  }

  /** Pieces of a line, each longest run with the same mark within it. */
  #marked(pieces: Piece[], around: Around): string {
    let written = ''
    for (let at = 0; at < pieces.length; ) {
      const [mark, length] = longestMark(pieces, at, around.marks)
      const run = pieces.slice(at, at + length)
      const before = at === 0 ? around.before : lastOf(pieces[at - 1] as Piece, around.marks)
      const next = pieces[at + length]
      const after = next === undefined ? around.after : firstOf(next, around.marks)
      if (mark === undefined) {
        const text = run[0]?.text ?? ''
        // Blanks at the ends of marked text are outside of the mark.
        const plain = around.marks.size > 0 ? text.trim() : text
        const isFirst = at === 0 && around.marks.size === 0
        const isLast = next === undefined && around.marks.size === 0
        const where = around.marks.has('link') ? 'label' : around.hasLinkText ? 'brackets' : 'line'
        written += text.replace(plain, () => escaped(plain, { isFirst, isLast, where }))
      } else
        written += this.#withMark(mark, run, {
          ...around,
          isAll: run.length === pieces.length,
          before,
          after,
          marks: new Set([...around.marks, mark]),
        })
      at += length
    }
    return written
  }

  #withMark(mark: Mark, run: Piece[], around: Around): string {
    if (mark === 'code') return codeSpan(textIn(run))
    if (mark === 'link') {
      const address = run[0]?.marks.get('link') ?? ''
      return linkTo(this.#marked(run, { ...around, before: '[', after: ']' }), address)
    }
    const inner = this.#marked(run, around)
    const marked = inner.trim()
    if (marked === '') return inner
    const start = inner.length - inner.trimStart().length
    const end = inner.trimEnd().length
    const before = start > 0 ? ' ' : around.before
    const after = end < inner.length ? ' ' : around.after
    // Stars within stars are ambiguous unless they are between blanks, and the page does not recognise them in a struck text.
    const isNested = mark !== 'strike' && around.marks.has('strong') && around.marks.has('em')
    const isClear =
      !isNested || around.isAll || (before === ' ' && after === ' ' && !around.marks.has('strike'))
    if (!isClear || !canBeMarked(AROUND[mark], marked, before, after)) {
      this.isWhole = false
      return inner
    }
    return inner.slice(0, start) + AROUND[mark] + marked + AROUND[mark] + inner.slice(end)
  }
}

/** The nodes without content in a node, which may be one. */
const leavesOf = (node: JsonObject): JsonObject[] =>
  Array.isArray(node.content) ? objects(node.content).flatMap(leavesOf) : [node]

/** The day of a date in milliseconds of Unix time, or empty. */
function dayOf(timestamp: unknown): string {
  const at = number(timestamp)
  return (at === undefined ? undefined : unixTime(at / 1000))?.slice(0, 10) ?? ''
}

const textIn = (pieces: readonly Piece[]): string => pieces.map((piece) => piece.text).join('')

/** The mark, not written yet, with the longest run of pieces from one on, and the length of this run. */
function longestMark(
  pieces: readonly Piece[],
  at: number,
  written: ReadonlySet<Mark>,
): [mark: Mark | undefined, length: number] {
  let best: [Mark | undefined, number] = [undefined, 1]
  for (const [mark, value] of pieces[at]?.marks ?? []) {
    if (written.has(mark)) continue
    let end = at + 1
    while (pieces[end]?.marks.get(mark) === value) end += 1
    if (best[0] === undefined || end - at > best[1]) best = [mark, end - at]
  }
  return best
}

/** The character at the beginning of a piece, in Markdown; stars around it do not count, as they may join others. */
const firstOf = (piece: Piece, written: ReadonlySet<Mark>): string =>
  edgesOf(piece, written)?.[0] ?? piece.text[0] ?? ''

/** The character at its end, with stars around it. */
function lastOf(piece: Piece, written: ReadonlySet<Mark>): string {
  const last = piece.text.at(-1) ?? ''
  const isInStars = (['strong', 'em'] as const).some((mark) => piece.marks.has(mark) && !written.has(mark))
  return isInStars && last.trim() !== '' ? '*' : (edgesOf(piece, written)?.[1] ?? last)
}

/** The first and last characters of a mark of a piece, without stars; of several, the one next to which others are recognised least. */
const edgesOf = ({ marks }: Piece, written: ReadonlySet<Mark>): string | undefined =>
  Object.entries({ strike: '~~', link: '[)', code: '``' }).find(
    ([mark]) => marks.has(mark as Mark) && !written.has(mark as Mark),
  )?.[1]

const isApart = (character: string) => /^[[\s\p{P}\p{S}]--[*~]]$/v.test(character)

/**
 * Whether Markdown recognises stars or tildes around a text: next to a letter, they must not have punctuation on their other side. Stars
 * within the text join those around it, those before it must not.
 */
function canBeMarked(mark: string, text: string, before: string, after: string): boolean {
  if (before === '*' || before === '~') return false
  const [first, last] =
    mark === '~~'
      ? [/^[\p{P}\p{S}]/u, /[\p{P}\p{S}]$/u]
      : [/^\**[[\p{P}\p{S}]--*]/v, /[[\p{P}\p{S}]--*]\**$/v]
  return (isApart(before) || !first.test(text)) && (isApart(after) || !last.test(text))
}
