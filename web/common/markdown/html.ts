/**
 * Renders Markdown as HTML. It needs no document, so a worker runs it: no Markdown parser is fast on every text. Raw HTML shows
 * as text, an image becomes a link, a file of the card and a checkbox become text, which the page may replace. So the sanitizer's input contains nothing that the
 * Content-Security-Policy would report.
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

/** Links may use only these schemes. */
const LINK = /^(?:https?:|mailto:)/i
/** A file of the card that the text belongs to. The page finds it by the id. */
const FILE = /^attachment:([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i
/** Headings of a text are one level below those of the page. */
const LOWER = 2
const LOWEST = 6

/** Whether a table would have too many cells. Each row gets as many cells as the first. */
function hasTooManyCells(text: string): boolean {
  const [first = '', ...rows] = text.split('\n\n', 1)[0]?.split('\n') ?? []
  return first.split('|').length * rows.length > MOST_CELLS
}

/** What looks like the number of a card: `WEB-12`. The page makes it a link if there is such a project. */
const NUMBER = /^[A-Z][A-Z0-9]{1,5}-[1-9]\d{0,8}(?![\w-])/
const BEFORE_NUMBER = /(?<![\w-])[A-Z][A-Z0-9]{1,5}-[1-9]/

const marked = new Marked({
  gfm: true,
  breaks: true,
  extensions: [
    {
      name: 'number',
      level: 'inline',
      start: (text) => text.search(BEFORE_NUMBER),
      tokenizer(text) {
        const [raw] = NUMBER.exec(text) ?? []
        return raw === undefined ? undefined : { type: 'number', raw }
      },
      renderer: ({ raw }) => `<span data-number="${raw}">${raw}</span>`,
    },
  ],
  tokenizer: {
    // Text that is not a table becomes a paragraph; `false` selects the library's own rule.
    table: (text) => (hasTooManyCells(text) ? undefined : false),
  },
  renderer: {
    html({ text }: Tokens.HTML | Tokens.Tag) {
      return escaped(text)
    },
    image({ href, text }: Tokens.Image) {
      const [, file] = FILE.exec(href) ?? []
      if (file !== undefined)
        return `<span data-attachment="${file.toLowerCase()}" data-picture="${escaped(text)}">${escaped(text)}</span>`
      return LINK.test(href) ? `<a href="${escaped(href)}">${escaped(text || href)}</a>` : escaped(text)
    },
    link({ href, tokens }: Tokens.Link) {
      const text = this.parser.parseInline(tokens)
      const [, file] = FILE.exec(href) ?? []
      if (file !== undefined) return `<span data-attachment="${file.toLowerCase()}">${text}</span>`
      return LINK.test(href) ? `<a href="${escaped(href)}">${text}</a>` : text
    },
    checkbox({ checked }: Tokens.Checkbox) {
      return `<span data-task="${checked ? 1 : 0}">${checked ? '☑ ' : '☐ '}</span>`
    },
    heading({ tokens, depth }: Tokens.Heading) {
      const level = Math.min(depth + LOWER, LOWEST)
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`
    },
  },
})

const TAG = /<(\/?)(\w+)/g
const EMPTY = new Set(['br', 'hr'])

/** Whether the number of elements and their nesting are within the limits. */
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

/** Renders Markdown as HTML; undefined if the text is too long, nested too deep, or would produce too many elements. */
export function toHtml(text: string): string | undefined {
  if (text.length > LONGEST) return undefined
  try {
    const html = marked.parse(text, { async: false })
    return isModest(html) ? html : undefined
  } catch {
    // The parser recurses into nested text.
    return undefined
  }
}
