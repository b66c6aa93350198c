/** Markdown to safe nodes. Loaded with the first text that needs it. A worker makes the HTML, and this cleans it. */
import DOMPurify from 'dompurify'
import { MarkdownQueue, type Renderer } from './queue.ts'
import workerFile from './worker.ts?worker'

/** Where links may lead. */
const LINK = /^(?:https?:|mailto:)/i

const purify = DOMPurify(window)
purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName === 'A') {
    node.setAttribute('rel', 'noopener noreferrer nofollow')
    node.setAttribute('target', '_blank')
  }
})

const address = new URL(workerFile, import.meta.url).href

/** The policy of the page wants it to be said which address is a script's: this one alone. */
const { trustedTypes } = globalThis as TrustedTypesOfWindow
const scripts = trustedTypes?.createPolicy('phaseboard', { createScriptURL: () => address })

const queue = new MarkdownQueue(
  () => new Worker((scripts?.createScriptURL('') ?? address) as string) as Renderer,
)

const toNodes = (html: string | undefined): DocumentFragment | undefined =>
  html === undefined
    ? undefined
    : purify.sanitize(html, {
        RETURN_DOM_FRAGMENT: true,
        USE_PROFILES: { html: true },
        FORBID_TAGS: ['style', 'img', 'input', 'form', 'button', 'iframe', 'video', 'audio'],
        FORBID_ATTR: ['style', 'class', 'id'],
        ALLOWED_URI_REGEXP: LINK,
      })

/** What has been rendered before, at once; undefined where it was not. */
export function renderedBefore(text: string): { nodes: DocumentFragment | undefined } | undefined {
  const known = queue.known(text)
  return known && { nodes: toNodes(known.html) }
}

/**
 * A text in Markdown as nodes that are safe to show.
 * @param signal of who has lost interest in it
 * @returns undefined where it is too much: then it shows as it is
 * @throws Error where what renders it cannot be loaded
 */
export async function renderMarkdown(
  text: string,
  signal: AbortSignal,
): Promise<DocumentFragment | undefined> {
  return toNodes(await queue.html(text, signal))
}
