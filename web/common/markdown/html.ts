/**
 * Markdown as HTML. Needs no document: a worker does it, since no parser of Markdown is quick on every text. Raw HTML shows as text, an
 * image is a link, a checkbox a character: what is cleaned afterwards holds nothing that the Content-Security-Policy would report.
 */
import { Marked, type Tokens } from 'marked'
import { DEEPEST, LONGEST, MOST_CELLS, MOST_ELEMENTS } from './limits.ts'

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '')

/** Where links may lead. */
const LINK = /^(?:https?:|mailto:)/i
/** Headings of a text stand below those of the page. */
const LOWER = 2
const LOWEST = 6

/** Whether what may be a table would have too many cells: each row gets as many as the first. */
function hasTooManyCells(text: string): boolean {
  const [first = '', ...rows] = text.split('\n\n', 1)[0]?.split('\n') ?? []
  return first.split('|').length * rows.length > MOST_CELLS
}

const marked = new Marked({
  gfm: true,
  breaks: true,
  tokenizer: {
    // What is no table is a paragraph; `false` is for the library's own rule.
    table: (text) => (hasTooManyCells(text) ? undefined : false),
  },
  renderer: {
    html({ text }: Tokens.HTML | Tokens.Tag) {
      return escaped(text)
    },
    image({ href, text }: Tokens.Image) {
      return LINK.test(href) ? `<a href="${escaped(href)}">${escaped(text || href)}</a>` : escaped(text)
    },
    link({ href, tokens }: Tokens.Link) {
      const text = this.parser.parseInline(tokens)
      return LINK.test(href) ? `<a href="${escaped(href)}">${text}</a>` : text
    },
    checkbox({ checked }: Tokens.Checkbox) {
      return checked ? '☑ ' : '☐ '
    },
    heading({ tokens, depth }: Tokens.Heading) {
      const level = Math.min(depth + LOWER, LOWEST)
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`
    },
  },
})

const TAG = /<(\/?)(\w+)/g
const EMPTY = new Set(['br', 'hr'])

/** Whether HTML has few enough elements, and few enough inside each other. */
function isModest(html: string): boolean {
  let elements = 0
  let depth = 0
  for (const [, end, name = ''] of html.matchAll(TAG)) {
    if (end !== '') {
      depth -= 1
      continue
    }
    elements += 1
    if (!EMPTY.has(name)) depth += 1
    if (elements > MOST_ELEMENTS || depth > DEEPEST) return false
  }
  return true
}

/** A text in Markdown as HTML; undefined where it is too long, or nested too deep, or would become too much. */
export function toHtml(text: string): string | undefined {
  if (text.length > LONGEST) return undefined
  try {
    const html = marked.parse(text, { async: false })
    return isModest(html) ? html : undefined
  } catch {
    // The parser calls itself for what is nested.
    return undefined
  }
}
