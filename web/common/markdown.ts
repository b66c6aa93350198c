/**
 * Markdown to safe nodes. Loaded with the first text that needs it. Raw HTML shows as text, an image is a link, a checkbox a
 * character: what is cleaned afterwards holds nothing that the Content-Security-Policy would report.
 */
import DOMPurify from 'dompurify'
import { Marked, type Tokens } from 'marked'
import { isRenderable } from './markdown-limits.ts'

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

const marked = new Marked({
  gfm: true,
  breaks: true,
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

const purify = DOMPurify(window)
purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName === 'A') {
    node.setAttribute('rel', 'noopener noreferrer nofollow')
    node.setAttribute('target', '_blank')
  }
})

/** The HTML of a text; undefined where there is too much of it, or the parser fails. */
function htmlOf(text: string): string | undefined {
  if (!isRenderable(text)) return undefined
  try {
    return marked.parse(text, { async: false })
  } catch {
    return undefined
  }
}

/** A text in Markdown as nodes that are safe to show; undefined where it is to be shown as it is. */
export function renderMarkdown(text: string): DocumentFragment | undefined {
  const html = htmlOf(text)
  if (html === undefined) return undefined
  return purify.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    USE_PROFILES: { html: true },
    FORBID_TAGS: ['style', 'img', 'input', 'form', 'button', 'iframe', 'video', 'audio'],
    FORBID_ATTR: ['style', 'class', 'id'],
    ALLOWED_URI_REGEXP: LINK,
  })
}
