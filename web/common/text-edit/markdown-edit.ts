/** Edits of Markdown in a text field: formats, and continued lists. Pure functions of the text and its selection. */

/** A text with its selection, as offsets. */
export interface Selected {
  text: string
  start: number
  end: number
}

/** Replaces a part of a text, and selects a part of the result. */
export interface Edit {
  from: number
  to: number
  insert: string
  start: number
  end: number
}

export const FORMATS = ['bold', 'italic', 'link', 'list', 'tasks', 'code', 'quote'] as const
export type Format = (typeof FORMATS)[number]

/** The levels of lists are this many spaces apart, enough for `- ` and `1. `. */
const LEVEL = 4

/** A list item: its indentation, its marker, and its checkbox, e.g. `  `, `- `, `[ ] `. */
const ITEM = /^([ \t]*)((?:[-*+]|(\d{1,9})([.)]))[ \t]+)(\[[ xX]\][ \t]+)?/
const QUOTED = /^[ \t]*>[ \t]?/
/** The prefixes of lines for `list`, `tasks` and `quote`. */
const PREFIXES = { list: '- ', tasks: '- [ ] ', quote: '> ' } as const

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1
const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

/** Writes a mark around the selection, or removes it. Without a selection, the caret is between the marks. */
function around({ text, start, end }: Selected, mark: string): Edit {
  const inner = text.slice(start, end)
  const length = mark.length
  const isMarked = text.slice(start - length, start) === mark && text.slice(end, end + length) === mark
  // The mark of italic is a half of that of bold.
  const isLonger = mark === '*' && text[start - 2] === '*' && text[start - 3] !== '*'
  if (start >= length && isMarked && !isLonger) {
    return { from: start - length, to: end + length, insert: inner, start: start - length, end: end - length }
  }
  return { from: start, to: end, insert: mark + inner + mark, start: start + length, end: end + length }
}

/** Code: a mark within a line, a block for several lines. */
function code(selected: Selected): Edit {
  const { text, start, end } = selected
  const inner = text.slice(start, end)
  if (!inner.includes('\n')) return around(selected, '`')
  const from = lineStart(text, start)
  const to = lineEnd(text, end)
  const lines = text.slice(from, to)
  return { from, to, insert: `\`\`\`\n${lines}\n\`\`\``, start: from + 4, end: from + 4 + lines.length }
}

const ADDRESS = /^(?:https?:\/\/|mailto:)\S+$/

/** A link. The part that the user must type next is selected: the address, or the text of a selected address. */
function link({ text, start, end }: Selected): Edit {
  const inner = text.slice(start, end)
  if (ADDRESS.test(inner)) {
    return { from: start, to: end, insert: `[](${inner})`, start: start + 1, end: start + 1 }
  }
  const address = 'https://'
  const at = start + inner.length + 3
  return inner === ''
    ? { from: start, to: end, insert: `[](${address})`, start: start + 1, end: start + 1 }
    : { from: start, to: end, insert: `[${inner}](${address})`, start: at, end: at + address.length }
}

/** Writes a prefix before each selected line, or removes it if all have it. */
function lines({ text, start, end }: Selected, format: keyof typeof PREFIXES): Edit {
  const prefix = PREFIXES[format]
  const from = lineStart(text, start)
  const to = lineEnd(text, end)
  const before = text.slice(from, to).split('\n')
  const written = before.filter((line) => before.length === 1 || line.trim() !== '')
  const hasAll = written.every((line) => lengthOfPrefix(line, format) > 0)
  const after = before.map((line) => {
    if (before.length > 1 && line.trim() === '') return line
    if (format === 'quote') return hasAll ? line.replace(QUOTED, '') : prefix + line
    const [all = '', indent = '', , , , box = ''] = ITEM.exec(line) ?? []
    const rest = all === '' ? line.trimStart() : line.slice(all.length)
    const space = all === '' ? (/^[ \t]*/.exec(line)?.[0] ?? '') : indent
    if (hasAll) return space + rest
    return space + (format === 'list' || box === '' ? prefix : `- ${box}`) + rest
  })
  const insert = after.join('\n')
  // Without a selection the caret stays where it is in the text.
  const moved = start === end ? Math.max(from, end + insert.length - (to - from)) : from
  return { from, to, insert, start: moved, end: start === end ? moved : from + insert.length }
}

/** The length of a line's prefix of a format; 0 if it has another one or none. */
function lengthOfPrefix(line: string, format: keyof typeof PREFIXES): number {
  if (format === 'quote') return QUOTED.exec(line)?.[0].length ?? 0
  const [all = '', , , , , box = ''] = ITEM.exec(line) ?? []
  return (format === 'tasks') === (box !== '') ? all.length : 0
}

export function formatted(format: Format, selected: Selected): Edit {
  if (format === 'bold') return around(selected, '**')
  if (format === 'italic') return around(selected, '*')
  if (format === 'code') return code(selected)
  if (format === 'link') return link(selected)
  return lines(selected, format)
}

/**
 * Enter at the end of a list item or within it begins the next item, or ends the list if the item is empty.
 * @returns undefined if the caret is in no list
 */
export function continued({ text, start, end }: Selected): Edit | undefined {
  const from = lineStart(text, start)
  const line = text.slice(from, lineEnd(text, start))
  const [all = '', indent = '', marker = '', number, point = '', box = ''] = ITEM.exec(line) ?? []
  if (all === '' || start !== end || start < from + all.length) return undefined
  if (line.slice(all.length).trim() === '') {
    // An empty item ends the list, or its level.
    const above = indent.length >= LEVEL ? indent.slice(LEVEL) + line.slice(indent.length, all.length) : ''
    const at = from + above.length
    return { from, to: from + line.length, insert: above, start: at, end: at }
  }
  const next = number === undefined ? marker : `${Number(number) + 1}${point} `
  const insert = `\n${indent}${next}${box === '' ? '' : '[ ] '}`
  return { from: start, to: end, insert, start: start + insert.length, end: start + insert.length }
}

/**
 * Space right after a marker at the beginning of a list item that follows another: the typed marker replaces the one
 * that Enter has written, so that it is there once.
 * @returns undefined if the key only writes a space
 */
export function retyped({ text, start, end }: Selected): Edit | undefined {
  const from = lineStart(text, start)
  const [, indent = '', marker = '', typed] =
    /^([ \t]*)([-*+]) (?:\[[ xX]\] )?([-*+])$/.exec(text.slice(from, start)) ?? []
  const above = from === 0 ? '' : text.slice(lineStart(text, from - 1), from - 1)
  if (start !== end || typed !== marker || marker === '' || !ITEM.test(above)) return undefined
  const insert = `${indent}${marker} `
  return { from, to: start, insert, start: from + insert.length, end: from + insert.length }
}

const widthOf = (line: string): number => {
  const space = ITEM.exec(line)?.[1] ?? ''
  return [...space].reduce((width, character) => width + (character === '\t' ? LEVEL : 1), 0)
}

/**
 * Tab and Shift+Tab in a list change the level of its items. An item is at most one level below the one before it.
 * @returns undefined if nothing changes: the key then moves the focus as usual
 */
export function indented({ text, start, end }: Selected, isBack: boolean): Edit | undefined {
  const from = lineStart(text, start)
  const to = lineEnd(text, end)
  const before = text.slice(from, to).split('\n')
  if (!before.every((line) => ITEM.test(line))) return undefined
  if (!isBack) {
    const above = from === 0 ? '' : text.slice(lineStart(text, from - 1), from - 1)
    if (!ITEM.test(above) || widthOf(before[0] ?? '') > widthOf(above)) return undefined
  } else if (before.every((line) => widthOf(line) === 0)) return undefined
  const after = before.map((line) => (isBack ? line.replace(/^(?:\t| {1,4})/, '') : ' '.repeat(LEVEL) + line))
  const insert = after.join('\n')
  const first = (after[0] ?? '').length - (before[0] ?? '').length
  return {
    from,
    to,
    insert,
    start: Math.max(from, start + first),
    end: Math.max(from, end + insert.length - (to - from)),
  }
}
